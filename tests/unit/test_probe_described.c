/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Probes of described machines in the model: what comes back is what the description says, also of descriptions with one
 * value changed; and the tables of Milenković, Milenković and Kulick 2004. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/random.h"
#include "harness/probe/findings.h"
#include "harness/probe/kernels.h"
#include "harness/probe/modelled.h"
#include "harness/probe/probe.h"
#include "model/machines/parts.h"
#include "tests/unit/depth.h"
#include "tests/unit/open_machine.h"

#define PART(part) (1u << IFR_PROBE_##part)
enum { ALL = (1u << IFR_PROBE_PARTS) - 1 };

static void probe(const char *machine, unsigned parts, struct ifr_probe_result *result) {
	const struct ifr_probe_options options = {.machine = machine, .parts = parts, .seed = 1};
	struct ifr_error err = {0};
	if (ifr_probe_run(&options, result, &err))
		fail_msg("%s: %s", machine, err.message);
}

/* The value of a setting that the description has; false if it has none. */
static bool setting_of(struct ifr_machine *machine, const char *key, struct ifr_setting_slot *slot) {
	char group[64];
	const char *dot = strchr(key, '.');
	snprintf(group, sizeof group, "%.*s", (int)(dot - key), key);
	return ifr_setting_slot_find(machine, group, dot + 1, slot) && slot->note->source;
}

static void assert_word(const struct ifr_setting_slot *slot, const char *key, const char *word) {
	const char *words = slot->words;
	for (unsigned i = 0; i < *slot->value; i++)
		words = strchr(words, ' ') + 1;
	if (strlen(word) != strcspn(words, " ") || strncmp(words, word, strlen(word)))
		fail_msg("%s is not %s", key, word);
}

/* Every setting that is told is what the description has. Returns how many are told. */
static unsigned compare_told(const char *spec, const struct ifr_probe_result *result) {
	struct ifr_machine *machine = open_machine(spec);
	unsigned told = 0;
	for (size_t i = 0; i < result->findings_count; i++) {
		const struct ifr_probe_finding *finding = &result->findings[i];
		struct ifr_setting_slot slot;
		if (!finding->told || !finding->is_setting)
			continue;
		if (strstr(finding->key, ".kind")) {
			assert_string_equal(finding->word,
			                    *finding->key == 'd' ? machine->direction->name : machine->indirect->name);
			told++;
			continue;
		}
		if (!setting_of(machine, finding->key, &slot)) {
			/* Of what a machine does not have, 0 may be told. */
			if (finding->word || finding->value != 0)
				fail_msg("%s has no %s, and %g is told", spec, finding->key, finding->value);
			continue;
		}
		if (finding->word)
			assert_word(&slot, finding->key, finding->word);
		else if (*slot.value != (unsigned)finding->value)
			fail_msg("%s: %s is %u, and %g is told", spec, finding->key, *slot.value, finding->value);
		told++;
	}
	ifr_machine_free(machine);
	return told;
}

