/* What the Linux kernel builds on the primitives of <fencepost/lkmm.h>: bit operations, reference counts, sequence
 * counts, completions, mutexes, lists. For programs that are checked by `fencepost check --model lkmm`.
 *
 * Each does what the kernel's documentation promises of it, and no more: mutexes are judged as spinlocks; a completion
 * is a count that is released and acquired. What runs later by itself (call_rcu, kfree_rcu, work queues, timers) is not
 * here.
 */
#ifndef FENCEPOST_KERNEL_H
#define FENCEPOST_KERNEL_H

#include <assert.h>
#include <fencepost/lkmm.h>
#include <stddef.h>
#include <stdlib.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --- words --- */
typedef signed char s8;
typedef unsigned char u8;
typedef short s16;
typedef unsigned short u16;
typedef int s32;
typedef unsigned int u32;
typedef long s64;
typedef unsigned long u64;
#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define __always_inline inline __attribute__((always_inline))
#define __maybe_unused __attribute__((unused))
#define ____cacheline_aligned_in_smp
#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
#define BUG_ON(x) assert(!(x))
#define WARN_ON(x)                                                                                                     \
  ({                                                                                                                   \
    const int __warn_on = !!(x);                                                                                       \
    assert(!__warn_on);                                                                                                \
    __warn_on;                                                                                                         \
  })
#define WARN_ON_ONCE(x) WARN_ON(x)
#define container_of(p, type, member) ((type*)((char*)(p) - offsetof(type, member)))
#define GFP_KERNEL 0
#define GFP_ATOMIC 0
#define kmalloc(size, flags) ((void)(flags), malloc(size))
#define kzalloc(size, flags) ((void)(flags), calloc(1, (size)))
#define kcalloc(n, size, flags) ((void)(flags), calloc((n), (size)))
#define kfree(p) free((void*)(p))
#define cpu_relax() ((void)0)
#define __rcu
#define smp_acquire__after_ctrl_dep() smp_rmb()

/* --- waiting for a value, which the condition calls VAL --- */
#define __fencepost_lkmm_cond_load(load, condition)                                                                    \
  ({                                                                                                                   \
    __typeof__(load) VAL;                                                                                              \
    for (;;) {                                                                                                         \
      VAL = (load);                                                                                                    \
      if (condition) break;                                                                                            \
    }                                                                                                                  \
    VAL;                                                                                                               \
  })
#define smp_cond_load_relaxed(p, condition) __fencepost_lkmm_cond_load(READ_ONCE(*(p)), condition)
#define smp_cond_load_acquire(p, condition) __fencepost_lkmm_cond_load(smp_load_acquire(p), condition)
#define atomic_cond_read_relaxed(a, condition) smp_cond_load_relaxed(&(a)->counter, condition)
#define atomic_cond_read_acquire(a, condition) smp_cond_load_acquire(&(a)->counter, condition)

/* --- compare-exchanges that tell whether they wrote --- */
#define __fencepost_lkmm_try(exchange, p, old, v)                                                                      \
  ({                                                                                                                   \
    __typeof__(*(p)) __try_seen = *(old);                                                                              \
    __typeof__(*(p)) __try_found = exchange((p), __try_seen, (v));                                                     \
    if (__try_found != __try_seen) *(old) = __try_found;                                                               \
    __try_found == __try_seen;                                                                                         \
  })
#define try_cmpxchg(p, old, v) __fencepost_lkmm_try(cmpxchg, p, old, v)
#define try_cmpxchg_relaxed(p, old, v) __fencepost_lkmm_try(cmpxchg_relaxed, p, old, v)
#define try_cmpxchg_acquire(p, old, v) __fencepost_lkmm_try(cmpxchg_acquire, p, old, v)
#define try_cmpxchg_release(p, old, v) __fencepost_lkmm_try(cmpxchg_release, p, old, v)

#define __FENCEPOST_KERNEL_TRY(t, s, c, o)                                                                             \
  static inline bool t##_try_cmpxchg##o(s* a, c* old, c v) { return try_cmpxchg##o(&a->counter, old, v); }
