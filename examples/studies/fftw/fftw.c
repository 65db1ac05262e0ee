/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Transforms SIZE complex numbers TIMES times by FFTW:
 *
 *     fftw SIZE TIMES                      on the stack as the environment leaves it
 *     fftw SIZE TIMES at OFFSET            on a stack of its own, OFFSET bytes below a multiple of 4096
 *     fftw SIZE TIMES clock ROUNDS STEP    prints nanoseconds a transform, for each STEP of two pages of offsets, a line
 *     fftw SIZE plan                       prints the plan
 *
 * "at 0" is the thesis' modification of the user, whose stack pointer is a multiple of 4096 wherever the environment
 * ends. Ref: Melhus 2013, sections 5.1 to 5.1.4, listings 5.1 and 5.3. */
#include <string.h>
#include <ucontext.h>

#include "../clock.h"
#include "api/fftw3.h"

enum { PAGE = 4096, STACK_BYTES = 32 * PAGE, OFFSETS_BYTES = 2 * PAGE };

static _Alignas(PAGE) char stack[STACK_BYTES];
static fftw_plan plan;
static long times, step;

static void execute(void) {
	for (long left = times; left > 0; left--)
		fftw_execute(plan);
}

/* makecontext takes 8 bytes for a return address, and 8 more of the frame lie below it. */
static void execute_at(long offset) {
	ucontext_t here, there;
	getcontext(&there);
	there.uc_stack.ss_sp = stack;
	there.uc_stack.ss_size = (size_t)(STACK_BYTES - offset);
	there.uc_link = &here;
	makecontext(&there, execute, 0);
	swapcontext(&here, &there);
}

static void execute_step(int which) {
	execute_at(which * step);
}

static void print_times(int rounds) {
	const int count = (int)(OFFSETS_BYTES / step);
	double *median_ns = need(calloc((size_t)count, sizeof *median_ns));
	time_in_turn(count, rounds, execute_step, median_ns);
	for (int i = 0; i < count; i++)
		printf("%.4f\n", median_ns[i] / (double)times);
	free(median_ns);
}

static long parse(const char *text, long least, long most) {
	char *end;
	const long value = strtol(text, &end, 10);
	if (end == text || *end || value < least || value > most) {
		fprintf(stderr, "fftw: %s is not a number from %ld to %ld\n", text, least, most);
		exit(2);
	}
	return value;
}

static int run(int argc, char **argv) {
	if (argc == 3 && !strcmp(argv[2], "plan")) {
		fftw_print_plan(plan);
		puts("");
		return 0;
	}
	times = parse(argv[2], 1, 1L << 30);
	if (argc == 3) {
		execute();
	} else if (argc == 5 && !strcmp(argv[3], "at")) {
		execute_at(parse(argv[4], 0, OFFSETS_BYTES));
	} else if (argc == 6 && !strcmp(argv[3], "clock")) {
		step = parse(argv[5], 16, OFFSETS_BYTES);
		print_times((int)parse(argv[4], 1, 10000));
	} else {
		fputs("usage: fftw SIZE TIMES [at OFFSET | clock ROUNDS STEP] | SIZE plan\n", stderr);
		return 2;
	}
	return 0;
}

int main(int argc, char **argv) {
	if (argc < 3) {
		fputs("usage: fftw SIZE TIMES [at OFFSET | clock ROUNDS STEP] | SIZE plan\n", stderr);
		return 2;
	}
	const int size = (int)parse(argv[1], 1, 4096);
	fftw_complex *in = need(fftw_malloc(sizeof *in * (size_t)size));
	fftw_complex *out = need(fftw_malloc(sizeof *out * (size_t)size));
	memset(in, 0, sizeof *in * (size_t)size);
	plan = fftw_plan_dft_1d(size, in, out, FFTW_FORWARD, FFTW_ESTIMATE);
	if (!plan) {
		fprintf(stderr, "fftw: there is no codelet for %d numbers: 8, 15, 16, 20 or 32\n", size);
		return 2;
	}
	const int status = run(argc, argv);
	fftw_destroy_plan(plan);
	fftw_free(out);
	fftw_free(in);
	return status;
}