/* Sizes and ways of all structures of the parts are told, but for inner BTBs, of which the events tell nothing. */
static void assert_complete(const char *spec, unsigned parts, const struct ifr_probe_result *result) {
	static const struct {
		unsigned part;
		const char *key;
	} all[] = {{PART(CACHES), "l1i.bytes"},
	           {PART(CACHES), "l1i.ways"},
	           {PART(CACHES), "l1d.bytes"},
	           {PART(CACHES), "l1d.ways"},
	           {PART(CACHES), "l1d.line_bytes"},
	           {PART(CACHES), "l1d.policy"},
	           {PART(CACHES), "l2.bytes"},
	           {PART(CACHES), "l2.ways"},
	           {PART(CACHES), "l3.bytes"},
	           {PART(CACHES), "l3.ways"},
	           {PART(TLBS), "itlb.entries"},
	           {PART(TLBS), "itlb.ways"},
	           {PART(TLBS), "dtlb.entries"},
	           {PART(TLBS), "dtlb.ways"},
	           {PART(TLBS), "stlb.entries"},
	           {PART(TLBS), "stlb.ways"},
	           {PART(RETURN), "return_stack.entries"},
	           {PART(MEMORY), "store_buffer.entries"},
	           {PART(PENALTY), "penalty.conditional"},
	           {PART(PENALTY), "penalty.btb"},
	           {PART(PENALTY), "penalty.l1d"},
	           {PART(PENALTY), "penalty.llc"},
	           {PART(PENALTY), "penalty.indirect"},
	           {PART(PENALTY), "core.width"},
	           {PART(BTB), "core.branch_byte"},
	           {PART(TLBS), "core.page_bytes"},
	           {PART(CORE), "pipeline.window"},
	           {PART(CORE), "pipeline.fills"},
	           {PART(CORE), "pipeline.load_latency"},
	           {PART(CORE), "pipeline.forward"},
	           {PART(CORE), "pipeline.blocked"},
	           {PART(CORE), "pipeline.alias"},
	           {PART(CORE), "pipeline.line_split"},
	           {PART(CORE), "pipeline.page_split"},
	           {PART(CORE), "pipeline.wakeup"},
	           {PART(CORE), "pipeline.units"},
	           {PART(FRONT), "op_cache.sets"},
	           {PART(FRONT), "op_cache.ways"},
	           {PART(FRONT), "op_cache.ops"},
	           {PART(FRONT), "op_cache.branches"},
	           {PART(FRONT), "op_cache.window"},
	           {PART(FRONT), "op_cache.tag"},
	           {PART(FRONT), "loop_buffer.ops"},
	           {PART(FRONT), "loop_buffer.windows"},
	           {PART(FRONT), "loop_buffer.window"},
	           {PART(FRONT), "loop_buffer.branches"},
	           {PART(BTB), "fetch.bubble1"}};
	struct ifr_machine *machine = open_machine(spec);
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		struct ifr_setting_slot slot;
		/* In two ways a tree and LRU are the same. */
		if (!strcmp(all[i].key, "l1d.policy") && machine->values[IFR_L1D_BYTES + 1] < 3)
			continue;
		/* Without a BTB nothing misses it. */
		if ((!strcmp(all[i].key, "penalty.btb") || !strcmp(all[i].key, "core.branch_byte") ||
		     !strcmp(all[i].key, "fetch.bubble1")) &&
		    !machine->values[IFR_BTB1_ENTRIES])
			continue;
		/* Without a TLB no page shows. */
		if (!strcmp(all[i].key, "core.page_bytes") && !machine->values[IFR_DTLB_ENTRIES])
			continue;
		/* Nearer than 8 bytes branches are not laid. */
		if ((!strcmp(all[i].key, "core.branch_byte") || !strcmp(all[i].key, "fetch.bubble1")) &&
		    machine->values[IFR_BTB1_ENTRIES + 2] < 3 && !machine->values[IFR_BTB2_ENTRIES])
			continue;
		/* Each taken branch of a loop enters a window. */
		if (!strcmp(all[i].key, "loop_buffer.branches") &&
		    machine->values[IFR_LOOP_BUFFER_BRANCHES] >= machine->values[IFR_LOOP_BUFFER_WINDOWS])
			continue;
		const struct ifr_probe_finding *finding = ifr_probe_find(result, all[i].key);
		if (all[i].part & parts && setting_of(machine, all[i].key, &slot) && (!finding || !finding->told))
			fail_msg("%s: %s is not told: %s", spec, all[i].key, finding ? finding->experiment : "");
	}
	ifr_machine_free(machine);
}

static void check_machine(const char *spec, unsigned parts) {
	struct ifr_probe_result result;
	probe(spec, parts, &result);
	assert_true(compare_told(spec, &result));
	assert_complete(spec, parts, &result);
	ifr_probe_release(&result);
}

/* Of as many as windows only the windows are told. */
static void test_branches_of_a_loop(void **state) {
	(void)state;
	check_machine("haswell,loop_buffer.branches=8", PART(FRONT));
}