#define __FENCEPOST_KERNEL_ATOMIC(t, s, c)                                                                             \
  __FENCEPOST_KERNEL_TRY(t, s, c, )                                                                                    \
  __FENCEPOST_KERNEL_TRY(t, s, c, _relaxed)                                                                            \
  __FENCEPOST_KERNEL_TRY(t, s, c, _acquire)                                                                            \
  __FENCEPOST_KERNEL_TRY(t, s, c, _release)                                                                            \
  static inline c t##_fetch_add_unless(s* a, c v, c u) {                                                               \
    c seen = t##_read(a);                                                                                              \
    do {                                                                                                               \
      if (seen == u) break;                                                                                            \
    } while (!t##_try_cmpxchg(a, &seen, seen + v));                                                                    \
    return seen;                                                                                                       \
  }                                                                                                                    \
  static inline c t##_dec_if_positive(s* a) {                                                                          \
    c seen = t##_read(a);                                                                                              \
    do {                                                                                                               \
      if (seen <= 0) break;                                                                                            \
    } while (!t##_try_cmpxchg(a, &seen, seen - 1));                                                                    \
    return seen - 1;                                                                                                   \
  }
__FENCEPOST_KERNEL_ATOMIC(atomic, atomic_t, int)
__FENCEPOST_KERNEL_ATOMIC(atomic64, atomic64_t, long)
__FENCEPOST_KERNEL_ATOMIC(atomic_long, atomic_long_t, long)

/* --- bit operations, on arrays of unsigned long --- */
#define BITS_PER_LONG 64
#define BIT(n) (1ul << (n))
#define BIT_MASK(n) (1ul << ((n) % BITS_PER_LONG))
#define BIT_WORD(n) ((n) / BITS_PER_LONG)
#define DECLARE_BITMAP(name, bits) unsigned long name[((bits) + BITS_PER_LONG - 1) / BITS_PER_LONG]
#define __FENCEPOST_KERNEL_WORD(n, p) ((unsigned long*)(p) + BIT_WORD(n))
static inline void set_bit(unsigned n, volatile unsigned long* p) {
  __fencepost_lkmm_or_8((long*)__FENCEPOST_KERNEL_WORD(n, p), (long)BIT_MASK(n));
}
static inline void clear_bit(unsigned n, volatile unsigned long* p) {
  __fencepost_lkmm_and_8((long*)__FENCEPOST_KERNEL_WORD(n, p), (long)~BIT_MASK(n));
}
static inline void change_bit(unsigned n, volatile unsigned long* p) {
  __fencepost_lkmm_xor_8((long*)__FENCEPOST_KERNEL_WORD(n, p), (long)BIT_MASK(n));
}
static inline bool test_bit(unsigned n, const volatile unsigned long* p) {
  return (READ_ONCE(*__FENCEPOST_KERNEL_WORD(n, p)) & BIT_MASK(n)) != 0;
}
static inline bool test_bit_acquire(unsigned n, const volatile unsigned long* p) {
  return (smp_load_acquire(__FENCEPOST_KERNEL_WORD(n, p)) & BIT_MASK(n)) != 0;
}
static inline bool test_and_set_bit(unsigned n, volatile unsigned long* p) {
  return (__atomic_fetch_or(__FENCEPOST_KERNEL_WORD(n, p), BIT_MASK(n), __ATOMIC_SEQ_CST) & BIT_MASK(n)) != 0;
}
static inline bool test_and_clear_bit(unsigned n, volatile unsigned long* p) {
  return (__atomic_fetch_and(__FENCEPOST_KERNEL_WORD(n, p), ~BIT_MASK(n), __ATOMIC_SEQ_CST) & BIT_MASK(n)) != 0;
}
static inline bool test_and_change_bit(unsigned n, volatile unsigned long* p) {
  return (__atomic_fetch_xor(__FENCEPOST_KERNEL_WORD(n, p), BIT_MASK(n), __ATOMIC_SEQ_CST) & BIT_MASK(n)) != 0;
}
static inline bool test_and_set_bit_lock(unsigned n, volatile unsigned long* p) {
  if (test_bit(n, p)) return true;
  return (__atomic_fetch_or(__FENCEPOST_KERNEL_WORD(n, p), BIT_MASK(n), __ATOMIC_ACQUIRE) & BIT_MASK(n)) != 0;
}
static inline void clear_bit_unlock(unsigned n, volatile unsigned long* p) {
  (void)__atomic_fetch_and(__FENCEPOST_KERNEL_WORD(n, p), ~BIT_MASK(n), __ATOMIC_RELEASE);
}
#define bit_spin_trylock(n, p) (!test_and_set_bit_lock((n), (p)))
#define bit_spin_unlock(n, p) clear_bit_unlock((n), (p))
static inline void bit_spin_lock(unsigned n, unsigned long* p) {
  while (test_and_set_bit_lock(n, p)) cpu_relax();
}
static inline void __set_bit(unsigned n, unsigned long* p) { p[BIT_WORD(n)] |= BIT_MASK(n); }
static inline void __clear_bit(unsigned n, unsigned long* p) { p[BIT_WORD(n)] &= ~BIT_MASK(n); }

