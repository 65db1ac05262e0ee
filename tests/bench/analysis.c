/* SPDX-License-Identifier: GPL-3.0-or-later */
/* analysis RUNS COUNTERS LAYOUTS: analyses a made-up experiment of that size, and prints how long that took and
 * how much memory this process ever had, the experiment included. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "common/buffer.h"
#include "common/random.h"
#include "harness/report/report.h"

static double uniform(uint64_t a, uint64_t b) {
	const uint64_t name[] = {a, b};
	return ifr_random_unit(ifr_siphash(1, 2, name, sizeof name));
}

static void add_counters(struct ifr_dataset *dataset, size_t count) {
	static const char *const known[] = {"cycles", "instructions"};
	for (size_t i = 0; i < count; i++) {
		struct ifr_dataset_counter *counter = ifr_dataset_add_counter(dataset);
		if (i < sizeof known / sizeof *known)
			strcpy(counter->name, known[i]);
		else
			snprintf(counter->name, sizeof counter->name, "event-%zu", i);
		strcpy(counter->source, "perf");
	}
}

static void fill(struct ifr_dataset *dataset, size_t runs, size_t counters, size_t layouts) {
	ifr_dataset_init(dataset);
	add_counters(dataset, counters);
	for (size_t i = 0; i < layouts; i++) {
		struct ifr_dataset_variant *variant = ifr_dataset_add_variant(dataset);
		variant->layout = (unsigned)i;
		snprintf(variant->name, sizeof variant->name, "v%05zu", i);
		variant->plan = ifr_strdup("");
		variant->build_id = ifr_strdup("");
		variant->facts = ifr_strdup("");
	}
	for (size_t i = 0; i < runs; i++) {
		struct ifr_dataset_run *run = ifr_dataset_add_run(dataset);
		/* A round's order is that of its runs' remainders, another each time. */
		size_t round = i / layouts, variant = (i % layouts * (2 * round + 1) + round) % layouts;
		run->variant = (unsigned)variant;
		run->repetition = (unsigned)round;
		run->started_ns = (int64_t)i + 1;
		for (size_t j = 0; j < counters; j++)
			run->value[j] = j == 1 ? 1e9 : 1e9 * (1 + 0.02 * uniform(variant, j) + 0.01 * uniform(i, j + 100));
	}
}

static double now_s(void) {
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

int main(int argc, char **argv) {
	struct ifr_dataset dataset;
	struct ifr_analysis *analysis;
	struct ifr_buffer text = {0};
	struct ifr_error err = {0};
	struct rusage usage;
	if (argc != 4) {
		fputs("usage: analysis RUNS COUNTERS LAYOUTS\n", stderr);
		return IFR_E_USAGE;
	}
	size_t runs = strtoul(argv[1], NULL, 10), counters = strtoul(argv[2], NULL, 10),
		   layouts = strtoul(argv[3], NULL, 10);
	fill(&dataset, runs, counters, layouts);
	double start_s = now_s();
	if (ifr_analysis_make(&dataset, NULL, &analysis, &err)) {
		fprintf(stderr, "%s\n", err.message);
		return err.code;
	}
	double analysed_s = now_s();
	ifr_report_text(analysis, false, &text);
	double told_s = now_s();
	getrusage(RUSAGE_SELF, &usage);
	printf("  %zu runs x %zu counters in %zu layouts: analysed in %.2f s, told in %.2f s, %.0f MiB in all\n", runs,
	       counters, layouts, analysed_s - start_s, told_s - analysed_s, (double)usage.ru_maxrss / 1024);
	ifr_buffer_release(&text);
	ifr_analysis_free(analysis);
	ifr_dataset_release(&dataset);
	return 0;
}
