/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A program that looks like a suite of benchmarks: it prints figures of two benchmarks, as the framework named by its
 * first argument does. Its "times" are made up: COST ns and 50 ns, plus some of the number of the run, so that they
 * differ from run to run; the file "runs" in this folder counts. So do the iterations, by the process's number, unless
 * the word "fixed" follows. With the word "later" the times vary from the third run on.
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

/* The runs in this folder before this one. */
static unsigned count_runs(void) {
	FILE *runs = fopen("runs", "a");
	const long count = runs ? ftell(runs) : -1;
	if (count < 0 || fputc('x', runs) == EOF || fclose(runs))
		exit(1);
	return (unsigned)count;
}

int main(int argc, char **argv) {
	const char *kind = argc > 1 ? argv[1] : "";
	const unsigned runs = count_runs();
	/* By the number of the run, so that what a test finds is the same each time. */
	double noise = ((runs + 1) * 2654435761u % 997 + 1) * 7e-5;
	if (argc > 3 && !strcmp(argv[3], "later") && runs < 2)
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