/* --- other locks --- */
typedef spinlock_t raw_spinlock_t;
#define DEFINE_RAW_SPINLOCK(name) raw_spinlock_t name = {0}
#define raw_spin_lock_init(l) spin_lock_init(l)
#define raw_spin_lock(l) spin_lock(l)
#define raw_spin_unlock(l) spin_unlock(l)
#define raw_spin_trylock(l) spin_trylock(l)
#define spin_lock_irq(l) spin_lock(l)
#define spin_unlock_irq(l) spin_unlock(l)
#define spin_lock_bh(l) spin_lock(l)
#define spin_unlock_bh(l) spin_unlock(l)
#define spin_lock_irqsave(l, flags) ((flags) = 0, spin_lock(l))
#define spin_unlock_irqrestore(l, flags) ((void)(flags), spin_unlock(l))
struct mutex {
  spinlock_t __lock;
};
#define DEFINE_MUTEX(name) struct mutex name = {{0}}
#define raw_spin_lock_irqsave(l, flags) spin_lock_irqsave(l, flags)
#define raw_spin_unlock_irqrestore(l, flags) spin_unlock_irqrestore(l, flags)
#define mutex_init(m) spin_lock_init(&(m)->__lock)
#define mutex_lock(m) spin_lock(&(m)->__lock)
#define mutex_unlock(m) spin_unlock(&(m)->__lock)
#define mutex_trylock(m) spin_trylock(&(m)->__lock)
#define mutex_is_locked(m) spin_is_locked(&(m)->__lock)

/* --- pointers under RCU --- */
#define lockdep_is_held(lock) 1
#define lockdep_assert_held(lock) ((void)0)
#define rcu_read_lock_held() 1
#define rcu_dereference_raw(p) rcu_dereference(p)
#define rcu_dereference_check(p, condition) rcu_dereference(p)
#define rcu_dereference_protected(p, condition) (p)
#define srcu_dereference(p, s) rcu_dereference(p)
#define RCU_INIT_POINTER(p, v) WRITE_ONCE(p, v)
#define rcu_replace_pointer(p, v, condition)                                                                           \
  ({                                                                                                                   \
    __typeof__(p) __replaced = (p);                                                                                    \
    rcu_assign_pointer(p, v);                                                                                          \
    __replaced;                                                                                                        \
  })

