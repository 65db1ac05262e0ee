/* SPDX-License-Identifier: GPL-3.0-or-later */
/* allocators RUNS RUNTIME COMMAND...: runs a program under several allocators in turn, A B C A B C …, after one
 * round that does not count. Prints for each its median of processor time in milliseconds and of the most memory
 * that was resident, with the medians of their ratios to glibc's, round by round: the machine's drift falls on all
 * alike. RUNTIME is libinterfero.so; allocators that are not installed are left out. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/error.h"

enum { MOST_RUNS = 1000, ALLOCATORS = 8 };

static const struct {
	const char *name, *library; /* NULL: RUNTIME; "": none */
	const char *heap, *blocks;
} allocators[ALLOCATORS] = {
	{"glibc", "", "glibc", "glibc"},
	{"jemalloc", "/usr/lib/x86_64-linux-gnu/libjemalloc.so.2", "glibc", "glibc"},
	{"mimalloc", "/usr/lib/x86_64-linux-gnu/libmimalloc.so.2", "glibc", "glibc"},
	{"mimalloc 3", "/usr/lib/x86_64-linux-gnu/libmimalloc.so.3", "glibc", "glibc"},
	{"shuffle", NULL, "shuffle", "glibc"},
	{"shuffle, alias-free", NULL, "shuffle", "alias-free"},
	{"diehard", NULL, "diehard", "glibc"},
	{"diehard, alias-free", NULL, "diehard", "alias-free"},
};

struct sample {
	double ms, kib;
};

static void become(const char *library, int allocator, char **command) {
	setenv("INTERFERO_HEAP", allocators[allocator].heap, 1);
	setenv("INTERFERO_BLOCKS", allocators[allocator].blocks, 1);
	if (*library)
		setenv("LD_PRELOAD", library, 1);
	if (!freopen("/dev/null", "w", stdout))
		_exit(127);
	execvp(*command, command);
	_exit(127);
}

static struct sample run(const char *library, int allocator, char **command) {
	struct rusage usage;
	int status;
	pid_t child = fork();
	if (child == 0)
		become(library, allocator, command);
	if (child < 0 || wait4(child, &status, 0, &usage) < 0 || status) {
		fprintf(stderr, "allocators: \"%s\" failed under %s\n", *command, allocators[allocator].name);
		exit(IFR_E_ENVIRONMENT);
	}
	double ms = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e3 +
	            (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e3;
	return (struct sample){ms, (double)usage.ru_maxrss};
}

static int compare(const void *a, const void *b) {
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static double median(double *values, int count) {
	qsort(values, (size_t)count, sizeof *values, compare);
	return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

static void show(const char *name, const struct sample *samples, const struct sample *first, int runs) {
	double column[4][MOST_RUNS];
	for (int i = 0; i < runs; i++) {
		column[0][i] = samples[i].ms;
		column[1][i] = samples[i].ms / first[i].ms;
		column[2][i] = samples[i].kib / 1024;
		column[3][i] = samples[i].kib / first[i].kib;
	}
	printf("  %-24s %9.1f ms %6.3f x %9.1f MiB %6.2f x\n", name, median(column[0], runs), median(column[1], runs),
	       median(column[2], runs), median(column[3], runs));
}

int main(int argc, char **argv) {
	static struct sample samples[ALLOCATORS][MOST_RUNS];
	const char *library[ALLOCATORS];
	int runs = argc > 3 ? atoi(argv[1]) : 0;
	if (runs < 1 || runs > MOST_RUNS) {
		fprintf(stderr, "usage: allocators RUNS RUNTIME COMMAND...\n");
		return IFR_E_USAGE;
	}
	for (int a = 0; a < ALLOCATORS; a++) {
		library[a] = allocators[a].library ? allocators[a].library : argv[2];
		if (*library[a] && access(library[a], R_OK))
			library[a] = NULL;
	}
	for (int i = -1; i < runs; i++)
		for (int a = 0; a < ALLOCATORS; a++) {
			struct sample sample = library[a] ? run(library[a], a, argv + 3) : (struct sample){0};
			if (i >= 0)
				samples[a][i] = sample;
		}
	for (int a = 0; a < ALLOCATORS; a++)
		if (library[a])
			show(allocators[a].name, samples[a], samples[0], runs);
	return 0;
}
