/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/predictors/loop.h"

#include <stddef.h>

#include "model/predictors/run.h"

#define LONGEST 0x3fff

static uint16_t tag_of(uint64_t pc) {
	return (uint16_t)((pc >> 4 ^ pc >> 10) & 0x3fff);
}

/* The table uses the lower 20 bits of an address, as TAGE does. */
static struct ifr_loop_entry *set_of(struct ifr_loop *loop, uint64_t pc) {
	return loop->entries[pc & 15];
}

bool ifr_loop_predict(struct ifr_loop *loop, uint64_t pc) {
	pc &= 0xfffff;
	loop->entry = NULL;
	for (size_t i = 0; i < 4; i++)
		if (set_of(loop, pc)[i].age && set_of(loop, pc)[i].tag == tag_of(pc))
			loop->entry = &set_of(loop, pc)[i];
	const struct ifr_loop_entry *entry = loop->entry;
	loop->sure = entry && entry->length && entry->confidence == 3;
	loop->taken = entry && (entry->current + 1 == entry->length ? !entry->direction : entry->direction);
	return loop->sure;
}

static void allocate_entry(struct ifr_loop *loop, uint64_t pc, bool taken) {
	struct ifr_loop_entry *set = set_of(loop, pc);
	for (size_t i = 0; i < 4; i++)
		if (!set[i].age) {
			/* A mispredicted branch is most likely at the end of its loop: the entry's direction is the other one.
			 */
			set[i] = (struct ifr_loop_entry){.tag = tag_of(pc), .age = 255, .direction = !taken};
			return;
		}
	for (size_t i = 0; i < 4; i++)
		set[i].age--;
}

static void end_run(struct ifr_loop_entry *entry) {
	const uint16_t length = entry->current;
	if (length == entry->length) {
		entry->confidence += entry->confidence < 3;
	} else if (!entry->length && length > 1) {
		entry->length = length;
	} else {
		entry->age = 0;
	}
	entry->current = 0;
}

static void train_entry(struct ifr_loop *loop, bool taken, bool tage_taken) {
	struct ifr_loop_entry *entry = loop->entry;
	if (loop->sure && loop->taken != taken) {
		entry->age = 0;
		return;
	}
	if (loop->sure && taken != tage_taken)
		entry->age += entry->age < 255;
	entry->current++;
	if (taken != entry->direction)
		end_run(entry);
	else if (entry->current >= LONGEST || (entry->length && entry->current >= entry->length))
		entry->age = 0; /* past its length, or past the longest count */
}

void ifr_loop_train(struct ifr_loop *loop, uint64_t pc, bool taken, bool tage_taken, bool final) {
	if (loop->sure && loop->taken != tage_taken)
		loop->trust = ifr_counter_signed(loop->trust, loop->taken == taken, -64, 63);
	if (loop->entry)
		train_entry(loop, taken, tage_taken);
	else if (final != taken)
		allocate_entry(loop, pc & 0xfffff, taken);
}
