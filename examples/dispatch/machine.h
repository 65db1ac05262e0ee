/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The state of the interpreter: a stack machine on 32-bit words. Indices of the stack and of memory wrap around;
 * arithmetic is modulo 2^32. The byte code is trusted. */
#ifndef IFR_EXAMPLES_MACHINE_H
#define IFR_EXAMPLES_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

enum { STACK_WORDS = 32, MEMORY_WORDS = 32, CALL_DEPTH = 8, TEXT_BYTES = 32 };

struct machine {
	const uint8_t *code;
	uint32_t pc; /* index into code of the next byte */
	uint32_t top;
	uint32_t calls;
	uint32_t rounds; /* still to run */
	bool running;
	uint32_t stack[STACK_WORDS];
	uint32_t memory[MEMORY_WORDS];
	uint32_t link[CALL_DEPTH];
	uint32_t tally[8]; /* the counters of classify.c */
	uint8_t text[TEXT_BYTES];
};

static inline void push(struct machine *m, uint32_t word) {
	m->top = (m->top + 1) % STACK_WORDS;
	m->stack[m->top] = word;
}

static inline uint32_t pop(struct machine *m) {
	uint32_t word = m->stack[m->top];
	m->top = (m->top - 1) % STACK_WORDS;
	return word;
}

/* The word at a depth below the top of the stack. */
static inline uint32_t *peek(struct machine *m, uint32_t depth) {
	return &m->stack[(m->top - depth) % STACK_WORDS];
}

/* Reads the operand behind the operation in the code. */
static inline uint8_t operand(struct machine *m) {
	return m->code[m->pc++];
}

#endif
