/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A table and a buffer on the stack, each half as large as a cache of one way of 4 KiB: wherever the buffer lies, k of
 * its lines displace lines of the table in each round, and 32 - k do if it lies half a page elsewhere. */
enum { LINE = 64, LINES = 32, ROUNDS = 1000 };

struct line {
	int value[LINE / sizeof(int)];
} table[LINES] __attribute__((aligned(LINE)));

static __attribute__((noipa)) int sum(const struct line *own) {
	int sum = 0;
	for (int round = 0; round < ROUNDS; round++)
		for (int i = 0; i < LINES; i++) {
			sum += table[i].value[0]; /* TABLE */
			sum += own[i].value[0];   /* OWN */
		}
	return sum;
}

int main(void) {
	struct line own[LINES];
	for (int i = 0; i < LINES; i++)
		own[i].value[0] = i;
	return sum(own) != (LINES - 1) * LINES / 2 * ROUNDS;
}
