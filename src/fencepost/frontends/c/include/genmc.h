/* For programs written for GenMC: what they can say to the checker. */
#ifndef FENCEPOST_GENMC_H
#define FENCEPOST_GENMC_H

#include <fencepost.h>

#ifdef __cplusplus
extern "C" {
#endif

void __VERIFIER_assert(int condition);
void __VERIFIER_error(void);
int __VERIFIER_nondet_int(void);
void __VERIFIER_loop_begin(void);
void __VERIFIER_loop_bound(int rounds);
void __VERIFIER_spin_start(void);
void __VERIFIER_spin_end(int condition);

/* Threads. */
typedef unsigned long __VERIFIER_thread_t;
__VERIFIER_thread_t __VERIFIER_spawn(void *(*function)(void *), void *argument);
void *__VERIFIER_join(__VERIFIER_thread_t thread);
int __VERIFIER_tid(void);

/* Hazard pointers. What is retired is freed when nobody protects it, which is looked at then and there. */
typedef struct { void *pointer; } __VERIFIER_hp_t;
__VERIFIER_hp_t *__VERIFIER_hp_alloc(void);
void *__VERIFIER_hp_protect(__VERIFIER_hp_t *hp, void *pointer);
void __VERIFIER_hp_clear(__VERIFIER_hp_t *hp);
void __VERIFIER_hp_free(__VERIFIER_hp_t *hp);
void __VERIFIER_hp_retire(void *pointer);

#ifdef __cplusplus
}
#endif

/* Hints about what may be left out. Nothing is: what they stand around is done as it is written. */
#define __VERIFIER_optional(...) do { __VA_ARGS__; } while (0)
#define __VERIFIER_local_write(...) __VA_ARGS__
#define __VERIFIER_final_write(...) __VA_ARGS__
#define __VERIFIER_final_CAS(...) __VA_ARGS__
#define __VERIFIER_helped_CAS(...) __VA_ARGS__
#define __VERIFIER_helping_CAS(...) __VA_ARGS__
#define __VERIFIER_confirming_CAS(...) __VA_ARGS__
#define __VERIFIER_speculative_read(...) __VA_ARGS__
#define __VERIFIER_confirming_read(...) __VA_ARGS__

#endif
