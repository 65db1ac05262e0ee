/* SPDX-License-Identifier: GPL-3.0-or-later */
/* gemv LIBRARY SIZE TIMES A X Y: y = A x, TIMES times, by cblas_dgemv of the library: A of SIZE x SIZE in columns. A, X
 * and Y are the low 12 bits of the addresses, in hexadecimal. Prints the processor time of all calls in nanoseconds.
 * Ref: Melhus 2013, section 5.2.1, listing 5.4. */
#include <dlfcn.h>
#include <string.h>

#include "../clock.h"

enum { COLUMNS = 102, NO_TRANSPOSE = 111, PAGE = 4096 };

typedef void gemv(int order, int transpose, int rows, int columns, double alpha, const double *matrix, int leading,
                  const double *x, int step_x, double beta, double *y, int step_y);

static gemv *find_gemv(const char *library) {
	void *handle = dlopen(library, RTLD_NOW | RTLD_GLOBAL);
	void *found = handle ? dlsym(handle, "cblas_dgemv") : NULL;
	gemv *function;
	if (!found) {
		fprintf(stderr, "gemv: %s\n", dlerror());
		exit(2);
	}
	memcpy(&function, &found, sizeof function);
	return function;
}

static double *place(size_t count, const char *suffix) {
	const unsigned long offset = strtoul(suffix, NULL, 16) % PAGE / sizeof(double);
	const size_t bytes = (count + PAGE / sizeof(double) + PAGE - 1) * sizeof(double) / PAGE * PAGE + PAGE;
	double *block = need(aligned_alloc(PAGE, bytes));
	memset(block, 0, bytes);
	return block + offset;
}

int main(int argc, char **argv) {
	if (argc != 7) {
		fputs("usage: gemv LIBRARY SIZE TIMES A X Y\n", stderr);
		return 2;
	}
	gemv *const multiply = find_gemv(argv[1]);
	const int size = atoi(argv[2]);
	if (size < 1 || size > 32768) {
		fputs("gemv: the size is from 1 to 32768\n", stderr);
		return 2;
	}
	const double *matrix = place((size_t)size * (size_t)size, argv[4]), *x = place((size_t)size, argv[5]);
	double *y = place((size_t)size, argv[6]);
	const double begun_ns = read_clock_ns();
	for (int left = atoi(argv[3]); left > 0; left--)
		multiply(COLUMNS, NO_TRANSPOSE, size, size, 1, matrix, size, x, 1, 0, y, 1);
	printf("%.0f\n", read_clock_ns() - begun_ns);
	return 0;
}