static void test_some_descriptions_come_back(void **state) {
	(void)state;
	if (is_full_depth())
		return; /* test_all_descriptions_come_back */
	check_machine("p6", ALL);
	check_machine("netburst", PART(HISTORY));
	check_machine("skylake", PART(RETURN));
	check_machine("skylake,l1i.bytes=16384,l1d.bytes=16384,l2.bytes=32768,l3.bytes=131072", PART(CACHES));
	check_machine("zen2,btb2.entries=128,btb3.entries=896", PART(BTB) | PART(RETURN));
	check_machine("skylake", PART(FRONT));
	check_machine("zen2", PART(CORE));
}

static bool has_predictor_of(const char *name, const char *other_name) {
	struct ifr_machine *machine = open_machine(name), *other = open_machine(other_name);
	const bool equal =
		machine->direction == other->direction &&
		!memcmp(machine->direction_values, other->direction_values, sizeof machine->direction_values) &&
		machine->values[IFR_CORE_BRANCH_BYTE] == other->values[IFR_CORE_BRANCH_BYTE];
	ifr_machine_free(other);
	ifr_machine_free(machine);
	return equal;
}

/* Histories depend on the predictor alone (modelled.h): each predictor is probed in one of the descriptions that have
 * it. */
static unsigned choose_parts(const struct ifr_machine_text *text) {
	for (const struct ifr_machine_text *before = ifr_machine_texts; before != text; before++)
		if (has_predictor_of(text->name, before->name))
			return ALL & ~PART(HISTORY);
	return ALL;
}

/* The description with a third cache of four to eight times the second's size: chases over tens of megabytes take most
 * of a probe's time, and the sets are searched for in the same way. */
static char *reduce_last_cache(const char *name) {
	struct ifr_machine *machine = open_machine(name);
	unsigned bytes = machine->values[IFR_L3_BYTES];
	while (bytes >= 8 * machine->values[IFR_L2_BYTES] && machine->values[IFR_L2_BYTES])
		bytes /= 2;
	char *spec = bytes ? ifr_format("%s,l3.bytes=%u", name, bytes) : ifr_strdup(name);
	ifr_machine_free(machine);
	return spec;
}

static void test_all_descriptions_come_back(void **state) {
	(void)state;
	for (const struct ifr_machine_text *text = ifr_machine_texts; text->name && is_full_depth(); text++) {
		char *spec = reduce_last_cache(text->name);
		check_machine(spec, choose_parts(text));
		free(spec);
	}
	if (is_full_depth())
		check_machine("skylake", PART(CACHES));
}

/* The paper's results: a local history of 4 bits, and a global one of 16. */
static void test_histories(void **state) {
	(void)state;
	static const struct {
		const char *machine;
		double longest, local, global;
	} papers[] = {{"p6", 5, 4, 0}, {"netburst", 9, 0, 16}};
	for (size_t i = 0; i < 2; i++) {
		struct ifr_probe_result result;
		probe(papers[i].machine, PART(HISTORY), &result);
		assert_true(ifr_probe_find(&result, "longest-pattern")->value == papers[i].longest);
		assert_true(ifr_probe_find(&result, "local-history")->value == papers[i].local);
		assert_true(ifr_probe_find(&result, "global-history")->value == papers[i].global);
		ifr_probe_release(&result);
	}
}

static double missed_in_step(const struct ifr_probe_result *result, unsigned step, unsigned parameter) {
	for (size_t i = 0; i < result->steps_count; i++)
		if (result->steps[i].step == step && result->steps[i].parameter == parameter)
			return result->steps[i].missed;
	fail_msg("step %u was not done with %u", step, parameter);
	return 0;
}

/* Tables IV and V, and the results of steps 2, 3 and 5: mispredictions in a round. The paper's rates are of 10 million
 * rounds; its processors also miss some hundreds for other reasons. */
static void test_steps(void **state) {
	(void)state;
	static const struct {
		const char *machine;
		unsigned step, parameter;
		double missed;
	} rows[] = {{"p6", 1, 4, 0},          {"p6", 1, 5, 0},
	            {"p6", 1, 6, 1.0 / 6},    {"p6", 2, 8, 0},
	            {"p6", 3, 0, 0.1},        {"p6", 5, 6, 2.0 / 6},
	            {"netburst", 1, 5, 0},    {"netburst", 1, 9, 0},
	            {"netburst", 1, 10, 0.1}, {"netburst", 2, 16, 1.0 / 9},
	            {"netburst", 6, 2, 0.5}};
	struct ifr_probe_result result = {0};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		if (!i || strcmp(rows[i].machine, rows[i - 1].machine)) {
			ifr_probe_release(&result);
			probe(rows[i].machine, PART(HISTORY), &result);
		}
		assert_float_equal(missed_in_step(&result, rows[i].step, rows[i].parameter), rows[i].missed, 0.002);
	}
	ifr_probe_release(&result);
}

