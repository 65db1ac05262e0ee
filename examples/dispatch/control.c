/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "operations.h"

void op_halt(struct machine *m) {
	m->running = false;
}

void op_nothing(struct machine *m) {
	(void)m;
}

void op_jump(struct machine *m) {
	m->pc = operand(m);
}

/* The operand of a conditional jump is the number of bytes to skip. */
void op_jump_zero(struct machine *m) {
	uint8_t bytes = operand(m);
	if (pop(m) == 0)
		m->pc += bytes;
}

void op_jump_not_zero(struct machine *m) {
	uint8_t bytes = operand(m);
	if (pop(m) != 0)
		m->pc += bytes;
}

void op_call(struct machine *m) {
	uint8_t target = operand(m);
	m->link[m->calls++ % CALL_DEPTH] = m->pc;
	m->pc = target;
}

void op_back(struct machine *m) {
	m->pc = m->link[--m->calls % CALL_DEPTH];
}

/* Jumps to the operand, or goes on after the last round. */
void op_round(struct machine *m) {
	uint8_t target = operand(m);
	if (--m->rounds != 0)
		m->pc = target;
}
