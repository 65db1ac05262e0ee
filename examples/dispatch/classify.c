/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Operations that walk over the text and count letters, words and the like: short loops of many branches. The
 * counters are in memory so that the branches stay branches. */
#include "operations.h"

void op_words(struct machine *m) {
	bool inside = false;
	for (uint32_t i = 0; i < TEXT_BYTES; i++) {
		if (m->text[i] == ' ') {
			inside = false;
		} else if (!inside) {
			inside = true;
			m->tally[0]++;
		}
	}
}

void op_vowels(struct machine *m) {
	for (uint32_t i = 0; i < TEXT_BYTES; i++) {
		uint8_t c = m->text[i];
		if (c == 'a')
			m->tally[1] += 2;
		else if (c == 'e')
			m->tally[1] += 3;
		else if (c == 'o')
			m->tally[1]++;
	}
}

void op_numerals(struct machine *m) {
	for (uint32_t i = 0; i < TEXT_BYTES; i++) {
		if (m->text[i] >= '0' && m->text[i] <= '9')
			m->tally[2] += m->text[i] - '0';
		else
			m->tally[3]++;
	}
}

/* Pushes the nesting depth at the end of the text, and counts pairs of brackets. */
void op_brackets(struct machine *m) {
	uint32_t depth = 0;
	for (uint32_t i = 0; i < TEXT_BYTES; i++) {
		if (m->text[i] == '(') {
			depth++;
		} else if (m->text[i] == ')' && depth > 0) {
			depth--;
			m->tally[4]++;
		}
	}
	push(m, depth);
}

void op_upper(struct machine *m) {
	for (uint32_t i = 0; i < TEXT_BYTES; i++) {
		if (m->text[i] >= 'a' && m->text[i] <= 'z')
			m->tally[5] += m->text[i] - 32u;
		else if (m->text[i] == ' ')
			m->tally[6]++;
	}
}

/* Counts the bytes that differ from the byte before. */
void op_runs(struct machine *m) {
	for (uint32_t i = 1; i < TEXT_BYTES; i++)
		if (m->text[i] != m->text[i - 1])
			m->tally[7]++;
}

void op_spaces(struct machine *m) {
	for (uint32_t i = 0; i < TEXT_BYTES; i++)
		if (m->text[i] == ' ')
			m->tally[6]++;
}

void op_kinds(struct machine *m) {
	for (uint32_t i = 0; i < TEXT_BYTES; i++) {
		uint8_t c = m->text[i];
		if (c >= 'a')
			m->tally[0] += c;
		else if (c >= '0')
			m->tally[1] += c;
		else if (c == ' ')
			m->tally[2]++;
		else
			m->tally[3]++;
	}
}
