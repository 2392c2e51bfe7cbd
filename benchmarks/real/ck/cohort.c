#include <ck_cohort.h>
#include <ck_spinlock.h>

#include "../threads.h"

static void fas_lock(ck_spinlock_fas_t *l, void *unused) { (void)unused; ck_spinlock_fas_lock(l); }
static void fas_unlock(ck_spinlock_fas_t *l, void *unused) { (void)unused; ck_spinlock_fas_unlock(l); }
static bool fas_locked(ck_spinlock_fas_t *l, void *unused) { (void)unused; return ck_spinlock_fas_locked(l); }
CK_COHORT_PROTOTYPE(fas, fas_lock, fas_unlock, fas_locked, fas_lock, fas_unlock, fas_locked)

static ck_spinlock_fas_t all = CK_SPINLOCK_FAS_INITIALIZER, local[2];
static CK_COHORT_INSTANCE(fas) cohorts[2];
static int counter;

static void *worker(void *number)
{
	CK_COHORT_INSTANCE(fas) *cohort = &cohorts[(uintptr_t)number / 2];
	CK_COHORT_LOCK(fas, cohort, NULL, NULL);
	counter++;
	CK_COHORT_UNLOCK(fas, cohort, NULL, NULL);
	return NULL;
}

int main(void)
{
	for (int i = 0; i < 2; i++)
		CK_COHORT_INIT(fas, &cohorts[i], &all, &local[i], 1);
	RUN(worker, worker, worker);
	assert(counter == 3);
	return 0;
}