/* Branches that the BTB misses, of each, as the paper's mispredictions: a taken forward branch that is not in the BTB is
 * predicted not taken. */
static double missed_of_chain(const struct ifr_probe_result *result, size_t count, double distance) {
	char *title = ifr_format("misses of the BTB for each of %zu branches", count);
	double missed = -1;
	for (size_t i = 0; i < result->curves_count; i++)
		for (size_t j = 0; j < result->curves[i].count; j++)
			if (!strcmp(result->curves[i].title, title) && !(result->curves[i].points[j][0] < distance) &&
			    !(result->curves[i].points[j][0] > distance))
				missed = result->curves[i].points[j][1];
	free(title);
	return missed;
}

static void test_figure_18(void **state) {
	(void)state;
	struct ifr_probe_result p6, netburst;
	probe("p6", PART(BTB), &p6);
	probe("netburst", PART(BTB), &netburst);
	for (double distance = 4; distance <= 512; distance *= 2) {
		const double expected = distance <= 16 ? 0 : 1;
		assert_float_equal(missed_of_chain(&p6, 512, distance), expected, 0.02);
		assert_float_equal(missed_of_chain(&netburst, 4096, distance), expected, 0.02);
	}
	ifr_probe_release(&p6);
	ifr_probe_release(&netburst);
}

/* Table II, by the million: 1953, 14.9 and so on, and table III. */
static void test_tables_2_and_3(void **state) {
	(void)state;
	static const struct {
		size_t count;
		double distance, missed;
	} rows[] = {{16, 512, 0}, {16, 1024, 1}, {8, 1024, 0}, {8, 2048, 1}, {4, 2048, 0},
	            {4, 4096, 0}, {1024, 4, 1},  {1024, 8, 1}, {1024, 16, 1}};
	struct ifr_probe_result result;
	probe("p6", PART(BTB), &result);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		assert_float_equal(missed_of_chain(&result, rows[i].count, rows[i].distance), rows[i].missed, 0.02);
	ifr_probe_release(&result);
}

/* Changes of one value: a key, the values that it takes, and the part that tells it. */
static const struct change {
	const char *machine, *key;
	unsigned part;
	const char *values[6];
} changes[] = {
	{"p6", "btb1.entries", PART(BTB), {"256", "1024", "2048", "128"}},
	{"p6", "btb1.ways", PART(BTB), {"1", "2", "8", "16"}},
	{"p6", "btb1.index_bit", PART(BTB), {"3", "5", "6", "7"}},
	{"netburst", "btb1.entries", PART(BTB), {"512", "1024", "8192"}},
	{"zen2", "btb3.entries", PART(BTB), {"3584", "14336"}},
	{"p6", "direction.history", PART(HISTORY), {"2", "3", "5", "6", "7", "9"}},
	{"netburst", "direction.history", PART(HISTORY), {"4", "7", "10", "12", "13", "15"}},
	{"p6", "return_stack.entries", PART(RETURN), {"4", "7", "12", "31", "33", "64"}},
	{"p6", "l1d.bytes", PART(CACHES), {"8192", "32768"}},
	{"p6", "l1d.ways", PART(CACHES), {"1", "2", "8", "16"}},
	{"skylake,l3.bytes=524288", "l1d.policy", PART(CACHES), {"lru"}},
	{"p6", "l1d.policy", PART(CACHES), {"plru"}},
	{"p6", "l1i.bytes", PART(CACHES), {"8192", "32768", "65536"}},
	{"p6", "l1i.ways", PART(CACHES), {"1", "2", "8"}},
	{"p6", "l2.bytes", PART(CACHES), {"131072", "524288"}},
	{"p6", "l2.ways", PART(CACHES), {"2", "4", "16"}},
	{"p6", "itlb.entries", PART(TLBS), {"16", "64", "128"}},
	{"p6", "dtlb.entries", PART(TLBS), {"32", "128"}},
	{"p6", "dtlb.ways", PART(TLBS), {"1", "2", "16", "64"}},
	{"skylake", "stlb.ways", PART(TLBS), {"3", "6", "24"}},
	{"skylake", "stlb.entries", PART(TLBS), {"768", "3072"}},
	{"skylake", "store_buffer.entries", PART(MEMORY), {"10", "42", "72", "100"}},
	{"p6", "penalty.conditional", PART(PENALTY), {"7", "25", "31"}},
	{"p6", "penalty.btb", PART(PENALTY), {"2", "9", "14"}},
	{"p6", "penalty.l1d", PART(PENALTY), {"6", "11"}},
	{"haswell", "pipeline.alias", PART(CORE), {"0", "1", "2", "9"}},
	{"zen5", "pipeline.renamed", PART(CORE), {"0", "1", "7", "13", "60"}},
	{"haswell", "pipeline.renamed", PART(CORE), {"1", "3"}},
	{"zen5", "pipeline.commit", PART(CORE), {"1", "3", "4"}},
	{"zen4", "pipeline.blocked", PART(CORE), {"0", "5", "20"}},
	{"zen5", "pipeline.forward", PART(CORE), {"3", "5", "11"}},
};

