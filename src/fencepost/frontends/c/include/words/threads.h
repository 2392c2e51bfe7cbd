/* <threads.h>, and beside it a thrd_join that wants no result and thread functions that return none, as some programs
   for checkers have them. */
#include_next <threads.h>
#ifndef FENCEPOST_THREADS_H
#define FENCEPOST_THREADS_H

#ifdef __cplusplus
static inline int thrd_join(thrd_t thread) { return thrd_join(thread, (int *)0); }
static inline int thrd_create(thrd_t *thread, void (*function)(void *), void *argument) {
  return thrd_create(thread, (thrd_start_t)function, argument);
}
#else
#define FENCEPOST_FIRST_TWO(first, second, ...) first, second
#define thrd_join(...) (thrd_join)(FENCEPOST_FIRST_TWO(__VA_ARGS__, (int *)0, 0))
#endif

#endif
