/* The programs of Tables 6 and 7 of the RCMC paper: N threads, and with -DSC every atomic access is sequentially consistent.
   As in the paper, waiting is an assumption, and other loops are unrolled N + 1 times. */
#ifndef FRAME_H
#define FRAME_H
#include "../algorithms/check.h"
#ifndef N
#define N 2
#endif
void __VERIFIER_assume(int);
#define wait_until(condition) __VERIFIER_assume((condition) != 0)
#ifdef SC
#undef rlx
#undef acq
#undef rel
#undef acq_rel
#define rlx sc
#define acq sc
#define rel sc
#define acq_rel sc
#endif
#endif
