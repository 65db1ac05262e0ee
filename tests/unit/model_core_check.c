/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/model_core_check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/machines/machine.h"

static struct ifr_machine *open_machine(const char *spec) {
	struct ifr_machine *machine;
	struct ifr_error err = {0};
	if (!ifr_machine_open(&machine, spec, &err))
		return machine;
	fprintf(stderr, "%s: %s\n", spec, err.message);
	abort();
}

int64_t core_graph_cycles(const struct kernel *kernel, const char *spec, struct cycles_result *result) {
	struct ifr_core_counts counts;
	struct ifr_machine *machine = open_machine(spec);
	kernel_graph(kernel, machine, result, &counts);
	ifr_machine_free(machine);
	return result->cycle;
}

char *core_check_simulated(const struct core_check *check) {
	struct kernel kernel;
	struct cycles_result graph, cycles;
	struct ifr_machine *machine = open_machine(check->machine);
	kernel_init(&kernel);
	check->build(&kernel);
	core_graph_cycles(&kernel, check->machine, &graph);
	cycles_simulate(machine, &kernel.program, kernel.steps, kernel.count, &cycles);
	ifr_machine_free(machine);
	kernel_release(&kernel);
	if (fabs((double)(graph.cycle - cycles.cycle)) > check->pct / 100 * (double)cycles.cycle)
		return ifr_format("%s: %ld cycles by the graph, %ld by the simulator", check->name, (long)graph.cycle,
		                  (long)cycles.cycle);
	if (!check->pct && graph.late != cycles.late)
		return ifr_format("%s: %lu late loads by the graph, %lu by the simulator", check->name,
		                  (unsigned long)graph.late, (unsigned long)cycles.late);
	return memcmp(graph.slots, cycles.slots, sizeof graph.slots) ? ifr_format("%s: other sources", check->name)
	                                                             : NULL;
}

/* Tells whether more than some slots come from other sources, or whether there are fewer. */
static bool other_sources(const struct cycles_result *a, const struct cycles_result *b) {
	bool other = false;
	for (unsigned i = 0; i < IFR_SOURCES; i++)
		other |= llabs((long long)a->slots[i] - (long long)b->slots[i]) > 100;
	return other;
}

char *core_check_rule(const struct core_check *check) {
	struct kernel kernel;
	struct cycles_result with, without;
	if (!check->without)
		return NULL;
	char *spec = ifr_format("%s,%s", check->machine, check->without), *complaint = NULL;
	kernel_init(&kernel);
	check->build(&kernel);
	core_graph_cycles(&kernel, check->machine, &with);
	core_graph_cycles(&kernel, spec, &without);
	if (fabs((double)(with.cycle - without.cycle)) < 0.02 * (double)with.cycle && !other_sources(&with, &without))
		complaint = ifr_format("%s: %ld cycles, and %ld with %s", check->name, (long)with.cycle,
		                       (long)without.cycle, check->without);
	free(spec);
	kernel_release(&kernel);
	return complaint;
}

double core_iteration_cycles(void (*build)(struct kernel *), const char *spec, unsigned steps) {
	struct kernel kernel;
	struct cycles_result half, whole;
	kernel_init(&kernel);
	build(&kernel);
	const size_t count = kernel.count;
	core_graph_cycles(&kernel, spec, &whole);
	kernel.count = count / 2;
	core_graph_cycles(&kernel, spec, &half);
	kernel_release(&kernel);
	return (double)(whole.cycle - half.cycle) / (double)(count - count / 2) * steps;
}
