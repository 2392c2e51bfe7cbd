#include <ck_ht.h>

#include "../threads.h"

static void *take(size_t size) { return malloc(size); }
static void give(void *old, size_t size, bool defer) { (void)size; if (!defer) free(old); }
static struct ck_malloc allocator = {.malloc = take, .free = give};
static void hash(ck_ht_hash_t *h, const void *key, size_t length, uint64_t seed)
{
	(void)length;
	h->value = *(const uintptr_t *)key ^ seed;
}
static ck_ht_t table;

static void *writer(void *unused)
{
	ck_ht_entry_t entry;
	ck_ht_hash_t h;
	ck_ht_hash_direct(&h, &table, 7);
	ck_ht_entry_set_direct(&entry, h, 7, 42);
	assert(ck_ht_put_spmc(&table, h, &entry));
	return unused;
}

static void *reader(void *unused)
{
	ck_ht_entry_t entry;
	ck_ht_hash_t h;
	ck_ht_hash_direct(&h, &table, 7);
	ck_ht_entry_key_set_direct(&entry, 7);
	if (ck_ht_get_spmc(&table, h, &entry))
		assert(ck_ht_entry_value_direct(&entry) == 42);
	return unused;
}

int main(void)
{
	assert(ck_ht_init(&table, CK_HT_MODE_DIRECT, hash, &allocator, 4, 0));
	RUN(writer, reader);
	return 0;
}
