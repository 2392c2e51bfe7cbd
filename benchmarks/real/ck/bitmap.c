#include <ck_bitmap.h>

#include "../threads.h"

static CK_BITMAP_INSTANCE(8) bits;
static int data;

static void *first(void *unused)
{
	data = 42;
	CK_BITMAP_SET(&bits, 1);
	return unused;
}

static void *second(void *unused)
{
	CK_BITMAP_SET(&bits, 2);
	CK_BITMAP_RESET(&bits, 2);
	return unused;
}

int main(void)
{
	CK_BITMAP_INIT(&bits, 8, false);
	RUN(first, second);
	assert(CK_BITMAP_TEST(&bits, 1) && !CK_BITMAP_TEST(&bits, 2));
	return 0;
}
