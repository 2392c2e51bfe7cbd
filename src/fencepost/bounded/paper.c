/* The data structures and Algorithms 6 to 15 of "Context-Bounded Analysis for POWER" (Abdulla, Atig, Bouajjani, Ngo).
   Names are the paper's; numbers in comments are the lines of its algorithms. P, X, R and K are the numbers of
   processes, variables, registers and contexts; contexts count from 1.

   Where this is not what the paper prints:
   - Line 5 of Algorithm 6 gives the initial writes the timestamp <2, 1>, here it is <2, 0>, so line 15 guesses from 0
     on. As printed, the initial write overtakes every write of the first context by line 21 of Algorithm 7, so that
     writes are lost: MP with two contexts would violate its assertion.
   - Line 3 of Algorithm 6 writes 0, here it is what the program gives the variable.
   - iReg(exp) and cReg(exp) are values that a process hands over. So in $r <- [exp] and $r <- exp they are those from
     before the instruction, where the paper's line 2 has overwritten them if exp contains $r.
   - <control> in Figure 10 has no condition on what the expression reads; ComCnd of rule ComACI has. It stands behind
     the branches of an if and the body of a while, here in front of them, since <ctrl puts what they do after it.
   - <control> of an assertion is left out where nothing after it may depend on it (`check`). */
#include <stdlib.h>

typedef unsigned long long D;

#if defined(__GNUC__) && !defined(__CPROVER)
#define UNUSED __attribute__((unused)) /* no program needs all of the algorithms */
#else
#define UNUSED
#endif

#if defined(__CPROVER) || defined(__CPROVER__) || defined(CBMC)
D nondet_D(void);
#define assume(condition) __CPROVER_assume(condition)
#define violation() __CPROVER_assert(0, "violation")
#else
#ifdef REPLAY
D nondet_D(void); /* whoever supplies it decides which run is taken */
#else
static D nondet_D(void) { return (D)rand(); }
#endif
#define assume(condition) do { if (!(condition)) exit(3); } while (0)
#define violation() exit(1)
#endif

static D gen(D low, D high) /* one of low..high */
{
  D guess = nondet_D();
#ifdef REPLAY
  assume(low <= guess && guess <= high);
  return guess;
#else
#if defined(__CPROVER) || defined(__CPROVER__) || defined(CBMC)
  assume(low <= guess && guess <= high);
  return guess;
#else
  return low + guess % (high - low + 1);
#endif
#endif
}

/* --- timestamps: for each process <1, k>, propagated to it in context k, or <2, k>, overtaken there */

typedef struct { int kind, context; } place;
typedef struct { place of[P]; } timestamp;

static place at(int kind, int context)
{
  place t = {kind, context};
  return t;
}

static place gen_place(int earliest)
{
  place t;
  t.kind = (int)gen(1, 2);
  t.context = (int)gen((D)earliest, K);
  return t;
}

static int below(timestamp a, timestamp b) /* a ⊑ b */
{
  int all = 1;
  for (int p = 0; p < P; p++) all &= a.of[p].context <= b.of[p].context;
  return all;
}

static int equal(timestamp a, timestamp b)
{
  int all = 1;
  for (int p = 0; p < P; p++) all &= a.of[p].kind == b.of[p].kind && a.of[p].context == b.of[p].context;
  return all;
}

UNUSED static int below_some(timestamp a, timestamp b[K + 1]) /* ∃k : 1 ≤ k ≤ K : a ⊑ b(k) */
{
  int some = 0;
  for (int k = 1; k <= K; k++) some |= below(a, b[k]);
  return some;
}

UNUSED static timestamp summary(timestamp a, timestamp b) /* a ⊕ b */
{
  for (int p = 0; p < P; p++)
    if (b.of[p].context > a.of[p].context) a.of[p] = b.of[p];
    else if (b.of[p].context == a.of[p].context && b.of[p].kind == 2) a.of[p].kind = 2;
  return a;
}

/* --- timestamps of fences: for each process the context in which they reach it */

typedef struct { int of[P]; } contexts;

static int same(contexts a, contexts b)
{
  int all = 1;
  for (int p = 0; p < P; p++) all &= a.of[p] == b.of[p];
  return all;
}

UNUSED static contexts latest(contexts a, contexts b) /* a ⊕ b */
{
  for (int p = 0; p < P; p++)
    if (b.of[p] > a.of[p]) a.of[p] = b.of[p];
  return a;
}

/* --- <addvars>, Figure 10 */