static void check_change(const struct change *change, const char *value) {
	char spec[256];
	struct ifr_probe_result result;
	snprintf(spec, sizeof spec, "%s,%s=%s", change->machine, change->key, value);
	probe(spec, change->part, &result);
	const struct ifr_probe_finding *finding = ifr_probe_find(&result, change->key);
	if (!finding || !finding->told)
		fail_msg("%s: %s is not told: %s", spec, change->key, finding ? finding->experiment : "");
	compare_told(spec, &result);
	ifr_probe_release(&result);
}

/* At quick depth a fifteenth of the changes, each with one of its values, by seed; all at full depth. */
static void test_changed_values_come_back(void **state) {
	(void)state;
	for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
		unsigned count = 0;
		while (count < 6 && changes[i].values[count])
			count++;
		const uint64_t draw = ifr_random_below(ifr_random_keyed(1, "change", changes[i].key), count);
		for (unsigned v = 0; v < count; v++)
			if (is_full_depth() || (v == draw && i % 15 == 2))
				check_change(&changes[i], changes[i].values[v]);
	}
}

/* Rules of described front ends, by the cycles of their cores: windows of an op cache, the slots that fit (lines times
 * slots of a line), jumps at a boundary, length-changing prefixes, fusion; also with the description's value changed. */
static void test_front_ends(void **state) {
	(void)state;
	static const struct {
		const char *machine, *key;
		double value;
		const char *word;
		bool quick;
	} rows[] = {{"goldencove,op_cache.lines=5,op_cache.ops=8", "window-slots", 40, NULL, false},
	            {"goldencove,op_cache.lines=5,op_cache.ops=10", "window-slots", 50, NULL, true},
	            {"icelake-server,op_cache.lines=6,op_cache.ops=6", "window-slots", 36, NULL, false},
	            {"icelake-server", "op_cache.window", 64, NULL, false},
	            {"skylake", "dense-window", 32, NULL, false},
	            {"skylake", "op_cache.jump_boundary", 32, NULL, true},
	            {"skylake,op_cache.jump_boundary=0", "op_cache.jump_boundary", 0, NULL, false},
	            {"haswell,op_cache.jump_boundary=64", "op_cache.jump_boundary", 64, NULL, false},
	            {"ivybridge,fetch.length_change=3", "fetch.length_change", 3, NULL, false},
	            {"ivybridge,fetch.length_change=6", "fetch.length_change", 6, NULL, true},
	            {"icelake-server,fetch.fusion=within_line", "fetch.fusion", 0, "within_line", false},
	            {"icelake-server,fetch.fusion=anywhere", "fetch.fusion", 0, "anywhere", false},
	            {"zen3", "fetch.fusion", 0, "anywhere", false}};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct ifr_probe_result result;
		if (!rows[i].quick && !is_full_depth())
			continue;
		probe(rows[i].machine, PART(FRONT), &result);
		const struct ifr_probe_finding *finding = ifr_probe_find(&result, rows[i].key);
		if (!finding || !finding->told)
			fail_msg("%s: %s is not told: %s", rows[i].machine, rows[i].key, finding ? finding->experiment : "");
		if (rows[i].word)
			assert_string_equal(finding->word, rows[i].word);
		else if (finding->value < rows[i].value || finding->value > rows[i].value)
			fail_msg("%s: %s is %g", rows[i].machine, rows[i].key, finding->value);
		compare_told(rows[i].machine, &result);
		ifr_probe_release(&result);
	}
}

