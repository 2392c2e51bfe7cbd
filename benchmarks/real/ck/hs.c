#include <ck_hs.h>

#include "../threads.h"

static void *take(size_t size) { return malloc(size); }
static void give(void *old, size_t size, bool defer) { (void)size; if (!defer) free(old); }
static struct ck_malloc allocator = {.malloc = take, .free = give};
static unsigned long hash(const void *key, unsigned long seed) { return (unsigned long)*(const int *)key ^ seed; }
static bool same(const void *a, const void *b) { return *(const int *)a == *(const int *)b; }
static ck_hs_t set;
static int key = 7;

static void *writer(void *unused)
{
	assert(ck_hs_put(&set, CK_HS_HASH(&set, hash, &key), &key));
	return unused;
}

static void *reader(void *unused)
{
	int wanted = 7;
	void *found = ck_hs_get(&set, CK_HS_HASH(&set, hash, &wanted), &wanted);
	assert(found == NULL || found == &key);
	return unused;
}

int main(void)
{
	assert(ck_hs_init(&set, CK_HS_MODE_SPMC | CK_HS_MODE_OBJECT, hash, same, &allocator, 4, 0));
	RUN(writer, reader);
	return 0;
}
