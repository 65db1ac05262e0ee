/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/probe/counted.h"

#include <stdlib.h>

#include "common/clock.h"
#include "harness/counters/counters.h"
#include "harness/probe/described.h"
#include "harness/probe/findings.h"

/* Perf's events that count what the model's do, those of the first processor that has them: perf's own names first, where
 * these mean the same everywhere. (dTLB-load-misses counts page walks on Intel's processors, and misses of the first TLB
 * on AMD's; no name of perf's own counts branches that a BTB does not have.) */
static const struct {
	enum ifr_event event;
	const char *sum;
} table[] = {
	{IFR_EVENT_CONDITIONAL_MISSES, "branch-misses"},
	{IFR_EVENT_RETURN_MISSES, "branch-misses"},
	{IFR_EVENT_BTB_MISSES, "BACLEARS:ANY"},
	{IFR_EVENT_BTB_MISSES, "DECODER_OVERRIDE_BRANCH_PRED"},
	{IFR_EVENT_BTB_MISSES, "BTB_MISSES"},
	{IFR_EVENT_L1D_LOAD_MISSES, "L1-dcache-load-misses"},
	{IFR_EVENT_L1D_LOAD_MISSES, "MEM_LOAD_RETIRED:L1_MISS"},
	{IFR_EVENT_L2_MISSES, "MEM_LOAD_RETIRED:L2_MISS"},
	{IFR_EVENT_L2_MISSES, "CORE_TO_L2_CACHEABLE_REQUEST_ACCESS_STATUS:LS_RD_BLK_C"},
	{IFR_EVENT_DTLB_LOAD_MISSES, "DTLB_LOAD_MISSES:STLB_HIT+DTLB_LOAD_MISSES:WALK_COMPLETED"},
	{IFR_EVENT_DTLB_LOAD_MISSES,
     "L1_DTLB_MISS:TLB_RELOAD_4K_L2_HIT+L1_DTLB_MISS:TLB_RELOAD_4K_L2_MISS+"
     "L1_DTLB_MISS:TLB_RELOAD_COALESCED_PAGE_HIT+L1_DTLB_MISS:TLB_RELOAD_COALESCED_PAGE_MISS"},
	{IFR_EVENT_STLB_MISSES, "DTLB_LOAD_MISSES:WALK_COMPLETED"},
	{IFR_EVENT_STLB_MISSES, "L1_DTLB_MISS:TLB_RELOAD_4K_L2_MISS+L1_DTLB_MISS:TLB_RELOAD_COALESCED_PAGE_MISS"},
};

static bool is_counted_here(const char *sum) {
	struct ifr_own_events *events = NULL;
	if (ifr_own_events_open(sum, &events, NULL))
		return false;
	ifr_own_events_close(events);
	return true;
}

/* Campaigns can do things instead that a probe cannot. */
static const char *choose_remedy(const struct ifr_perf_diagnosis *diagnosis) {
	if (diagnosis->state == IFR_PERF_NO_PMU && ifr_machine_hypervisor(NULL))
		return "let the hypervisor pass a virtual PMU on";
	return diagnosis->state == IFR_PERF_HYBRID ? "switch one kind of cores off in the firmware"
	                                           : diagnosis->remedy;
}

int probe_counters_find(struct probe_counters *counters, struct ifr_error *err) {
	struct ifr_perf_diagnosis diagnosis;
	ifr_perf_diagnose(&diagnosis);
	if (diagnosis.state != IFR_PERF_HARDWARE)
		return ifr_fail(err, IFR_E_ENVIRONMENT, "perf: %s; %s, or probe without events: --source clock",
		                diagnosis.sentence, choose_remedy(&diagnosis));
	unsigned found = 0;
	for (size_t i = 0; i < sizeof table / sizeof *table; i++)
		if (!counters->sums[table[i].event] && is_counted_here(table[i].sum)) {
			counters->sums[table[i].event] = table[i].sum;
			found++;
		}
	return found ? 0
	             : ifr_fail(err, IFR_E_ENVIRONMENT,
	                        "perf: none of the events of branches, caches and TLBs can be counted here; end other "
	                        "profilers, or probe without events: --source clock");
}

/* A TLB is asked by small pages. */
static bool wants_huge_pages(enum ifr_event event) {
	return event != IFR_EVENT_DTLB_LOAD_MISSES && event != IFR_EVENT_STLB_MISSES;
}

/* The batch borrows the kernel, whose number is 0: its references have others. */
bool probe_counters_count(void *data, const struct probe_kernel *kernel, enum ifr_event event,
                          struct probe_estimate *rate) {
	enum { REPETITIONS = 15, BATCH_NS = 2000000000 };
	static const char *const no_keys[] = {NULL};
	const struct probe_counters *counters = data;
	if (!counters->sums[event] || ifr_clock_ns() > counters->deadline)
		return false;
	struct probe_batch batch;
	probe_batch_init_from(&batch, 1, wants_huge_pages(event), BATCH_NS);
	batch.events = counters->sums[event];
	batch.repetitions_most = REPETITIONS;
	batch.kernels[batch.count++] = *kernel;
	const bool measured = probe_clocked_measure(counters->clocked, &batch, IFR_PROBE_CYCLE, no_keys);
	if (measured)
		*rate = probe_batch_events(&batch, 1, 0);
	batch.count--;
	probe_batch_release(&batch);
	return measured;
}

static const struct {
	enum ifr_probe_part part;
	void (*run)(struct probe_described *probe);
} steps[] = {
	{IFR_PROBE_BTB, probe_described_btb},        {IFR_PROBE_HISTORY, probe_described_history},
	{IFR_PROBE_RETURN, probe_described_returns}, {IFR_PROBE_CACHES, probe_counted_caches},
	{IFR_PROBE_TLBS, probe_counted_tlbs},
};
enum { STEPS = sizeof steps / sizeof *steps };

static unsigned find_step(enum ifr_probe_part part) {
	unsigned i = 0;
	while (i < STEPS && steps[i].part != part)
		i++;
	return i;
}

bool probe_counted_has(enum ifr_probe_part part) {
	return find_step(part) < STEPS;
}

/* Unclear counts tell no value. */
static void forget_values(struct ifr_probe_result *result, enum ifr_probe_part part) {
	for (size_t i = 0; i < result->findings_count; i++) {
		struct ifr_probe_finding *finding = &result->findings[i];
		if (finding->part != part || !finding->told)
			continue;
		free(finding->experiment);
		free(finding->word);
		finding->experiment = ifr_strdup("events of some loops have no clear count");
		finding->word = NULL;
		finding->told = false;
		finding->value = finding->low = finding->high = 0;
	}
	result->steps_count = 0;
}

void probe_counted_run(const struct probe_event_source *source, const struct ifr_machine *machine,
                       enum ifr_probe_part part, uint64_t seed, struct ifr_probe_result *result) {
	struct probe_described described = {
		.model = {.machine = machine, .source = source}, .result = result, .seed = seed};
	const unsigned step = find_step(part);
	if (step == STEPS)
		return;
	result->source = IFR_PROBE_BY_EVENTS;
	steps[step].run(&described);
	if (described.model.unclear)
		forget_values(result, part);
}