static D mu[P][X][K + 1], mu_init[P][X][K + 1], nu[P][X], reg[R];
static timestamp alpha[P][X][K + 1], alpha_init[P][X][K + 1];
static int iR[P][X], cR[P][X], iW[P][X], cW[P][X], iReg[R], cReg[R];
static int ctrl[P], active[K + 1], cnt;
static contexts gamma_[P][K + 1], gamma_init[P][K + 1];
static int sync[P], lsync[P], isync[P], ack[P], maxAddrCR[P];

static int pc[P], ended[P], error; /* where each process is, and whether the label was reached */

#define implies(a, b) (!(a) || (b))
static int max2(int a, int b) { return a > b ? a : b; }
static int max3(int a, int b, int c) { return max2(a, max2(b, c)); }
static int max4(int a, int b, int c, int d) { return max2(max2(a, b), max2(c, d)); }

static void activeCnt(int p) { assume(active[cnt] == p); }

static void closeCnt(void)
{
  cnt += (int)gen(0, K - 1);
  assume(cnt <= K);
}

UNUSED static void control(int p, int cReg_exp)
{
  ctrl[p] += (int)gen(0, K - 1);
  assume(ctrl[p] <= K);
  assume(ctrl[p] >= cReg_exp); /* not printed in Figure 10: an aci event commits after what its condition reads */
}

/* --- Algorithm 6: <initProc> */
static void initProc(void)
{
  for (int p = 0; p < P; p++)
    for (int x = 0; x < X; x++) {                                                    /*  1 */
      iR[p][x] = 1; cR[p][x] = 1; iW[p][x] = 1; cW[p][x] = 1;                        /*  2 */
      nu[p][x] = first[x]; mu[p][x][1] = first[x];                                   /*  3 */
      for (int q = 0; q < P; q++)                                                    /*  4 */
        alpha[p][x][1].of[q] = at(2, 0);                                             /*  5 */
    }
  for (int p = 0; p < P; p++) {                                                      /*  6 */
    sync[p] = 1; lsync[p] = 1; isync[p] = 1;                                         /*  7 */
    ctrl[p] = 1; ack[p] = 1; maxAddrCR[p] = 1;                                       /*  8 */
    for (int q = 0; q < P; q++)                                                      /*  9 */
      gamma_[p][1].of[q] = 1;                                                        /* 10 */
  }
  for (int r = 0; r < R; r++) {                                                      /* 11 */
    iReg[r] = 1; cReg[r] = 1;                                                        /* 12 */
  }
  for (int p = 0; p < P; p++)
    for (int x = 0; x < X; x++)
      for (int k = 2; k <= K; k++) {                                                 /* 13 */
        for (int q = 0; q < P; q++)                                                  /* 14 */
          alpha_init[p][x][k].of[q] = gen_place(0);                                  /* 15 */
        alpha[p][x][k] = alpha_init[p][x][k];                                        /* 16 */
        mu_init[p][x][k] = nondet_D();                                               /* 17 */
        mu[p][x][k] = mu_init[p][x][k];                                              /* 18 */
      }
  for (int p = 0; p < P; p++)
    for (int k = 2; k <= K; k++) {                                                   /* 19 */
      for (int q = 0; q < P; q++)                                                    /* 20 */
        gamma_init[p][k].of[q] = (int)gen(1, K);                                     /* 21 */
      gamma_[p][k] = gamma_init[p][k];                                               /* 22 */
    }
  for (int k = 1; k <= K; k++)                                                       /* 23 */
    active[k] = (int)gen(0, P - 1);                                                  /* 24 */
  cnt = 1;                                                                           /* 25 */
}

