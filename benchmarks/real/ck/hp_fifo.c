#include <ck_hp.h>
#include <ck_hp_fifo.h>

#include "../threads.h"

static ck_hp_t hazards;
static ck_hp_record_t records[2];
static void *slots[2][CK_HP_FIFO_SLOTS_COUNT];
static ck_hp_fifo_t fifo;
static int value;

static void *producer(void *unused)
{
	ck_hp_fifo_entry_t *entry = malloc(sizeof *entry);
	value = 42;
	ck_hp_fifo_enqueue_mpmc(&records[0], &fifo, entry, &value);
	return unused;
}

static void *consumer(void *unused)
{
	int *found;
	ck_hp_fifo_entry_t *entry = ck_hp_fifo_dequeue_mpmc(&records[1], &fifo, &found);
	if (entry != NULL) {
		assert(*found == 42);
		ck_hp_free(&records[1], &entry->hazard, entry, entry);
	}
	return unused;
}

int main(void)
{
	ck_hp_init(&hazards, CK_HP_FIFO_SLOTS_COUNT, 0, free);
	for (int i = 0; i < 2; i++)
		ck_hp_register(&hazards, &records[i], slots[i]);
	ck_hp_fifo_init(&fifo, malloc(sizeof(ck_hp_fifo_entry_t)));
	RUN(producer, consumer);
	return 0;
}
