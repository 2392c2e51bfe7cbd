#include <ck_epoch.h>

#include "../threads.h"

static ck_epoch_t epoch;
static ck_epoch_record_t records[2];
static int *shared;

static void *reader(void *number)
{
	(void)number;
	ck_epoch_begin(&records[0], NULL);
	int *found = ck_pr_load_ptr(&shared);
	ck_pr_fence_load();
	if (found != NULL)
		assert(*found == 42);
	ck_epoch_end(&records[0], NULL);
	return NULL;
}

static void *writer(void *number)
{
	(void)number;
	int *old = ck_pr_load_ptr(&shared);
	ck_pr_store_ptr(&shared, NULL);
	ck_epoch_synchronize(&records[1]);
	free(old);
	return NULL;
}

int main(void)
{
	ck_epoch_init(&epoch);
	for (int i = 0; i < 2; i++)
		ck_epoch_register(&epoch, &records[i], NULL);
	shared = malloc(sizeof *shared);
	*shared = 42;
	RUN(reader, writer);
	return 0;
}
