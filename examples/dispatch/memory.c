/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "operations.h"

void op_load(struct machine *m) {
	*peek(m, 0) = m->memory[*peek(m, 0) % MEMORY_WORDS];
}

/* value address → */
void op_store(struct machine *m) {
	uint32_t address = pop(m) % MEMORY_WORDS;
	m->memory[address] = pop(m);
}

/* value address → the word that value replaces */
void op_exchange(struct machine *m) {
	uint32_t address = pop(m) % MEMORY_WORDS, old = m->memory[address];
	m->memory[address] = *peek(m, 0);
	*peek(m, 0) = old;
}

/* start step → ; memory becomes start, start+step, … */
void op_fill(struct machine *m) {
	uint32_t step = pop(m), value = pop(m);
	for (uint32_t i = 0; i < MEMORY_WORDS; i++, value += step)
		m->memory[i] = value;
}

/* Copies the lower half of memory over the upper one. */
void op_copy(struct machine *m) {
	for (uint32_t i = 0; i < MEMORY_WORDS / 2; i++)
		m->memory[MEMORY_WORDS / 2 + i] = m->memory[i];
}

void op_reverse(struct machine *m) {
	for (uint32_t low = 0, high = MEMORY_WORDS - 1; low < high; low++, high--) {
		uint32_t word = m->memory[low];
		m->memory[low] = m->memory[high];
		m->memory[high] = word;
	}
}

/* Replaces each word by the sum of all words up to it. */
void op_prefix(struct machine *m) {
	for (uint32_t i = 1; i < MEMORY_WORDS; i++)
		m->memory[i] += m->memory[i - 1];
}

void op_total(struct machine *m) {
	uint32_t total = 0;
	for (uint32_t i = 0; i < MEMORY_WORDS; i++)
		total += m->memory[i];
	push(m, total);
}
