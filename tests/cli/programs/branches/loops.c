// SPDX-License-Identifier: GPL-3.0-or-later
/* Loops of known numbers of trips: that test first or last, count up, down or by pointers, lie in one another, leave in
 * the middle, call, and return twice. Prints what they compute. */
#include <setjmp.h>
#include <stdio.h>

static volatile int seen;
static jmp_buf back;

__attribute__((noinline)) static unsigned sums(int n, const unsigned *a) {
	unsigned s = 0;
	for (int i = 0; i < n; i++) {
		s ^= i;
		for (int j = 0; j < 8; j++)
			s += a[j] * (s & 3 ? j : i);
	}
	return s;
}

__attribute__((noinline)) static unsigned nested(int n, const unsigned *a) {
	unsigned s = 0;
	for (int i = 0; i < 11; i++) {
		s ^= i;
		for (int j = 0; j < 19; j++) {
			s += a[j] * (s & 3 ? j : i);
			if (s == 12345)
				break;
			for (int k = 0; k < 8; k++) {
				s ^= a[k] + j;
				if ((s & 255) == 9)
					return s + n;
				seen = (int)s;
			}
		}
	}
	return s;
}

__attribute__((noinline)) static unsigned ends(const char *p) {
	unsigned j = 0, s = 0, k = 13;
	while (j++ < 9)
		s = s * 31 + (unsigned char)p[j];
	do {
		s += k;
		seen = (int)s;
	} while (--k);
	for (const char *q = p + 20; q > p; q -= 2)
		s = s * 7 + (unsigned char)*q;
	return s + j;
}

__attribute__((noinline)) static int calls(int n) {
	int s = 0;
	for (int j = 0; j < 10; j++) {
		s += printf(j & 1 ? "%d," : "%d;", j * n);
		if (s > 1000)
			continue;
		s ^= j;
	}
	printf("\n");
	return s;
}

__attribute__((noinline)) static double both(const double *a, double *b) {
	double s = 0;
	for (int j = 0; j < 17; j++) {
		b[j] = a[16 - j] + s;
		s += b[j] > 9 ? a[j] : 1;
	}
	return s;
}

__attribute__((noinline)) static int twice(int n) {
	volatile int s = n;
	for (int j = 0; j < 9; j++)
		if (!setjmp(back))
			s += j;
	return s;
}

int main(void) {
	unsigned a[32];
	double c[17], d[17];
	for (unsigned i = 0; i < 32; i++)
		a[i] = i * 7 + 3;
	for (int i = 0; i < 17; i++)
		c[i] = i * 1.5;
	printf("%u %u %u\n", sums(1000, a), nested(3, a), ends("hello, world, this is all"));
	printf("%d\n", calls(3));
	const double sum = both(c, d); /* before d[16] is read */
	printf("%g %g\n", sum, d[16]);
	printf("%d\n", twice(2));
	return 0;
}