/* --- reference counts: the last one to go acquires what the others have released --- */
typedef struct {
  atomic_t refs;
} refcount_t;
#define REFCOUNT_INIT(n) {ATOMIC_INIT(n)}
static inline void refcount_set(refcount_t* r, int n) { atomic_set(&r->refs, n); }
static inline unsigned refcount_read(const refcount_t* r) { return (unsigned)atomic_read(&r->refs); }
static inline void refcount_add(int n, refcount_t* r) { (void)atomic_fetch_add_relaxed(n, &r->refs); }
static inline void refcount_inc(refcount_t* r) { refcount_add(1, r); }
static inline bool refcount_inc_not_zero(refcount_t* r) {
  int seen = atomic_read(&r->refs);
  do {
    if (!seen) return false;
  } while (!atomic_try_cmpxchg_relaxed(&r->refs, &seen, seen + 1));
  return true;
}
static inline bool refcount_sub_and_test(int n, refcount_t* r) {
  int seen = atomic_fetch_sub_release(n, &r->refs);
  return seen == n && atomic_read_acquire(&r->refs) == 0;
}
static inline bool refcount_dec_and_test(refcount_t* r) { return refcount_sub_and_test(1, r); }
static inline void refcount_dec(refcount_t* r) { (void)atomic_fetch_sub_release(1, &r->refs); }
struct kref {
  refcount_t refcount;
};
#define KREF_INIT(n) {REFCOUNT_INIT(n)}
static inline void kref_init(struct kref* k) { refcount_set(&k->refcount, 1); }
static inline unsigned kref_read(const struct kref* k) { return refcount_read(&k->refcount); }
static inline void kref_get(struct kref* k) { refcount_inc(&k->refcount); }
static inline bool kref_get_unless_zero(struct kref* k) { return refcount_inc_not_zero(&k->refcount); }
static inline int kref_put(struct kref* k, void (*release)(struct kref*)) {
  if (!refcount_dec_and_test(&k->refcount)) return 0;
  release(k);
  return 1;
}

/* --- sequence counts and locks --- */
typedef struct {
  unsigned sequence;
} seqcount_t;
#define SEQCNT_ZERO(name) {0}
#define seqcount_init(s) ((void)((s)->sequence = 0))
static inline unsigned raw_read_seqcount(const seqcount_t* s) { return smp_load_acquire(&s->sequence); }
static inline unsigned read_seqcount_begin(const seqcount_t* s) {
  unsigned seen;
  do
    seen = smp_load_acquire(&s->sequence);
  while (seen & 1);
  return seen;
}
static inline bool read_seqcount_retry(const seqcount_t* s, unsigned start) {
  smp_rmb();
  return READ_ONCE(s->sequence) != start;
}
static inline void write_seqcount_begin(seqcount_t* s) {
  WRITE_ONCE(s->sequence, s->sequence + 1);
  smp_wmb();
}
static inline void write_seqcount_end(seqcount_t* s) {
  smp_wmb();
  WRITE_ONCE(s->sequence, s->sequence + 1);
}
typedef struct {
  seqcount_t seqcount;
  spinlock_t lock;
} seqlock_t;
#define DEFINE_SEQLOCK(name) seqlock_t name = {{0}, {0}}
#define seqlock_init(s) (seqcount_init(&(s)->seqcount), spin_lock_init(&(s)->lock))
static inline unsigned read_seqbegin(const seqlock_t* s) { return read_seqcount_begin(&s->seqcount); }
static inline bool read_seqretry(const seqlock_t* s, unsigned start) {
  return read_seqcount_retry(&s->seqcount, start);
}
static inline void write_seqlock(seqlock_t* s) {
  spin_lock(&s->lock);
  write_seqcount_begin(&s->seqcount);
}
static inline void write_sequnlock(seqlock_t* s) {
  write_seqcount_end(&s->seqcount);
  spin_unlock(&s->lock);
}

/* --- completions --- */
struct completion {
  atomic_t done;
};
#define COMPLETION_INITIALIZER(name) {ATOMIC_INIT(0)}
#define DECLARE_COMPLETION(name) struct completion name = COMPLETION_INITIALIZER(name)
static inline void init_completion(struct completion* c) { atomic_set(&c->done, 0); }
static inline void reinit_completion(struct completion* c) { atomic_set(&c->done, 0); }
static inline void complete(struct completion* c) { (void)atomic_fetch_add_release(1, &c->done); }
static inline void complete_all(struct completion* c) { (void)atomic_fetch_add_release(1 << 30, &c->done); }
static inline bool completion_done(struct completion* c) { return atomic_read_acquire(&c->done) != 0; }
static inline bool try_wait_for_completion(struct completion* c) {
  int seen = atomic_read(&c->done);
  do {
    if (!seen) return false;
  } while (!atomic_try_cmpxchg_acquire(&c->done, &seen, seen - 1));
  return true;
}
static inline void wait_for_completion(struct completion* c) {
  int seen;
  do
    seen = atomic_cond_read_relaxed(&c->done, VAL != 0);
  while (!atomic_try_cmpxchg_acquire(&c->done, &seen, seen - 1));
}

