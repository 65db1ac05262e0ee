/* SPDX-License-Identifier: GPL-3.0-or-later */
__thread int theirs = 9;
static __thread int first, second = 3;
int sum(void);

__attribute__((noinline)) int sum(void) {
	first += second;
	second++;
	return theirs + first + second;
}
