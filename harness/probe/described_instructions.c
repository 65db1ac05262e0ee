/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The instructions of a described core: its table of them, the issue-wakeup loop, and whether its units can be busy. */
#include "harness/probe/clocked.h"
#include "harness/probe/described.h"
#include "harness/probe/findings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { REPEATED = 64, SEQUENCES_MOST = 64 };

/* The model is not told of accesses of these kernels. */
static bool has_access(const struct probe_dependent *sequence) {
	return strstr(sequence->experiment, "mov [") || strstr(sequence->experiment, ", [rsi]") ||
	       strstr(sequence->experiment, ", [rsi+8]");
}

static double measure(struct probe_described *probe, const struct probe_dependent *sequence) {
	struct probe_kernel kernel;
	probe_kernel_init(&kernel, 0);
	probe_repeat(&kernel, &(struct probe_sequence){sequence->bytes, sequence->length, sequence->instructions},
	             REPEATED);
	return probe_described_event(probe, &kernel, IFR_EVENT_CYCLES);
}

static size_t measure_all(struct probe_described *probe, double *cycles) {
	const struct probe_dependent *const lists[] = {probe_dependents, probe_independents};
	size_t count = 0;
	for (size_t i = 0; i < 2; i++)
		for (const struct probe_dependent *sequence = lists[i]; sequence->key; sequence++)
			if (!has_access(sequence))
				cycles[count++] = measure(probe, sequence);
	return count;
}

static const struct probe_dependent *find_sequence(const struct probe_dependent *list, const char *key) {
	while (list->key && strcmp(list->key, key))
		list++;
	return list;
}

/* Whether a table's core takes as long for each sequence. */
static bool is_equal(const struct probe_described *probe, unsigned table, const double *cycles) {
	struct ifr_machine machine = *probe->model.machine;
	struct probe_described other = {.model = {.machine = &machine}};
	double others[SEQUENCES_MOST];
	machine.values[IFR_PIPELINE_TABLE] = table;
	const size_t count = measure_all(&other, others);
	bool equal = !other.model.err.code;
	for (size_t i = 0; i < count; i++)
		equal &= fabs(others[i] - cycles[i]) < 0.01;
	return equal;
}

static void tell_table(struct probe_described *probe, const double *cycles, size_t count) {
	static const char key[] = "pipeline.table";
	const struct ifr_setting_about *about = &ifr_settings[IFR_PIPELINE_TABLE];
	struct ifr_buffer names = {0};
	unsigned equal = 0;
	const char *name = about->words;
	for (unsigned table = 0; table <= about->most; table++, name += strcspn(name, " "), name += *name == ' ')
		if (is_equal(probe, table, cycles))
			ifr_buffer_printf(&names, "%s%.*s", equal++ ? " or " : "", (int)strcspn(name, " "), name);
	if (equal == 1) {
		char *experiment =
			ifr_format("cycles of %zu chains and mixes of instructions, as this table has them", count);
		probe_tell_word(probe->result, IFR_PROBE_CORE, key, ifr_buffer_text(&names), experiment);
		free(experiment);
	} else {
		probe_tell_nothing(probe->result, IFR_PROBE_CORE, key, "%zu chains and mixes of instructions fit %s",
		                   count, equal ? ifr_buffer_text(&names) : "no table");
	}
	ifr_buffer_release(&names);
}

void probe_described_instructions(struct probe_described *probe) {
	double cycles[SEQUENCES_MOST];
	const size_t count = measure_all(probe, cycles);
	const double chain = measure(probe, find_sequence(probe_dependents, "latency-add")),
				 busy = measure(probe, find_sequence(probe_independents, "rate-imul"));
	struct probe_kernel kernel;
	probe_kernel_init(&kernel, 0);
	probe_nops(&kernel, REPEATED, 4);
	const double free_of_units = probe_described_event(probe, &kernel, IFR_EVENT_CYCLES);
	probe_tell(probe->result, IFR_PROBE_CORE, "pipeline.wakeup", "cycles", chain < 0.95 ? 0 : round(chain),
	           "a chain of add rax, rsi; less than a cycle: none");
	probe_tell_word(probe->result, IFR_PROBE_CORE, "pipeline.units",
	                busy > 1.5 * free_of_units ? "limited" : "unlimited",
	                "imul rax, rsi, 3, of which each core has fewer units than slots, beside nops");
	tell_table(probe, cycles, count);
}
