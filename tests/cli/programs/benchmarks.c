/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A program that looks like a suite of benchmarks: it prints figures of two benchmarks, as the framework named by its
 * first argument does. Its "times" are made up: COST ns and 50 ns, plus some of the process's number, so that they differ
 * from run to run. So do the iterations, unless the word "fixed" follows. With the word "later" the times vary from the
 * third run on; the file "runs" in this folder counts.
 *
 *     -DCOST=N  the cost of the first benchmark, in ns (100)
 *     -DTAKES   takes --benchmark_min_time=Nx, as newer versions do
 *     -DMORE    has a third benchmark */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef COST
#define COST 100
#endif

static long iterations = 1000;
static int json, xml;

__attribute__((noinline)) static void print_one(const char *kind, const char *name, double ns, const char *more) {
	if (!strcmp(kind, "google") && json)
		printf("{\"name\": \"%s\", \"run_name\": \"%s\", \"run_type\": \"iteration\", \"iterations\": %ld,\n"
		       "\"real_time\": %g, \"cpu_time\": %g, \"time_unit\": \"ns\"}%s\n",
		       name, name, iterations, 2 * ns, ns, more);
	else if (!strcmp(kind, "google"))
		printf("%-20s %g ns %g ns %ld\n", name, 2 * ns, ns, iterations);
	else if (!strcmp(kind, "catch2") && xml)
		printf(
			"<TestCase name=\"t\"><BenchmarkResults name=\"%s\" samples=\"1\" iterations=\"%ld\"><mean value=\"%g\"/>"
			"</BenchmarkResults></TestCase>\n",
			name, iterations, ns);
	else if (!strcmp(kind, "go"))
		printf("Benchmark%s-2 %ld %g ns/op\n", name, iterations, ns);
	else if (!strcmp(kind, "nanobench"))
		printf("| %g | `%s`\n", ns, name);
	else
		printf("%s: %g ns\n", name, ns);
}

__attribute__((noinline)) static int read_arguments(int argc, char **argv) {
	iterations += getpid() % 97;
	for (int i = 1; i < argc; i++) {
		json |= !strcmp(argv[i], "--benchmark_format=json");
		xml |= !strcmp(argv[i], "--reporter=xml");
		if (!strcmp(argv[i], "fixed"))
			iterations = 1000;
		if (!strncmp(argv[i], "--benchmark_min_time=", 21)) {
#ifdef TAKES
			iterations = atol(argv[i] + 21);
#else
			return 1;
#endif
		}
	}
	return 0;
}

/* Whether this is one of the first two runs in this folder. */
static int is_early(void) {
	FILE *runs = fopen("runs", "a");
	const int early = runs && ftell(runs) < 2;
	if (!runs || fputc('x', runs) == EOF || fclose(runs))
		exit(1);
	return early;
}

int main(int argc, char **argv) {
	const char *kind = argc > 1 ? argv[1] : "";
	/* Numbers of two processes that differ by a multiple of a small number give other noise, too. */
	double noise = ((unsigned)getpid() * 2654435761u % 997 + 1) * 7e-5;
	if (argc > 3 && !strcmp(argv[3], "later") && is_early())
		noise = 0;
	if (read_arguments(argc, argv))
		return 1;
	const char *variable = getenv("BENCHMARK_FORMAT");
	json |= variable && !strcmp(variable, "json");
	if (!strcmp(kind, "google"))
		printf(json ? "{\"benchmarks\": [\n" : "Benchmark     Time    CPU   Iterations\n");
	if (!strcmp(kind, "nanobench"))
		printf("| ns/op | benchmark\n|---:|:---\n");
	if (!strcmp(kind, "words"))
		printf("%ld iterations\n", iterations);
	print_one(kind, "sum", COST + noise, ",");
#ifdef MORE
	print_one(kind, "more", 70 + noise, ",");
#endif
	print_one(kind, "copy", 50 + noise, "");
	if (!strcmp(kind, "google") && json)
		printf("]}\n");
	return 0;
}