/* --- Algorithm 7: x <- exp */
UNUSED static void write(int p, int x, D exp, int iReg_exp, int cReg_exp)
{
  int old_cW;
  timestamp beta;
  /* Guess */
  iW[p][x] = (int)gen(1, K);                                                         /*  1 */
  old_cW = cW[p][x];                                                                 /*  2 */
  cW[p][x] = (int)gen(1, K);                                                         /*  3 */
  for (int q = 0; q < P; q++)                                                        /*  4 */
    beta.of[q] = gen_place(1);                                                       /*  5 */
  /* Check */
  assume(iW[p][x] >= cnt);                                                           /*  6 */
  assume(active[iW[p][x]] == p);                                                     /*  7 */
  assume(iW[p][x] >= iReg_exp);                                                      /*  8 */
  assume(iW[p][x] >= max3(ack[p], lsync[p], isync[p]));                              /*  9 */
  assume(cW[p][x] >= iW[p][x]);                                                      /* 10 */
  assume(cW[p][x] >= max4(cReg_exp, ctrl[p], cR[p][x], old_cW));                     /* 11 */
  for (int q = 0; q < P; q++) {                                                      /* 12 */
    if (q == p)                                                                      /* 13 */
      assume(beta.of[q].kind == 1 && beta.of[q].context == cW[p][x]);                /* 14 */
    if (q != p) {                                                                    /* 15 */
      assume(implies(beta.of[q].kind == 1, beta.of[q].context >= cW[p][x]));         /* 16 */
      assume(implies(beta.of[q].kind == 1, beta.of[q].context >= gamma_[p][beta.of[p].context].of[q])); /* 17 */
    }
    if (beta.of[q].kind == 1) {                                                      /* 18 */
      assume(below(alpha[q][x][beta.of[q].context], beta));                          /* 19 */
      assume(active[beta.of[q].context] == p);                                       /* 20 */
    } else assume(below_some(beta, alpha[q][x]));                                    /* 21 */
  }
  /* Update */
  for (int q = 0; q < P; q++)                                                        /* 22 */
    if (beta.of[q].kind == 1) {                                                      /* 23 */
      alpha[q][x][beta.of[q].context] = summary(alpha[q][x][beta.of[q].context], beta); /* 24 */
      mu[q][x][beta.of[q].context] = exp;                                            /* 25 */
    }
  nu[p][x] = exp;                                                                    /* 26 */
}

/* --- Algorithm 8: [exp'] <- exp. x is the variable at [exp'], iReg_exps is iReg(exp + exp'), cReg_exps is
   cReg(exp + exp') and cReg_address is cReg(exp'). */
UNUSED static void write_at(int p, int x, D exp, int iReg_exps, int cReg_exps, int cReg_address)
{
  int old_cW;
  timestamp beta;
  /* Guess */
  iW[p][x] = (int)gen(1, K);                                                         /*  1 */
  old_cW = cW[p][x];                                                                 /*  2 */
  cW[p][x] = (int)gen(1, K);                                                         /*  3 */
  for (int q = 0; q < P; q++)                                                        /*  4 */
    beta.of[q] = gen_place(1);                                                       /*  5 */
  /* Check */
  assume(iW[p][x] >= cnt);                                                           /*  6 */
  assume(active[iW[p][x]] == p);                                                     /*  7 */
  assume(iW[p][x] >= iReg_exps);                                                     /*  8 */
  assume(iW[p][x] >= max3(ack[p], lsync[p], isync[p]));                              /*  9 */
  assume(cW[p][x] >= iW[p][x]);                                                      /* 10 */
  assume(cW[p][x] >= max4(cReg_exps, ctrl[p], cR[p][x], old_cW));                    /* 11 */
  for (int q = 0; q < P; q++) {                                                      /* 12 */
    if (q == p)                                                                      /* 13 */
      assume(beta.of[q].kind == 1 && beta.of[q].context == cW[p][x]);                /* 14 */
    if (q != p) {                                                                    /* 15 */
      assume(implies(beta.of[q].kind == 1, beta.of[q].context >= cW[p][x]));         /* 16 */
      assume(implies(beta.of[q].kind == 1, beta.of[q].context >= gamma_[p][beta.of[p].context].of[q])); /* 17 */
    }
    if (beta.of[q].kind == 1) {                                                      /* 18 */
      assume(below(alpha[q][x][beta.of[q].context], beta));                          /* 19 */
      assume(active[beta.of[q].context] == p);                                       /* 20 */
    } else assume(below_some(beta, alpha[q][x]));                                    /* 21 */
  }
  /* Update */
  for (int q = 0; q < P; q++)                                                        /* 22 */
    if (beta.of[q].kind == 1) {                                                      /* 23 */
      alpha[q][x][beta.of[q].context] = summary(alpha[q][x][beta.of[q].context], beta); /* 24 */
      mu[q][x][beta.of[q].context] = exp;                                            /* 25 */
    }
  nu[p][x] = exp;                                                                    /* 26 */
  if (maxAddrCR[p] < cReg_address)                                                   /* 27 */
    maxAddrCR[p] = cReg_address;                                                     /* 28 */
}

