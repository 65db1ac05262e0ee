/* SPDX-License-Identifier: GPL-3.0-or-later */
/* No C library, no repeated instruction, no stack: another tool counts the same, to the last one. */
static int table[65536];

void _start(void);
void _start(void) {
	unsigned x = 1;
	int sum = 0;
	for (int i = 0; i < 300000; i++) {
		x = x * 1103515245U + 12345U;
		int j = (int)(x >> 16);
		if (x >> 15 & 1)
			sum += table[j];
		else
			table[j] = sum ^ i;
	}
	__asm__ volatile("syscall" ::"a"(60), "D"(sum == 12345));
	__builtin_unreachable();
}