/* --- lists, with and without RCU --- */
struct list_head {
  struct list_head *next, *prev;
};
#define LIST_HEAD_INIT(name) {&(name), &(name)}
#define LIST_HEAD(name) struct list_head name = LIST_HEAD_INIT(name)
static inline void INIT_LIST_HEAD(struct list_head* l) {
  WRITE_ONCE(l->next, l);
  l->prev = l;
}
static inline void __list_add(struct list_head* n, struct list_head* prev, struct list_head* next) {
  next->prev = n;
  n->next = next;
  n->prev = prev;
  WRITE_ONCE(prev->next, n);
}
static inline void __list_add_rcu(struct list_head* n, struct list_head* prev, struct list_head* next) {
  n->next = next;
  n->prev = prev;
  rcu_assign_pointer(prev->next, n);
  next->prev = n;
}
static inline void list_add(struct list_head* n, struct list_head* head) { __list_add(n, head, head->next); }
static inline void list_add_tail(struct list_head* n, struct list_head* head) { __list_add(n, head->prev, head); }
static inline void list_add_rcu(struct list_head* n, struct list_head* head) { __list_add_rcu(n, head, head->next); }
static inline void list_add_tail_rcu(struct list_head* n, struct list_head* head) {
  __list_add_rcu(n, head->prev, head);
}
/* What is taken out is poisoned: whoever still goes on from it, a reader under RCU after list_del, goes astray. */
#define LIST_POISON1 ((void*)0x100)
#define LIST_POISON2 ((void*)0x122)
static inline void __list_del(struct list_head* prev, struct list_head* next) {
  next->prev = prev;
  WRITE_ONCE(prev->next, next);
}
static inline void list_del(struct list_head* n) {
  __list_del(n->prev, n->next);
  n->next = (struct list_head*)LIST_POISON1;
  n->prev = (struct list_head*)LIST_POISON2;
}
static inline void list_del_rcu(struct list_head* n) {
  __list_del(n->prev, n->next);
  n->prev = (struct list_head*)LIST_POISON2;
}
static inline void list_del_init(struct list_head* n) {
  __list_del(n->prev, n->next);
  INIT_LIST_HEAD(n);
}
static inline void list_move(struct list_head* n, struct list_head* head) {
  __list_del(n->prev, n->next);
  list_add(n, head);
}
static inline void list_move_tail(struct list_head* n, struct list_head* head) {
  __list_del(n->prev, n->next);
  list_add_tail(n, head);
}
static inline void list_replace_rcu(struct list_head* old, struct list_head* n) {
  n->next = old->next;
  n->prev = old->prev;
  rcu_assign_pointer(n->prev->next, n);
  n->next->prev = n;
  old->prev = (struct list_head*)LIST_POISON2;
}
static inline bool list_empty(const struct list_head* head) { return READ_ONCE(head->next) == head; }
#define list_entry(p, type, member) container_of(p, type, member)
#define list_first_entry(p, type, member) list_entry((p)->next, type, member)
#define list_entry_rcu(p, type, member) container_of(READ_ONCE(p), type, member)
#define list_for_each_entry(i, head, member)                                                                           \
  for ((i) = list_entry((head)->next, __typeof__(*(i)), member); &(i)->member != (head);                               \
       (i) = list_entry((i)->member.next, __typeof__(*(i)), member))
#define list_next_entry(p, member) list_entry((p)->member.next, __typeof__(*(p)), member)
#define list_for_each_entry_safe(i, n, head, member)                                                                   \
  for ((i) = list_entry((head)->next, __typeof__(*(i)), member), (n) = list_next_entry(i, member);                     \
       &(i)->member != (head); (i) = (n), (n) = list_next_entry(n, member))