/* The redirect is told of cores that have another than penalty.conditional gives, whatever the rest is. */
static void test_redirect(void **state) {
	(void)state;
	static const struct {
		const char *machine;
		bool listed, told;
	} rows[] = {{"zen4", true, false},
	            {"zen4,fetch.redirect=12", true, true},
	            {"zen4,fetch.redirect=20,penalty.conditional=15", true, true},
	            {"zen4,fetch.redirect=3,direction=bimodal", true, true},
	            {"goldencove,fetch.redirect=9", true, true},
	            {"zen4,fetch.redirect=0", true, false},
	            {"zen4,penalty.conditional=15,fetch.redirect=12", true, false},
	            {"zen4,direction=perfect", true, false},
	            {"haswell", true, false},
	            {"p6", false, false}};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct ifr_probe_result result;
		probe(rows[i].machine, PART(PENALTY), &result);
		const struct ifr_probe_finding *finding = ifr_probe_find(&result, "fetch.redirect");
		if (!!finding != rows[i].listed || (finding && finding->told != rows[i].told))
			fail_msg("%s: fetch.redirect is %s", rows[i].machine, finding ? finding->experiment : "not listed");
		compare_told(rows[i].machine, &result);
		ifr_probe_release(&result);
	}
}

/* Cores without it take no cycle more. */
static void test_far_jumps(void **state) {
	(void)state;
#define SMALL_ZEN4 ",btb1.entries=384,btb2.entries=896"
	static const struct {
		const char *machine;
		double far;
	} rows[] = {{"zen4" SMALL_ZEN4, 3},
	            {"zen4,fetch.far=0" SMALL_ZEN4, 0},
	            {"zen4,fetch.far=8,fetch.indirect=2" SMALL_ZEN4, 8},
	            {"skylake,btb1.entries=512", 0},
	            {"skylake,btb1.entries=512,fetch.far=5", 5},
	            /* No more taken branches execute in a cycle: fetch.taken is not told. */
	            {"skylake,btb1.entries=512,fetch.taken=2", 0}};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct ifr_probe_result result;
		probe(rows[i].machine, PART(BTB), &result);
		const struct ifr_probe_finding *finding = ifr_probe_find(&result, "fetch.far");
		if (!finding->told || finding->value < rows[i].far || finding->value > rows[i].far)
			fail_msg("%s: fetch.far is %g: %s", rows[i].machine, finding->value, finding->experiment);
		compare_told(rows[i].machine, &result);
		ifr_probe_release(&result);
	}
}

/* Lines of a set by their hash, or by all of their address; where one line fills a set, nothing is told. */
static void test_way_tag(void **state) {
	(void)state;
#define SMALL ",l2.bytes=131072,l3.bytes=524288"
	static const struct {
		const char *machine, *word;
	} rows[] = {{"zen4" SMALL, "hashed"},
	            {"zen4,pipeline.way_tag=whole" SMALL, "whole"},
	            {"zen4,pipeline.way_tag=hashed-high" SMALL, "hashed-high"},
	            {"haswell" SMALL, "whole"},
	            {"haswell,pipeline.way_tag=hashed" SMALL, "hashed"},
	            {"haswell,l1d.ways=1" SMALL, NULL}};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct ifr_probe_result result;
		probe(rows[i].machine, PART(CACHES), &result);
		const struct ifr_probe_finding *finding = ifr_probe_find(&result, "pipeline.way_tag");
		if (finding->told != (rows[i].word != NULL) || (rows[i].word && strcmp(finding->word, rows[i].word) != 0))
			fail_msg("%s: pipeline.way_tag is %s", rows[i].machine, finding->experiment);
		compare_told(rows[i].machine, &result);
		ifr_probe_release(&result);
	}
}

