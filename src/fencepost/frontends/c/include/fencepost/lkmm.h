/* The primitives of the Linux kernel, for programs that are checked by `fencepost check --model lkmm`.
 *
 * The header is found without an -I option. Threads are those of <pthread.h>; variables that READ_ONCE and its like do
 * not touch are plain, and the model looks for data races on them.
 */
#ifndef FENCEPOST_LKMM_H
#define FENCEPOST_LKMM_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --- accesses --- */
#define READ_ONCE(x) __atomic_load_n(&(x), __ATOMIC_RELAXED)
#define WRITE_ONCE(x, v) __atomic_store_n(&(x), (v), __ATOMIC_RELAXED)
#define smp_load_acquire(p) __atomic_load_n((p), __ATOMIC_ACQUIRE)
#define smp_store_release(p, v) __atomic_store_n((p), (v), __ATOMIC_RELEASE)
#define smp_store_mb(x, v)                                                                                             \
  do {                                                                                                                 \
    WRITE_ONCE(x, v);                                                                                                  \
    smp_mb();                                                                                                          \
  } while (0)
#define rcu_dereference(p) READ_ONCE(p)
#define rcu_access_pointer(p) READ_ONCE(p)
#define rcu_assign_pointer(p, v) smp_store_release(&(p), (v))

/* --- fences --- */
void __fencepost_lkmm_smp_mb(void);
void __fencepost_lkmm_smp_rmb(void);
void __fencepost_lkmm_smp_wmb(void);
void __fencepost_lkmm_barrier(void);
void __fencepost_lkmm_before_atomic(void);
void __fencepost_lkmm_after_atomic(void);
void __fencepost_lkmm_after_spinlock(void);
void __fencepost_lkmm_after_unlock_lock(void);
void __fencepost_lkmm_after_srcu_read_unlock(void);
#define smp_mb() __fencepost_lkmm_smp_mb()
#define smp_rmb() __fencepost_lkmm_smp_rmb()
#define smp_wmb() __fencepost_lkmm_smp_wmb()
#define barrier() __fencepost_lkmm_barrier()
#define smp_mb__before_atomic() __fencepost_lkmm_before_atomic()
#define smp_mb__after_atomic() __fencepost_lkmm_after_atomic()
#define smp_mb__after_spinlock() __fencepost_lkmm_after_spinlock()
#define smp_mb__after_unlock_lock() __fencepost_lkmm_after_unlock_lock()
#define smp_mb__after_srcu_read_unlock() __fencepost_lkmm_after_srcu_read_unlock()

/* --- RCU and SRCU --- */
void __fencepost_lkmm_rcu_read_lock(void);
void __fencepost_lkmm_rcu_read_unlock(void);
void __fencepost_lkmm_synchronize_rcu(void);
#define rcu_read_lock() __fencepost_lkmm_rcu_read_lock()
#define rcu_read_unlock() __fencepost_lkmm_rcu_read_unlock()
#define synchronize_rcu() __fencepost_lkmm_synchronize_rcu()
#define synchronize_rcu_expedited() __fencepost_lkmm_synchronize_rcu()

struct srcu_struct {
  int __word;
};
#define DEFINE_SRCU(name) struct srcu_struct name
#define DEFINE_STATIC_SRCU(name) static struct srcu_struct name
int __fencepost_lkmm_srcu_read_lock(struct srcu_struct* s);
void __fencepost_lkmm_srcu_read_unlock(struct srcu_struct* s, int index);
void __fencepost_lkmm_synchronize_srcu(struct srcu_struct* s);
#define srcu_read_lock(s) __fencepost_lkmm_srcu_read_lock(s)
#define srcu_down_read(s) __fencepost_lkmm_srcu_read_lock(s)
#define srcu_read_unlock(s, index) __fencepost_lkmm_srcu_read_unlock((s), (index))
#define srcu_up_read(s, index) __fencepost_lkmm_srcu_read_unlock((s), (index))
#define synchronize_srcu(s) __fencepost_lkmm_synchronize_srcu(s)
#define synchronize_srcu_expedited(s) __fencepost_lkmm_synchronize_srcu(s)