/* --- Algorithm 9: $r <- x */
UNUSED static void read(int p, int r, int x)
{
  int old_iR, old_cR;
  /* Guess */
  old_iR = iR[p][x];                                                                 /*  1 */
  iR[p][x] = (int)gen(1, K); iReg[r] = iR[p][x];                                     /*  2 */
  old_cR = cR[p][x];                                                                 /*  3 */
  cR[p][x] = (int)gen(1, K); cReg[r] = cR[p][x];                                     /*  4 */
  /* Check */
  assume(iR[p][x] >= cnt);                                                           /*  5 */
  assume(active[iR[p][x]] == p);                                                     /*  6 */
  assume(iR[p][x] >= iW[p][x]);                                                      /*  7 */
                                                                                     /*  8, an intended blank line */
  assume(iR[p][x] >= max3(ack[p], lsync[p], isync[p]));                              /*  9 */
  assume(implies(iR[p][x] >= cW[p][x], below(alpha[p][x][old_iR], alpha[p][x][iR[p][x]]))); /* 10 */
  assume(cR[p][x] >= iR[p][x]);                                                      /* 11 */
  assume(active[cR[p][x]] == p);                                                     /* 12 */
  assume(cR[p][x] >= max3(ctrl[p], old_cR, cW[p][x]));                               /* 13 */
  /* Update */
  if (iR[p][x] < cW[p][x]) reg[r] = nu[p][x];                                        /* 14 */
  else reg[r] = mu[p][x][iR[p][x]];                                                  /* 15 */
}

/* --- Algorithm 10: $r <- [exp]. x is the variable at [exp]. */
UNUSED static void read_at(int p, int r, int x, int iReg_exp, int cReg_exp)
{
  int old_iR, old_cR;
  /* Guess */
  old_iR = iR[p][x];                                                                 /*  1 */
  iR[p][x] = (int)gen(1, K); iReg[r] = iR[p][x];                                     /*  2 */
  old_cR = cR[p][x];                                                                 /*  3 */
  cR[p][x] = (int)gen(1, K); cReg[r] = cR[p][x];                                     /*  4 */
  /* Check */
  assume(iR[p][x] >= cnt);                                                           /*  5 */
  assume(active[iR[p][x]] == p);                                                     /*  6 */
  assume(iR[p][x] >= iW[p][x]);                                                      /*  7 */
  assume(iR[p][x] >= iReg_exp);                                                      /*  8 */
  assume(iR[p][x] >= max3(ack[p], lsync[p], isync[p]));                              /*  9 */
  assume(implies(iR[p][x] >= cW[p][x], below(alpha[p][x][old_iR], alpha[p][x][iR[p][x]]))); /* 10 */
  assume(cR[p][x] >= iR[p][x]);                                                      /* 11 */
  assume(active[cR[p][x]] == p);                                                     /* 12 */
  assume(cR[p][x] >= max4(cReg_exp, ctrl[p], old_cR, cW[p][x]));                     /* 13 */
  /* Update */
  if (iR[p][x] < cW[p][x]) reg[r] = nu[p][x];                                        /* 14 */
  else reg[r] = mu[p][x][iR[p][x]];                                                  /* 15 */
  if (maxAddrCR[p] < cReg_exp)                                                       /* 16 */
    maxAddrCR[p] = cReg_exp;                                                         /* 17 */
}

/* --- Algorithm 11: $r <- exp */
UNUSED static void assign(int p, int r, D exp, int iReg_exp, int cReg_exp)
{
  /* Guess */
  iReg[r] = (int)gen(1, K);                                                          /*  1 */
  cReg[r] = (int)gen(1, K);                                                          /*  2 */
  /* Check */
  assume(iReg[r] >= cnt);                                                            /*  3 */
  assume(active[iReg[r]] == p);                                                      /*  4 */
  assume(iReg[r] >= iReg_exp);                                                       /*  5 */
  assume(iReg[r] >= max3(ack[p], lsync[p], isync[p]));                               /*  6 */
  assume(cReg[r] >= iReg[r]);                                                        /*  7 */
  assume(active[cReg[r]] == p);                                                      /*  8 */
  assume(cReg[r] >= max2(cReg_exp, ctrl[p]));                                        /*  9 */
  /* Update */
  reg[r] = exp;                                                                      /* 10 */
}

