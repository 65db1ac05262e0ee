// SPDX-License-Identifier: GPL-3.0-or-later
/* Figure 4 of Milenković et al. 2004: branch D is A and (B or C): behind A, it goes as C does; else it is never taken. */
static volatile int seen;

__attribute__((noinline, noclone)) static void flow(const unsigned char *ways, int count) {
	for (int i = 0; i < count; i++) {
		const int a = ways[i] & 1, b_or_c = ways[i] & 2, d = (ways[i] & 3) == 3;
		if (a) {
			if (b_or_c)
				seen = 6;
		} else {
			if (b_or_c)
				seen = 4;
		}
		seen = 7;
		if (d)
			seen = 8;
	}
}

int main(void) {
	static unsigned char ways[10000];
	unsigned random = 12345;
	for (int i = 0; i < 10000; i++) {
		random = random * 1103515245 + 12345;
		ways[i] = random >> 16;
	}
	flow(ways, 10000);
	return 0;
}