/* --- locks --- */
typedef struct {
  int __word;
} spinlock_t;
#define DEFINE_SPINLOCK(name) spinlock_t name = {0}
#define __SPIN_LOCK_UNLOCKED(name) {0}
#define spin_lock_init(l) ((void)((l)->__word = 0))
void __fencepost_lkmm_spin_lock(spinlock_t* l);
void __fencepost_lkmm_spin_unlock(spinlock_t* l);
bool __fencepost_lkmm_spin_trylock(spinlock_t* l);
bool __fencepost_lkmm_spin_is_locked(spinlock_t* l);
#define spin_lock(l) __fencepost_lkmm_spin_lock(l)
#define spin_unlock(l) __fencepost_lkmm_spin_unlock(l)
#define spin_trylock(l) __fencepost_lkmm_spin_trylock(l)
#define spin_is_locked(l) __fencepost_lkmm_spin_is_locked(l)

/* --- exchanges, on objects of 1, 2, 4 or 8 bytes --- */
unsigned char __fencepost_lkmm_cmpxchg_mb_1(volatile void* p, unsigned char expected, unsigned char desired);
unsigned short __fencepost_lkmm_cmpxchg_mb_2(volatile void* p, unsigned short expected, unsigned short desired);
unsigned int __fencepost_lkmm_cmpxchg_mb_4(volatile void* p, unsigned int expected, unsigned int desired);
unsigned long __fencepost_lkmm_cmpxchg_mb_8(volatile void* p, unsigned long expected, unsigned long desired);
unsigned char __fencepost_lkmm_cmpxchg_relaxed_1(volatile void* p, unsigned char expected, unsigned char desired);
unsigned short __fencepost_lkmm_cmpxchg_relaxed_2(volatile void* p, unsigned short expected, unsigned short desired);
unsigned int __fencepost_lkmm_cmpxchg_relaxed_4(volatile void* p, unsigned int expected, unsigned int desired);
unsigned long __fencepost_lkmm_cmpxchg_relaxed_8(volatile void* p, unsigned long expected, unsigned long desired);
unsigned char __fencepost_lkmm_cmpxchg_acquire_1(volatile void* p, unsigned char expected, unsigned char desired);
unsigned short __fencepost_lkmm_cmpxchg_acquire_2(volatile void* p, unsigned short expected, unsigned short desired);
unsigned int __fencepost_lkmm_cmpxchg_acquire_4(volatile void* p, unsigned int expected, unsigned int desired);
unsigned long __fencepost_lkmm_cmpxchg_acquire_8(volatile void* p, unsigned long expected, unsigned long desired);
unsigned char __fencepost_lkmm_cmpxchg_release_1(volatile void* p, unsigned char expected, unsigned char desired);
unsigned short __fencepost_lkmm_cmpxchg_release_2(volatile void* p, unsigned short expected, unsigned short desired);
unsigned int __fencepost_lkmm_cmpxchg_release_4(volatile void* p, unsigned int expected, unsigned int desired);
unsigned long __fencepost_lkmm_cmpxchg_release_8(volatile void* p, unsigned long expected, unsigned long desired);
#define __fencepost_lkmm_cmpxchg(order, p, o, n)                                                                       \
  ((__typeof__(*(                                                                                                      \
      p)))(sizeof(*(p)) == 8   ? __fencepost_lkmm_cmpxchg_##order##_8((p), (unsigned long)(o), (unsigned long)(n))     \
           : sizeof(*(p)) == 4 ? __fencepost_lkmm_cmpxchg_##order##_4((p), (unsigned int)(unsigned long)(o),           \
                                                                      (unsigned int)(unsigned long)(n))                \
           : sizeof(*(p)) == 2 ? __fencepost_lkmm_cmpxchg_##order##_2((p), (unsigned short)(unsigned long)(o),         \
                                                                      (unsigned short)(unsigned long)(n))              \
                               : __fencepost_lkmm_cmpxchg_##order##_1((p), (unsigned char)(unsigned long)(o),          \
                                                                      (unsigned char)(unsigned long)(n))))
