/* Fencepost: what a program under test can say to the checker.
 *
 * The header is found without an -I option. With another compiler than fencepost's the functions are only declared:
 * define them yourself if you want to run the program.
 */
#ifndef FENCEPOST_H
#define FENCEPOST_H

#ifdef __cplusplus
extern "C" {
#define FENCEPOST_BOOL bool
#else
#include <stdbool.h>
#define FENCEPOST_BOOL bool
#endif

/* Executions in which the condition is false are not looked at any further. */
void fencepost_assume(FENCEPOST_BOOL condition);

/* Like assert(), also where NDEBUG is set. */
void fencepost_assert(FENCEPOST_BOOL condition);

/* Reaching it is an error. */
void fencepost_error(void);

/* Any value in low..high, both included: every one is explored. */
int fencepost_choose(int low, int high);

/* Between the two no other thread is between its own two; accesses elsewhere can still come in the middle. */
void fencepost_atomic_begin(void);
void fencepost_atomic_end(void);

/* The next loop of this function may go round so many times; more is UNKNOWN. The number must be a constant. */
void fencepost_loop_bound(int rounds);

/* The names that other verifiers use. */
void __VERIFIER_assume(int condition);
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
#ifdef __cplusplus
}
#define FENCEPOST_WITHOUT_MEMBARRIER extern "C" __attribute__((weak)) const char fencepost_without_membarrier = 1
#else
#define FENCEPOST_WITHOUT_MEMBARRIER __attribute__((weak)) const char fencepost_without_membarrier = 1
#endif

/* Outside of functions: `FENCEPOST_WITHOUT_MEMBARRIER;` says that the program runs on a kernel without membarrier. */

/* Waits until the condition is false; the reads that failed are no events. */
#define fencepost_await_while(condition) while (condition) { }

#endif
