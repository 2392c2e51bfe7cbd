#include <ck_tflock.h>

#include "../threads.h"

static ck_tflock_ticket_t lock = CK_TFLOCK_TICKET_INITIALIZER;
static int first, second;

static void *writer(void *unused)
{
	ck_tflock_ticket_write_lock(&lock);
	first++;
	second++;
	ck_tflock_ticket_write_unlock(&lock);
	return unused;
}

static void *reader(void *unused)
{
	ck_tflock_ticket_read_lock(&lock);
	assert(first == second);
	ck_tflock_ticket_read_unlock(&lock);
	return unused;
}

int main(void)
{
	
	RUN(writer, reader, writer);
	return 0;
}