#define xchg(p, v) __atomic_exchange_n((p), (v), __ATOMIC_SEQ_CST)
#define cmpxchg(p, o, n) __fencepost_lkmm_cmpxchg(mb, p, o, n)
#define xchg_relaxed(p, v) __atomic_exchange_n((p), (v), __ATOMIC_RELAXED)
#define cmpxchg_relaxed(p, o, n) __fencepost_lkmm_cmpxchg(relaxed, p, o, n)
#define xchg_acquire(p, v) __atomic_exchange_n((p), (v), __ATOMIC_ACQUIRE)
#define cmpxchg_acquire(p, o, n) __fencepost_lkmm_cmpxchg(acquire, p, o, n)
#define xchg_release(p, v) __atomic_exchange_n((p), (v), __ATOMIC_RELEASE)
#define cmpxchg_release(p, o, n) __fencepost_lkmm_cmpxchg(release, p, o, n)

/* --- atomic_t, atomic64_t, atomic_long_t --- */
typedef struct {
  int counter;
} atomic_t;
typedef struct {
  long counter;
} atomic64_t;
typedef atomic64_t atomic_long_t;
#define ATOMIC_INIT(v) {(v)}
#define ATOMIC64_INIT(v) {(v)}
#define ATOMIC_LONG_INIT(v) {(v)}

void __fencepost_lkmm_add_4(int* p, int v);
void __fencepost_lkmm_sub_4(int* p, int v);
void __fencepost_lkmm_and_4(int* p, int v);
void __fencepost_lkmm_or_4(int* p, int v);
void __fencepost_lkmm_xor_4(int* p, int v);
void __fencepost_lkmm_add_8(long* p, long v);
void __fencepost_lkmm_sub_8(long* p, long v);
void __fencepost_lkmm_and_8(long* p, long v);
void __fencepost_lkmm_or_8(long* p, long v);
void __fencepost_lkmm_xor_8(long* p, long v);

/* Without a result; t is the prefix of the names, s the struct, c the type of the counter. */
#define __FENCEPOST_LKMM_VOID(t, s, c, size)                                                                           \
  static inline c t##_read(const s* a) { return READ_ONCE(a->counter); }                                               \
  static inline c t##_read_acquire(const s* a) { return smp_load_acquire(&a->counter); }                               \
  static inline void t##_set(s* a, c v) { WRITE_ONCE(a->counter, v); }                                                 \
  static inline void t##_set_release(s* a, c v) { smp_store_release(&a->counter, v); }                                 \
  static inline void t##_add(c v, s* a) { __fencepost_lkmm_add_##size(&a->counter, v); }                               \
  static inline void t##_sub(c v, s* a) { __fencepost_lkmm_sub_##size(&a->counter, v); }                               \
  static inline void t##_and(c v, s* a) { __fencepost_lkmm_and_##size(&a->counter, v); }                               \
  static inline void t##_or(c v, s* a) { __fencepost_lkmm_or_##size(&a->counter, v); }                                 \
  static inline void t##_xor(c v, s* a) { __fencepost_lkmm_xor_##size(&a->counter, v); }                               \
  static inline void t##_andnot(c v, s* a) { __fencepost_lkmm_and_##size(&a->counter, ~v); }                           \
  static inline void t##_inc(s* a) { __fencepost_lkmm_add_##size(&a->counter, 1); }                                    \
  static inline void t##_dec(s* a) { __fencepost_lkmm_sub_##size(&a->counter, 1); }

