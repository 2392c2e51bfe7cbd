#include <ck_sequence.h>

#include "../threads.h"

static ck_sequence_t sequence = CK_SEQUENCE_INITIALIZER;
static int first, second;

static void *writer(void *unused)
{
	ck_sequence_write_begin(&sequence);
	ck_pr_store_int(&first, 1);
	ck_pr_store_int(&second, 1);
	ck_sequence_write_end(&sequence);
	return unused;
}

static void *reader(void *unused)
{
	unsigned int version;
	int a, b;
	do {
		version = ck_sequence_read_begin(&sequence);
		a = ck_pr_load_int(&first);
		b = ck_pr_load_int(&second);
	} while (ck_sequence_read_retry(&sequence, version));
	assert(a == b);
	return unused;
}

int main(void)
{
	RUN(writer, reader, reader);
	return 0;
}