/* --- Algorithm 12: sync */
UNUSED static void sync_(int p)
{
  contexts delta;
  /* Guess */
  sync[p] = (int)gen(1, K);                                                          /*  1 */
  for (int q = 0; q < P; q++)                                                        /*  2 */
    delta.of[q] = (int)gen(1, K);                                                    /*  3 */
  /* Check */
  assume(sync[p] >= cnt);                                                            /*  4 */
  assume(active[sync[p]] == p);                                                      /*  5 */
  assume(sync[p] >= ctrl[p]);                                                        /*  6 */
  assume(sync[p] >= max3(ack[p], lsync[p], isync[p]));                               /*  7 */
  for (int x = 0; x < X; x++) assume(sync[p] >= max2(cR[p][x], cW[p][x]));           /*  8 */
  for (int q = 0; q < P; q++) {                                                      /*  9 */
    if (q == p) assume(delta.of[q] == sync[p]);                                      /* 10 */
    if (q != p) {                                                                    /* 11 */
      assume(delta.of[q] >= sync[p]);                                                /* 12 */
      for (int x = 0; x < X; x++)                                                    /* 13 */
        assume(below(alpha[p][x][delta.of[p]], alpha[q][x][delta.of[q]]));           /* 14 */
    }
    assume(active[delta.of[q]] == p);                                                /* 15 */
  }
  /* Update */
  for (int q = 0; q < P; q++)                                                        /* 16 */
    gamma_[q][delta.of[q]] = latest(gamma_[q][delta.of[q]], delta);                  /* 17 */
  for (int q = 0; q < P; q++)                                                        /* 18 */
    if (ack[p] < delta.of[q]) ack[p] = delta.of[q];                                  /* 19 */
}

/* --- Algorithm 13: lwsync */
UNUSED static void lwsync_(int p)
{
  int old_lsync;
  contexts delta;
  /* Guess */
  old_lsync = lsync[p];                                                              /*  1 */
  lsync[p] = (int)gen(1, K);                                                         /*  2 */
  for (int q = 0; q < P; q++)                                                        /*  3 */
    delta.of[q] = (int)gen(1, K);                                                    /*  4 */
  /* Check */
  assume(lsync[p] >= cnt);                                                           /*  5 */
  assume(active[lsync[p]] == p);                                                     /*  6 */
  assume(lsync[p] >= ctrl[p]);                                                       /*  7 */
  assume(lsync[p] >= max3(ack[p], old_lsync, isync[p]));                             /*  8 */
  for (int x = 0; x < X; x++) assume(lsync[p] >= max2(cR[p][x], cW[p][x]));          /*  9 */
  for (int q = 0; q < P; q++) {                                                      /* 10 */
    if (q == p) assume(delta.of[q] == lsync[p]);                                     /* 11 */
    if (q != p) {                                                                    /* 12 */
      assume(delta.of[q] >= lsync[p]);                                               /* 13 */
      for (int x = 0; x < X; x++)                                                    /* 14 */
        assume(below(alpha[p][x][delta.of[p]], alpha[q][x][delta.of[q]]));           /* 15 */
    }
    assume(active[delta.of[q]] == p);                                                /* 16 */
  }
  /* Update */
  for (int q = 0; q < P; q++)                                                        /* 17 */
    gamma_[q][delta.of[q]] = latest(gamma_[q][delta.of[q]], delta);                  /* 18 */
}

/* --- Algorithm 14: isync */
UNUSED static void isync_(int p)
{
  int old_isync;
  /* Guess */
  old_isync = isync[p];                                                              /*  1 */
  isync[p] = (int)gen(1, K);                                                         /*  2 */
  /* Check */
  assume(isync[p] >= cnt);                                                           /*  3 */
  assume(active[isync[p]] == p);                                                     /*  4 */
  assume(isync[p] >= ctrl[p]);                                                       /*  5 */
  assume(isync[p] >= max3(ack[p], lsync[p], old_isync));                             /*  6 */
  assume(isync[p] >= maxAddrCR[p]);                                                  /*  7 */
}

/* --- Algorithm 15: <verProc> */
static void verProc(void)
{
  for (int p = 0; p < P; p++)
    for (int x = 0; x < X; x++)
      for (int k = 1; k <= K - 1; k++) {                                             /*  1 */
        assume(equal(alpha[p][x][k], alpha_init[p][x][k + 1]));                      /*  2 */
        assume(mu[p][x][k] == mu_init[p][x][k + 1]);                                 /*  3 */
      }
  for (int p = 0; p < P; p++)
    for (int k = 1; k <= K - 1; k++)                                                 /*  4 */
      assume(same(gamma_[p][k], gamma_init[p][k + 1]));                              /*  5 */
  if (error) violation();                                                            /*  6 */
}