/* With one, in the order that the suffix o of the names says. */
#define __FENCEPOST_LKMM_ORDERED(t, s, c, o, order)                                                                    \
  static inline c t##_fetch_add##o(c v, s* a) { return __atomic_fetch_add(&a->counter, v, order); }                    \
  static inline c t##_fetch_sub##o(c v, s* a) { return __atomic_fetch_sub(&a->counter, v, order); }                    \
  static inline c t##_fetch_and##o(c v, s* a) { return __atomic_fetch_and(&a->counter, v, order); }                    \
  static inline c t##_fetch_or##o(c v, s* a) { return __atomic_fetch_or(&a->counter, v, order); }                      \
  static inline c t##_fetch_xor##o(c v, s* a) { return __atomic_fetch_xor(&a->counter, v, order); }                    \
  static inline c t##_fetch_andnot##o(c v, s* a) { return __atomic_fetch_and(&a->counter, ~v, order); }                \
  static inline c t##_add_return##o(c v, s* a) { return __atomic_fetch_add(&a->counter, v, order) + v; }               \
  static inline c t##_sub_return##o(c v, s* a) { return __atomic_fetch_sub(&a->counter, v, order) - v; }               \
  static inline c t##_fetch_inc##o(s* a) { return __atomic_fetch_add(&a->counter, 1, order); }                         \
  static inline c t##_fetch_dec##o(s* a) { return __atomic_fetch_sub(&a->counter, 1, order); }                         \
  static inline c t##_inc_return##o(s* a) { return __atomic_fetch_add(&a->counter, 1, order) + 1; }                    \
  static inline c t##_dec_return##o(s* a) { return __atomic_fetch_sub(&a->counter, 1, order) - 1; }                    \
  static inline bool t##_add_negative##o(c v, s* a) { return t##_add_return##o(v, a) < 0; }                            \
  static inline c t##_xchg##o(s* a, c v) { return xchg##o(&a->counter, v); }                                           \
  static inline c t##_cmpxchg##o(s* a, c old, c v) { return cmpxchg##o(&a->counter, old, v); }

#define __FENCEPOST_LKMM_TESTS(t, s, c)                                                                                \
  static inline bool t##_sub_and_test(c v, s* a) { return t##_sub_return(v, a) == 0; }                                 \
  static inline bool t##_dec_and_test(s* a) { return t##_dec_return(a) == 0; }                                         \
  static inline bool t##_inc_and_test(s* a) { return t##_inc_return(a) == 0; }                                         \
  static inline bool t##_add_unless(s* a, c v, c u) {                                                                  \
    c seen = t##_read(a);                                                                                              \
    while (seen != u) {                                                                                                \
      c found = t##_cmpxchg(a, seen, seen + v);                                                                        \
      if (found == seen) return true;                                                                                  \
      seen = found;                                                                                                    \
    }                                                                                                                  \
    return false;                                                                                                      \
  }                                                                                                                    \
  static inline bool t##_inc_not_zero(s* a) { return t##_add_unless(a, 1, 0); }

#define __FENCEPOST_LKMM_ATOMIC(t, s, c, size)                                                                         \
  __FENCEPOST_LKMM_VOID(t, s, c, size)                                                                                 \
  __FENCEPOST_LKMM_ORDERED(t, s, c, , __ATOMIC_SEQ_CST)                                                                \
  __FENCEPOST_LKMM_ORDERED(t, s, c, _relaxed, __ATOMIC_RELAXED)                                                        \
  __FENCEPOST_LKMM_ORDERED(t, s, c, _acquire, __ATOMIC_ACQUIRE)                                                        \
  __FENCEPOST_LKMM_ORDERED(t, s, c, _release, __ATOMIC_RELEASE)                                                        \
  __FENCEPOST_LKMM_TESTS(t, s, c)

__FENCEPOST_LKMM_ATOMIC(atomic, atomic_t, int, 4)
__FENCEPOST_LKMM_ATOMIC(atomic64, atomic64_t, long, 8)
__FENCEPOST_LKMM_ATOMIC(atomic_long, atomic_long_t, long, 8)

#ifdef __cplusplus
}
#endif

#endif
