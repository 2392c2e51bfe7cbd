// What we model of libc++'s compiled part; most of the rest is taken from its sources (see sources.py).
typedef unsigned long size_t;
void *malloc(size_t);
void free(void *);
#define NAMED(name) __asm__(name)

size_t hash_memory(const unsigned char *p, size_t n) NAMED("_ZNSt3__113__hash_memoryEPKvm");
size_t hash_memory(const unsigned char *p, size_t n) {
  size_t h = n;
  for (size_t k = 0; k < n; k++) h = (h ^ p[k]) * 0x9E3779B97F4A7C15;
  return h ^ h >> 32;
}

// std::barrier: who arrives last ends the phase. `expected` belongs to the barrier and changes between phases.
struct fencepost_barrier {
  long *expected;
  long arrived;
};

struct fencepost_barrier *barrier_make(long *expected) NAMED("_ZNSt3__134__construct_barrier_algorithm_baseERl");
struct fencepost_barrier *barrier_make(long *expected) {
  struct fencepost_barrier *b = malloc(sizeof *b);
  b->expected = expected;
  __atomic_store_n(&b->arrived, 0, __ATOMIC_RELAXED);
  return b;
}

_Bool barrier_arrive(struct fencepost_barrier *b, unsigned char phase)
    NAMED("_ZNSt3__131__arrive_barrier_algorithm_baseEPNS_24__barrier_algorithm_baseEh");
_Bool barrier_arrive(struct fencepost_barrier *b, unsigned char phase) {
  long all = *b->expected; // before arriving: who arrives last changes it
  if (__atomic_fetch_add(&b->arrived, 1, __ATOMIC_ACQ_REL) + 1 != all) return 0;
  __atomic_store_n(&b->arrived, 0, __ATOMIC_RELAXED);
  return 1;
}

void barrier_destroy(struct fencepost_barrier *b)
    NAMED("_ZNSt3__132__destroy_barrier_algorithm_baseEPNS_24__barrier_algorithm_baseE");
void barrier_destroy(struct fencepost_barrier *b) { free(b); }

// std::weak_ptr::lock: one more owner, unless there is none
struct fencepost_shared {
  void *table;
  long owners, weak;
};
struct fencepost_shared *weak_lock(struct fencepost_shared *s) NAMED("_ZNSt3__119__shared_weak_count4lockEv");
struct fencepost_shared *weak_lock(struct fencepost_shared *s) {
  long owners = __atomic_load_n(&s->owners, __ATOMIC_SEQ_CST);
  while (owners != -1)
    if (__atomic_compare_exchange_n(&s->owners, &owners, owners + 1, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) return s;
  return 0;
}