/* A path history is no history of outcomes: nothing is told by steps that take it for one. */
static void test_path_history(void **state) {
	(void)state;
	struct ifr_probe_result result;
	if (!is_full_depth()) /* seconds; other predictors show at quick depth that the steps' answers are checked */
		return;
	probe("skylake", PART(HISTORY), &result);
	assert_false(ifr_probe_find(&result, "local-history")->told);
	assert_false(ifr_probe_find(&result, "global-history")->told);
	assert_true(ifr_probe_find(&result, "path-history")->value == 186);
	ifr_probe_release(&result);
}

/* A written description can be read, and has the values. */
static void test_description(void **state) {
	(void)state;
	struct ifr_probe_result result;
	struct ifr_buffer text = {0};
	struct ifr_machine *machine = NULL;
	struct ifr_error err = {0};
	probe("p6,btb1.ways=2,return_stack.entries=9", PART(BTB) | PART(RETURN), &result);
	free(result.machine); /* as if it had been found beside another description */
	result.machine = ifr_strdup("netburst");
	assert_int_equal(ifr_probe_description(&result, &text, &err), 0);
	if (ifr_machine_read(&machine, "written", "written", ifr_buffer_text(&text), &err))
		fail_msg("%s", err.message);
	assert_int_equal(machine->values[IFR_BTB1_ENTRIES], 512);
	assert_int_equal(machine->values[IFR_BTB1_ENTRIES + 1], 2);
	assert_int_equal(machine->values[IFR_RETURN_STACK_ENTRIES], 9);
	assert_int_equal(machine->values[IFR_L1D_BYTES], 8192); /* NetBurst's */
	assert_non_null(strstr(machine->notes[IFR_BTB1_ENTRIES].source, "measured: "));
	assert_non_null(strstr(machine->notes[IFR_L1D_BYTES].source, "from netburst: "));
	ifr_machine_free(machine);
	ifr_buffer_release(&text);
	ifr_probe_release(&result);
}

/* Ways that do not fit the other values are left to a comment. */
static void test_description_leaves_out_misfits(void **state) {
	(void)state;
	struct ifr_probe_result result = {.is_described = true, .machine = ifr_strdup("p6")};
	struct ifr_buffer text = {0};
	struct ifr_machine *machine = NULL;
	struct ifr_error err = {0};
	probe_tell(&result, IFR_PROBE_CACHES, "l1d.ways", "", 3, "made up");
	probe_tell(&result, IFR_PROBE_CACHES, "l2.ways", "", 16, "made up");
	assert_int_equal(ifr_probe_description(&result, &text, &err), 0);
	assert_int_equal(ifr_machine_read(&machine, "written", "written", ifr_buffer_text(&text), &err), 0);
	assert_int_equal(machine->values[IFR_L1D_BYTES + 1], 4);
	assert_int_equal(machine->values[IFR_L2_BYTES + 1], 16);
	assert_non_null(strstr(ifr_buffer_text(&text), "// l1d.ways: measured, 3"));
	ifr_machine_free(machine);
	ifr_buffer_release(&text);
	ifr_probe_release(&result);
}

int main(void) {
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_some_descriptions_come_back),
		cmocka_unit_test(test_branches_of_a_loop),
		cmocka_unit_test(test_all_descriptions_come_back),
		cmocka_unit_test(test_histories),
		cmocka_unit_test(test_steps),
		cmocka_unit_test(test_figure_18),
		cmocka_unit_test(test_tables_2_and_3),
		cmocka_unit_test(test_changed_values_come_back),
		cmocka_unit_test(test_front_ends),
		cmocka_unit_test(test_redirect),
		cmocka_unit_test(test_far_jumps),
		cmocka_unit_test(test_way_tag),
		cmocka_unit_test(test_path_history),
		cmocka_unit_test(test_description),
		cmocka_unit_test(test_description_leaves_out_misfits),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
