#include <ck_brlock.h>

#include "../threads.h"

static ck_brlock_t lock = CK_BRLOCK_INITIALIZER;
static int first, second;

static void *writer(void *unused)
{
	ck_brlock_write_lock(&lock);
	first++;
	second++;
	ck_brlock_write_unlock(&lock);
	return unused;
}

static void *reader(void *unused)
{
	ck_brlock_reader_t self = CK_BRLOCK_READER_INITIALIZER;
	ck_brlock_read_register(&lock, &self);
	ck_brlock_read_lock(&lock, &self);
	assert(first == second);
	ck_brlock_read_unlock(&self);
	ck_brlock_read_unregister(&lock, &self);
	return unused;
}

int main(void)
{
	ck_brlock_init(&lock);
	RUN(writer, reader, writer);
	return 0;
}
