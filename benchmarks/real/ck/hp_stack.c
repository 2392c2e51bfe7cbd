#include <ck_hp.h>
#include <ck_hp_stack.h>

#include "../threads.h"

static ck_hp_t hazards;
static ck_hp_record_t records[2];
static void *slots[2][CK_HP_STACK_SLOTS_COUNT];
static ck_stack_t stack = CK_STACK_INITIALIZER;

struct node {
	ck_stack_entry_t link;
	ck_hp_hazard_t hazard;
	int value;
};

static void *popper(void *number)
{
	uintptr_t me = (uintptr_t)number;
	struct node *found = (struct node *)ck_hp_stack_pop_mpmc(&records[me], &stack);
	if (found != NULL) {
		assert(found->value == 42);
		ck_hp_free(&records[me], &found->hazard, found, found);
	}
	ck_hp_clear(&records[me]);
	return NULL;
}

int main(void)
{
	ck_hp_init(&hazards, CK_HP_STACK_SLOTS_COUNT, 0, free);
	for (int i = 0; i < 2; i++) {
		ck_hp_register(&hazards, &records[i], slots[i]);
		struct node *fresh = malloc(sizeof *fresh);
		fresh->value = 42;
		ck_hp_stack_push_mpmc(&stack, &fresh->link);
	}
	RUN(popper, popper);
	return 0;
}
