/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Descriptions of machines: found, read, changed, and refused with the line and the remedy. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/file.h"
#include "model/machines/machine.h"
#include "model/replay/replay.h"
#include "tests/unit/folder.h"

static unsigned value_of(const char *spec, enum ifr_setting setting) {
	struct ifr_machine *machine;
	struct ifr_error err;
	if (ifr_machine_open(&machine, spec, &err))
		fail_msg("%s: %s", spec, err.message);
	const unsigned value = machine->values[setting];
	ifr_machine_free(machine);
	return value;
}

/* Every value has a source, and every built-in description is complete. */
static void test_built_in(void **state) {
	(void)state;
	static const char *const promised[] = {"p6",         "netburst",   "core2-e5440",    "ivybridge",
	                                       "haswell",    "skylake",    "skylake-server", "icelake-server",
	                                       "goldencove", "zen2",       "zen3",           "zen4",
	                                       "zen5",       "fields2004", "cachegrind",     "r10000"};
	for (size_t i = 0; i < sizeof promised / sizeof *promised; i++) {
		struct ifr_machine *machine;
		struct ifr_buffer text = {0};
		assert_int_equal(ifr_machine_open(&machine, promised[i], NULL), 0);
		ifr_machine_print(machine, &text);
		assert_non_null(strstr(ifr_buffer_text(&text), "direction.kind = "));
		assert_null(strstr(ifr_buffer_text(&text), "(null)"));
		for (size_t k = 0; k < IFR_SETTINGS; k++)
			assert_true(!machine->values[k] || machine->notes[k].source);
		ifr_buffer_release(&text);
		ifr_machine_free(machine);
	}
	/* Fields et al. 2004, table VII; Milenković et al. 2004; Abel and Reineke 2020. */
	assert_int_equal(value_of("fields2004", IFR_L2_BYTES), 1 << 20);
	assert_int_equal(value_of("fields2004", IFR_PENALTY_LLC), 100);
	assert_int_equal(value_of("p6", IFR_BTB1_ENTRIES + 2), 4);
	assert_int_equal(value_of("skylake", IFR_L1D_BYTES + 3), IFR_POLICY_PLRU);
	/* Melhus 2013, table 4.6. */
	assert_int_equal(value_of("ivybridge", IFR_LOOP_BUFFER_OPS), 56);
	assert_int_equal(value_of("ivybridge", IFR_LOOP_BUFFER_WINDOWS), 12);
	assert_int_equal(value_of("cachegrind", IFR_PIPELINE_ISSUE), 0);
}

static void test_help(void **state) {
	(void)state;
	struct ifr_buffer text = {0};
	ifr_machine_print_help(&text);
	assert_non_null(strstr(ifr_buffer_text(&text), "  skylake          Intel Skylake, client, 2015\n"));
	assert_non_null(strstr(ifr_buffer_text(&text), "    direction.history = 15: "));
	assert_non_null(strstr(ifr_buffer_text(&text), "  l1d.policy             which line makes room"));
	ifr_buffer_release(&text);
}

static void test_changes(void **state) {
	(void)state;
	struct ifr_machine *machine;
	struct ifr_error err;
	struct ifr_buffer text = {0};
	assert_int_equal(value_of("skylake,l1d.ways=4", IFR_L1D_BYTES + 1), 4);
	assert_int_equal(value_of("skylake,l1d.policy=lru", IFR_L1D_BYTES + 3), IFR_POLICY_LRU);
	/* 16 KiB of two-bit counters are 65536, and their index has 16 bits. */
	assert_int_equal(ifr_machine_open(&machine, "skylake,predictor=gshare-16k", &err), 0);
	assert_string_equal(machine->direction->name, "gshare");
	assert_int_equal(machine->direction_values[0], 65536);
	assert_int_equal(machine->direction_values[1], 16);
	assert_int_equal(ifr_machine_set(machine, "direction", "gas-2k", &err), 0);
	assert_int_equal(machine->direction_values[0], 8192);
	assert_int_equal(ifr_machine_set(machine, "direction.kind", "l-tage", &err), 0);
	assert_int_equal(ifr_machine_set(machine, "predictor", "tage-sc-l", &err), 0);
	assert_int_equal(ifr_machine_set(machine, "indirect", "ittage", &err), 0);
	assert_int_equal(ifr_machine_set(machine, "indirect.entries", "1024", &err), 0);
	assert_int_equal(ifr_machine_check(machine, &err), 0);
	ifr_machine_print(machine, &text);
	assert_non_null(strstr(ifr_buffer_text(&text), "indirect.entries = 1024\tset\tset by the user\n"));
	assert_non_null(strstr(ifr_buffer_text(&text), "direction.kind = tage-sc-l\tset\t"));
	assert_non_null(strstr(ifr_buffer_text(&text), "l1d.policy = plru\treverse-engineered\tAbel"));
	ifr_buffer_release(&text);
	ifr_machine_free(machine);
}

