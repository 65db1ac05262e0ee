/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A function of less than 16 bytes: linked before the loop, it moves the loop by 16. */
int foo(int n);

int foo(int n) {
	return n + 1;
}
