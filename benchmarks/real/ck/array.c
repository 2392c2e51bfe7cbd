#include <ck_array.h>

#include "../threads.h"

static void *grow(void *old, size_t from, size_t to, bool defer) { (void)from; (void)defer; return realloc(old, to); }
static void give(void *old, size_t size, bool defer) { (void)size; if (!defer) free(old); }
static struct ck_malloc allocator = {malloc, grow, give};
static ck_array_t array;
static int values[2];

static void *writer(void *unused)
{
	values[0] = values[1] = 42;
	ck_array_put(&array, &values[0]);
	ck_array_put(&array, &values[1]);
	ck_array_commit(&array);
	return unused;
}

static void *reader(void *unused)
{
	ck_array_iterator_t iterator;
	void *found;
	CK_ARRAY_FOREACH(&array, &iterator, &found)
		assert(*(int *)found == 42);
	return unused;
}

int main(void)
{
	ck_array_init(&array, CK_ARRAY_MODE_SPMC, &allocator, 4);
	RUN(writer, reader);
	return 0;
}