static void assert_refused(const char *spec, int code, const char *part) {
	struct ifr_machine *machine = NULL;
	struct ifr_error err = {0};
	assert_int_equal(ifr_machine_open(&machine, spec, &err), -code);
	assert_null(machine);
	if (!strstr(err.message, part))
		fail_msg("%s\n  does not say: %s", err.message, part);
}

static void test_wrong_changes(void **state) {
	(void)state;
	static const char *const cases[][2] = {
		{"skylark", "there is no machine \"skylark\": the descriptions that are built in are cachegrind core2"},
		{"skylake,l1d.ways", "\"l1d.ways\" is no change of a machine: write KEY=VALUE"},
		{"skylake,l1d.ways=none", "l1d.ways is \"none\": it can be a whole number from 1 to 64"},
		{"skylake,l1d.ways=-1", "l1d.ways is \"-1\""},
		{"skylake,l1d.ways=65", "l1d.ways is \"65\": it can be a whole number from 1 to 64"},
		{"skylake,l1d.ways=99999999999999999999", "it can be a whole number from 1 to 64"},
		{"skylake,l1d.ways=3", "l1d has 512 entries in 3 ways, which is no power of two of sets"},
		{"skylake,l1d.policy=fifo", "l1d.policy is \"fifo\": it can be one of lru plru"},
		{"skylake,l1d.line_bytes=32", "all caches have lines of one size here"},
		{"skylake,l1d.size=4", "a machine has no setting \"l1d.size\""},
		{"skylake,size=4", "a machine has no setting \"size\""},
		{"skylake,predictor=oracle", "it can be one of static bimodal local"},
		{"skylake,predictor=gshare-3k", "it can be one of"},
		{"skylake,predictor=l-tage-8k", "l-tage does not come in that size: leave the size out"},
		{"skylake,predictor=gshare,direction.counters=1000", "counters is not a power of two"},
		{"skylake,predictor=gshare,direction.history=24", "history is longer than the index"},
		{"skylake,direction.sets=300", "must be powers of two"},
		{"skylake,indirect=oracle", "it can be one of last-target target-cache"},
		{"cachegrind,l3.bytes=1048576", "there is l3.bytes but no l3.line_bytes: set it, too"},
		{"cachegrind,l3.bytes=1048576,l3.line_bytes=64", "there is l3.bytes but no l3.ways: set it, too"},
		{"goldencove,l1d.policy=plru", "the tree needs 1, 2, 4"},
		{"skylake,btb2.entries=64,btb2.ways=4,btb3.entries=60,btb3.ways=4", "btb3 has 60 entries in 4 ways"},
		{"cachegrind,btb2.entries=64,btb2.ways=4", "there is btb2 but no btb1"},
		{"skylake,core.page_bytes=5000", "no power of two"},
		{"skylake,op_cache.sets=33", "op_cache.sets is 33, no power of two"},
		{"zen2,op_cache.window=40", "op_cache.window is 40, no power of two"},
		{"cachegrind,op_cache.sets=64", "there is op_cache, but no pipeline"},
		{"skylake,pipeline.table=pentium", "it can be one of sandybridge ivybridge"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		assert_refused(cases[i][0], IFR_E_USAGE, cases[i][1]);
	assert_refused("/nowhere/at/all.cfg", IFR_E_USAGE, "/nowhere/at/all.cfg");
}

#define SOURCE " standing = \"assumed\"; source = \"here\"; };\n"
#define CORE "core: { width = 4; branch_byte = \"last\"; page_bytes = 4096;" SOURCE
#define PREDICTORS "direction: { kind = \"gshare\";" SOURCE "indirect: { kind = \"last-target\";" SOURCE
#define PENALTY                                                                                                 \
	"penalty: { conditional = 1; indirect = 1; return = 1; btb = 1; l1i = 1; l1d = 1; l2 = 1; llc = 1; itlb = " \
	"1; dtlb = 1; stlb = 1;" SOURCE
#define REST PREDICTORS PENALTY
#define TITLE "title = \"t\";\n"

static void test_files(void **state) {
	const char *path = "own.cfg";
	static const char *const cases[][2] = {
		{TITLE CORE REST "l1d: { bytes = 32768; ways = 8; line_bytes = 64;" SOURCE,
	     "own.cfg:6: policy: is missing"},
		{TITLE CORE REST "l1d: { bytes = 32768;\n ways = \"many\"; line_bytes = 64; policy = \"lru\";" SOURCE,
	     "own.cfg:7: l1d.ways is \"many\": it can be a whole number from 1 to 64"},
		{TITLE CORE REST "l1d: { bytes = 32768; colour = 7;" SOURCE,
	     "own.cfg:6: colour: there is no such setting"},
		{TITLE CORE REST "l4: { bytes = 32768;" SOURCE, "own.cfg:6: l4: there is no such group"},
		{TITLE CORE REST "l4 = 7;", "own.cfg:6: l4: there is no such group"},
		{TITLE CORE REST "btb1: { entries = 512; ways = (4, \"guessed\", \"x\"); index_bit = 4;" SOURCE,
	     "own.cfg:6: guessed: a standing is documented, reverse-engineered, disputed or assumed"},
		{TITLE CORE REST "btb1: { entries = 512; ways = (4, \"assumed\"); index_bit = 4;" SOURCE,
	     "own.cfg:6: ways: write ( value, \"standing\", \"source\" )"},
		{TITLE CORE REST "btb1: { entries = 512; ways = 4.5; index_bit = 4;" SOURCE, "a value is a whole number"},
		{TITLE CORE REST "btb1: { entries = 512; ways = 4; index_bit = 4; };",
	     "btb1: standing and source are needed"},
		{TITLE CORE PREDICTORS, "penalty: this group is missing"},
		{TITLE CORE "direction: { history = 7;" SOURCE "indirect: { kind = \"last-target\";" SOURCE PENALTY,
	     "direction: a predictor needs kind"},
		{CORE REST, "title = \"…\" is missing"},
		{TITLE CORE REST "l1d: {", "own.cfg:6: syntax error"},
		{"@include \"/etc/passwd\"\n", "may not @include"},
		{"", "core: this group is missing"},
	};
	struct ifr_error err;
	(void)state;
	assert_int_equal(make_folder(NULL), 0);
	assert_int_equal(chdir(folder), 0);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		assert_int_equal(ifr_file_write(path, cases[i][0], strlen(cases[i][0]), 0644, &err), 0);
		assert_refused(path, IFR_E_USAGE, cases[i][1]);
	}
	const char *good = TITLE CORE REST;
	assert_int_equal(ifr_file_write(path, good, strlen(good), 0644, &err), 0);
	assert_int_equal(value_of("own.cfg", IFR_PENALTY_STLB), 1);
	assert_int_equal(value_of("./own.cfg,core.width=8", IFR_CORE_WIDTH), 8);
	assert_int_equal(chdir("/"), 0);
	assert_int_equal(drop_folder(NULL), 0);
}

static void test_events(void **state) {
	(void)state;
	for (unsigned i = 0; i < IFR_EVENT_COUNT; i++)
		assert_int_equal(ifr_event_find(ifr_event_name(i)), i);
	assert_int_equal(ifr_event_find("branch-misses"), IFR_EVENT_BRANCH_MISSES);
	assert_int_equal(ifr_event_find("nothing"), IFR_EVENT_COUNT);
}

int main(void) {
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_built_in), cmocka_unit_test(test_changes), cmocka_unit_test(test_wrong_changes),
		cmocka_unit_test(test_files),    cmocka_unit_test(test_events),  cmocka_unit_test(test_help),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
