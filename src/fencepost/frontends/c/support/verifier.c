// Hazard pointers as programs for verifiers have them: a real implementation, so that nothing has to be believed.
typedef unsigned long size_t;
void free(void *);
void abort(void);
#define NAMED(name) __asm__(name)

enum { MOST = 16 };
struct hazard {
  void *pointer;
};
static struct hazard hazards[MOST];
static unsigned made, later;
static void *kept[MOST]; // retired while somebody protected it: never used again, and no leak

struct hazard *hazard_make(void) NAMED("__VERIFIER_hp_alloc");
struct hazard *hazard_make(void) {
  unsigned k = __atomic_fetch_add(&made, 1, __ATOMIC_RELAXED);
  if (k >= MOST) abort();
  return &hazards[k];
}

// What stands at `place`, which was still there after others could see that it is protected.
void *hazard_protect(struct hazard *h, void **place) NAMED("__VERIFIER_hp_protect");
void *hazard_protect(struct hazard *h, void **place) {
  for (;;) {
    void *found = __atomic_load_n(place, __ATOMIC_ACQUIRE);
    __atomic_store_n(&h->pointer, found, __ATOMIC_SEQ_CST);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    if (__atomic_load_n(place, __ATOMIC_ACQUIRE) == found) return found;
  }
}

void hazard_clear(struct hazard *h) NAMED("__VERIFIER_hp_clear");
void hazard_clear(struct hazard *h) { __atomic_store_n(&h->pointer, 0, __ATOMIC_RELEASE); }

void hazard_free(struct hazard *h) NAMED("__VERIFIER_hp_free");
void hazard_free(struct hazard *h) { hazard_clear(h); }

void hazard_retire(void *p) NAMED("__VERIFIER_hp_retire");
void hazard_retire(void *p) {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  unsigned count = __atomic_load_n(&made, __ATOMIC_ACQUIRE);
  for (unsigned k = 0; k < count && k < MOST; k++)
    if (__atomic_load_n(&hazards[k].pointer, __ATOMIC_ACQUIRE) == p) {
      unsigned at = __atomic_fetch_add(&later, 1, __ATOMIC_RELAXED);
      if (at >= MOST) abort();
      kept[at] = p;
      return;
    }
  free(p);
}
