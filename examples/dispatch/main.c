/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A small interpreter that calls a handler for every operation through a table. */
#include "argument.h"
#include "operations.h"

static void run(struct machine *m) {
	while (m->running)
		operations[m->code[m->pc++]](m);
}

static uint32_t checksum(const uint32_t *words, uint32_t count, uint32_t sum) {
	for (uint32_t i = 0; i < count; i++)
		sum = (sum ^ words[i]) * 0x01000193;
	return sum;
}

int main(int argc, char **argv) {
	static const struct argument arguments[] = {{"ROUNDS", 100000, 1, 100000000}};
	unsigned long rounds;
	arguments_parse(argc, argv, arguments, 1, &rounds);
	struct machine m = {.code = program, .rounds = (uint32_t)rounds, .running = true};
	memcpy(m.text, "let (a 2) let (a 2) let (a 2) go ", TEXT_BYTES);
	run(&m);
	uint32_t sum = checksum(m.stack, STACK_WORDS, m.top);
	sum = checksum(m.memory, MEMORY_WORDS, sum);
	printf("checksum %08x\n", (unsigned)checksum(m.tally, sizeof(m.tally) / sizeof(m.tally[0]), sum));
	return 0;
}
