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

#ifdef __cplusplus
}
#endif

#endif