#define list_for_each_entry_rcu(i, head, member, ...)                                                                  \
  for ((i) = list_entry_rcu((head)->next, __typeof__(*(i)), member); &(i)->member != (head);                           \
       (i) = list_entry_rcu((i)->member.next, __typeof__(*(i)), member))

struct hlist_node {
  struct hlist_node *next, **pprev;
};
struct hlist_head {
  struct hlist_node* first;
};
#define HLIST_HEAD(name) struct hlist_head name = {NULL}
#define hlist_entry(p, type, member) container_of(p, type, member)
#define hlist_entry_safe(p, type, member)                                                                              \
  ({                                                                                                                   \
    __typeof__(p) __entry = (p);                                                                                       \
    __entry ? hlist_entry(__entry, type, member) : NULL;                                                               \
  })
static inline void hlist_add_head_rcu(struct hlist_node* n, struct hlist_head* head) {
  struct hlist_node* first = head->first;
  n->next = first;
  WRITE_ONCE(n->pprev, &head->first);
  rcu_assign_pointer(head->first, n);
  if (first) WRITE_ONCE(first->pprev, &n->next);
}
static inline void hlist_del_rcu(struct hlist_node* n) {
  WRITE_ONCE(*n->pprev, n->next);
  if (n->next) WRITE_ONCE(n->next->pprev, n->pprev);
  WRITE_ONCE(n->pprev, (struct hlist_node**)LIST_POISON2);
}
#define hlist_for_each_entry_rcu(i, head, member, ...)                                                                 \
  for ((i) = hlist_entry_safe(rcu_dereference((head)->first), __typeof__(*(i)), member); (i);                          \
       (i) = hlist_entry_safe(rcu_dereference((i)->member.next), __typeof__(*(i)), member))

/* --- lists without locks --- */
struct llist_node {
  struct llist_node* next;
};
struct llist_head {
  struct llist_node* first;
};
#define LLIST_HEAD_INIT(name) {NULL}
#define LLIST_HEAD(name) struct llist_head name = LLIST_HEAD_INIT(name)
#define init_llist_head(l) ((void)((l)->first = NULL))
#define llist_entry(p, type, member) container_of(p, type, member)
static inline bool llist_empty(const struct llist_head* head) { return READ_ONCE(head->first) == NULL; }
static inline bool llist_add(struct llist_node* n, struct llist_head* head) {
  struct llist_node* first = READ_ONCE(head->first);
  do
    n->next = first;
  while (!try_cmpxchg(&head->first, &first, n));
  return !first;
}
static inline struct llist_node* llist_del_all(struct llist_head* head) {
  return xchg(&head->first, (struct llist_node*)NULL);
}
static inline struct llist_node* llist_del_first(struct llist_head* head) {
  struct llist_node* seen = smp_load_acquire(&head->first);
  do {
    if (!seen) return NULL;
  } while (!try_cmpxchg(&head->first, &seen, READ_ONCE(seen->next)));
  return seen;
}
static inline struct llist_node* llist_reverse_order(struct llist_node* head) {
  struct llist_node* reversed = NULL;
  while (head) {
    struct llist_node* n = head;
    head = head->next;
    n->next = reversed;
    reversed = n;
  }
  return reversed;
}
#define __llist_entry_safe(p, type, member)                                                                            \
  ({                                                                                                                   \
    struct llist_node* __entry = (p);                                                                                  \
    __entry ? llist_entry(__entry, type, member) : NULL;                                                               \
  })
#define llist_for_each_entry(i, node, member)                                                                          \
  for ((i) = __llist_entry_safe(node, __typeof__(*(i)), member); (i);                                                  \
       (i) = __llist_entry_safe((i)->member.next, __typeof__(*(i)), member))
#define llist_for_each_entry_safe(i, n, node, member)                                                                  \
  for ((i) = __llist_entry_safe(node, __typeof__(*(i)), member);                                                       \
       (i) && ((n) = __llist_entry_safe((i)->member.next, __typeof__(*(i)), member), 1); (i) = (n))

#ifdef __cplusplus
}
#endif

#endif
