#include <ck_stack.h>

#include "../threads.h"

static ck_stack_t stack = CK_STACK_INITIALIZER;
static struct entry {
	ck_stack_entry_t link;
	int value;
	int taken;
} entries[2];

static void *pusher(void *number)
{
	struct entry *mine = &entries[(uintptr_t)number];
	mine->value = 42;
	ck_stack_push_upmc(&stack, &mine->link);
	return NULL;
}

static void *popper(void *number)
{
	(void)number;
	struct entry *found = (struct entry *)ck_stack_pop_upmc(&stack);
	if (found != NULL) {
		assert(found->value == 42);
		assert(found->taken++ == 0);
	}
	return NULL;
}

int main(void)
{
	RUN(pusher, pusher, popper, popper);
	return 0;
}
