/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Descriptions with one value changed at random, by seed, come back with the changed value; and each setting of a shipped
 * description is told, or listed with the reason why it is not. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/random.h"
#include "harness/probe/probe.h"
#include "model/machines/parts.h"
#include "tests/unit/depth.h"

#define PART(part) (1u << IFR_PROBE_##part)

/* Descriptions whose outer caches and BTBs are small: chases over megabytes take most of a probe's time. */
static const struct base {
	const char *machine;
	unsigned parts; /* that are tried */
} bases[] = {
	{"p6", PART(BTB) | PART(HISTORY) | PART(RETURN) | PART(CACHES) | PART(TLBS) | PART(PENALTY)},
	{"netburst", PART(BTB) | PART(HISTORY) | PART(RETURN) | PART(TLBS) | PART(PENALTY)},
	{"core2-e5440,l2.bytes=786432", PART(BTB) | PART(RETURN) | PART(CACHES) | PART(TLBS) | PART(MEMORY)},
	{"haswell,l2.bytes=131072,l3.bytes=524288,btb1.entries=1024",
     PART(BTB) | PART(CACHES) | PART(TLBS) | PART(MEMORY) | PART(CORE) | PART(FRONT)},
	{"skylake,l2.bytes=131072,l3.bytes=524288,btb1.entries=512", PART(BTB) | PART(CORE) | PART(FRONT)},
	{"icelake-server,btb2.entries=640,btb2.ways=5", PART(BTB) | PART(CORE) | PART(FRONT)},
	{"zen2,btb2.entries=128,btb3.entries=896", PART(BTB) | PART(RETURN) | PART(CORE) | PART(FRONT)},
	{"zen4", PART(MEMORY) | PART(CORE) | PART(FRONT)},
};
enum { BASES = sizeof bases / sizeof *bases };

static void probe(const char *machine, unsigned parts, struct ifr_probe_result *result) {
	const struct ifr_probe_options options = {.machine = machine, .parts = parts, .seed = 1};
	struct ifr_error err = {0};
	if (ifr_probe_run(&options, result, &err))
		fail_msg("%s: %s", machine, err.message);
}

static bool find_slot(struct ifr_machine *machine, const char *key, struct ifr_setting_slot *slot) {
	char group[64];
	const char *dot = strchr(key, '.');
	snprintf(group, sizeof group, "%.*s", (int)(dot - key), key);
	return ifr_setting_slot_find(machine, group, dot + 1, slot) && slot->note->source;
}

/* The value of a setting as a word or a number; false if the machine has none. */
static bool read_value(struct ifr_machine *machine, const char *key, char value[64]) {
	struct ifr_setting_slot slot;
	if (!strcmp(key, "direction.kind") || !strcmp(key, "indirect.kind")) {
		snprintf(value, 64, "%s", *key == 'd' ? machine->direction->name : machine->indirect->name);
		return true;
	}
	if (!find_slot(machine, key, &slot))
		return false;
	const char *words = slot.words;
	for (unsigned i = 0; words && i < *slot.value; i++)
		words = strchr(words, ' ') + 1;
	if (words)
		snprintf(value, 64, "%.*s", (int)strcspn(words, " "), words);
	else
		snprintf(value, 64, "%u", *slot.value);
	return true;
}

static void format_finding(const struct ifr_probe_finding *finding, char value[64]) {
	if (finding->word)
		snprintf(value, 64, "%s", finding->word);
	else
		snprintf(value, 64, "%.0f", finding->value);
}

/* Whether the value that is told is the description's; says so where it is not. */
static bool is_told_right(struct ifr_machine *machine, const char *spec, const struct ifr_probe_finding *finding) {
	char told[64], value[64];
	format_finding(finding, told);
	if (!read_value(machine, finding->key, value))
		return !strcmp(told, "0"); /* of what a machine does not have */
	if (!strcmp(told, value))
		return true;
	print_error("%s: %s is %s, and %s is told: %s\n", spec, finding->key, value, told, finding->experiment);
	return false;
}

/* All settings that are told are the description's. */
static bool is_all_right(const char *spec, const struct ifr_probe_result *result) {
	struct ifr_machine *machine = NULL;
	bool right = !ifr_machine_open(&machine, spec, NULL);
	assert_true(right);
	for (size_t i = 0; i < result->findings_count; i++)
		if (result->findings[i].told && result->findings[i].is_setting)
			right &= is_told_right(machine, spec, &result->findings[i]);
	ifr_machine_free(machine);
	return right;
}

/* --- changes ----------------------------------------------------------------------------------------------------- */

static uint64_t draw(uint64_t seed, unsigned attempt, unsigned number) {
	const unsigned key[] = {attempt, number};
	return ifr_siphash(seed, 11, key, sizeof key);
}

/* Draws another value: of sizes half or twice, of words another one, of other numbers one that is not far. */
static char *change_value(const struct ifr_setting_slot *slot, const char *key, uint64_t random) {
	const unsigned value = *slot->value;
	const char *name = strchr(key, '.') + 1;
	if (slot->words) {
		unsigned words = 1, other;
		for (const char *at = slot->words; (at = strchr(at, ' ')); at++)
			words++;
		other = (value + 1 + (unsigned)(random % (words - 1))) % words;
		const char *at = slot->words;
		while (other--)
			at = strchr(at, ' ') + 1;
		return ifr_format("%.*s", (int)strcspn(at, " "), at);
	}
	if (!strcmp(name, "bytes") || !strcmp(name, "entries") || !strcmp(name, "ways") || !strcmp(name, "sets"))
		return ifr_format("%u", random & 1 ? 2 * value : value / 2);
	if (!strcmp(name, "index_bit")) /* nearer than 8 bytes branches are not laid */
		return ifr_format("%u", 3 + (value - 3 + 1 + (unsigned)(random % 4)) % 5);
	const unsigned reach = value / 3 + 2, low = value > reach ? value - reach : 0;
	const unsigned changed = low + (unsigned)(random % (2 * reach));
	return ifr_format("%u", changed == value ? value + reach : changed);
}

/* Some keys cannot be changed alone: lines have one size in all caches, and windows are powers of two. */
static bool may_change(const struct ifr_probe_finding *finding) {
	static const char *const fixed[] = {".line_bytes", ".window",    "jump_boundary",
	                                    ".kind",       "page_bytes", "core.width"};
	for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
		if (strstr(finding->key, fixed[i]))
			return false;
	return finding->told && finding->is_setting;
}

struct change {
	const struct base *base;
	unsigned part;
	char *key, *spec;
};

static struct ifr_probe_result originals[BASES][IFR_PROBE_PARTS];
static bool is_original_probed[BASES][IFR_PROBE_PARTS];

static const struct ifr_probe_result *probe_original(size_t base, unsigned part) {
	if (!is_original_probed[base][part]) {
		probe(bases[base].machine, 1u << part, &originals[base][part]);
		is_original_probed[base][part] = true;
		assert_true(is_all_right(bases[base].machine, &originals[base][part]));
	}
	return &originals[base][part];
}

/* Draws a change whose values fit together. Returns false if these draws give none. */
static bool draw_change(uint64_t seed, unsigned attempt, struct change *change) {
	const size_t base = draw(seed, attempt, 0) % BASES;
	unsigned part = (unsigned)(draw(seed, attempt, 1) % IFR_PROBE_PARTS);
	while (!(bases[base].parts >> part & 1))
		part = (part + 1) % IFR_PROBE_PARTS;
	const struct ifr_probe_result *original = probe_original(base, part);
	const struct ifr_probe_finding *finding =
		&original->findings[draw(seed, attempt, 2) % original->findings_count];
	struct ifr_machine *machine = NULL;
	struct ifr_setting_slot slot;
	if (!may_change(finding) || ifr_machine_open(&machine, bases[base].machine, NULL))
		return false;
	bool fits = find_slot(machine, finding->key, &slot);
	*change = (struct change){&bases[base], part, NULL, NULL};
	if (fits) {
		char *value = change_value(&slot, finding->key, draw(seed, attempt, 3));
		change->key = ifr_strdup(finding->key);
		change->spec = ifr_format("%s,%s=%s", bases[base].machine, finding->key, value);
		free(value);
	}
	ifr_machine_free(machine);
	machine = NULL;
	fits = fits && !ifr_machine_open(&machine, change->spec, NULL);
	ifr_machine_free(machine);
	if (!fits) {
		free(change->key);
		free(change->spec);
	}
	return fits;
}

enum { CHANGES_MOST = 50 };
struct drawn {
	char *specs[CHANGES_MOST];
	unsigned count;
};

static bool was_drawn(const struct drawn *drawn, const char *spec) {
	for (unsigned i = 0; i < drawn->count; i++)
		if (!strcmp(drawn->specs[i], spec))
			return true;
	return false;
}

/* Returns whether the changed value is told. */
static bool probe_change(const struct change *change, unsigned *right) {
	struct ifr_probe_result result;
	probe(change->spec, 1u << change->part, &result);
	const struct ifr_probe_finding *finding = ifr_probe_find(&result, change->key);
	const bool told = finding && finding->told;
	if (!told)
		print_error("%s: %s is not told: %s\n", change->spec, change->key, finding ? finding->experiment : "");
	*right += is_all_right(change->spec, &result);
	ifr_probe_release(&result);
	return told;
}

/* A changed value may be hidden by another structure: then nothing is told, and nothing wrong. So it is of few. */
static void test_random_changes_come_back(void **state) {
	(void)state;
	const unsigned wanted = at_depth(3, CHANGES_MOST);
	struct drawn drawn = {.count = 0};
	unsigned told = 0, right = 0;
	for (unsigned attempt = 0; drawn.count < wanted; attempt++) {
		struct change change;
		assert_true(attempt < 40 * wanted);
		if (!draw_change(1, attempt, &change))
			continue;
		if (was_drawn(&drawn, change.spec)) {
			free(change.spec);
		} else {
			told += probe_change(&change, &right);
			drawn.specs[drawn.count++] = change.spec;
		}
		free(change.key);
	}
	for (size_t i = 0; i < BASES; i++)
		for (unsigned part = 0; part < IFR_PROBE_PARTS; part++)
			ifr_probe_release(&originals[i][part]);
	for (unsigned i = 0; i < drawn.count; i++)
		free(drawn.specs[i]);
	assert_int_equal(right, wanted);
	assert_true(10 * told >= 9 * wanted);
}

/* --- all settings ------------------------------------------------------------------------------------------------ */

static void check_listed(const char *spec, const char *group, const char *name,
                         const struct ifr_probe_result *result) {
	char *key = ifr_format("%s.%s", group, name);
	const struct ifr_probe_finding *finding = ifr_probe_find(result, key);
	if (!finding || (!finding->told && strlen(finding->experiment) < 10))
		fail_msg("%s: %s is neither told nor listed with a reason", spec, key);
	free(key);
}

/* Each setting is told, rightly, or listed. */
static void check_all_listed(const char *spec) {
	struct ifr_machine *machine = NULL;
	struct ifr_probe_result result;
	assert_int_equal(ifr_machine_open(&machine, spec, NULL), 0);
	probe(spec, (1u << IFR_PROBE_PARTS) - 1, &result);
	assert_true(is_all_right(spec, &result));
	for (size_t i = 0; i < IFR_SETTINGS; i++)
		if (machine->notes[i].source)
			check_listed(spec, ifr_settings[i].group, ifr_settings[i].name, &result);
	check_listed(spec, "direction", "kind", &result);
	check_listed(spec, "indirect", "kind", &result);
	for (size_t i = 0; machine->direction->parameters[i].name; i++)
		check_listed(spec, "direction", machine->direction->parameters[i].name, &result);
	for (size_t i = 0; machine->indirect->parameters[i].name; i++)
		check_listed(spec, "indirect", machine->indirect->parameters[i].name, &result);
	ifr_probe_release(&result);
	ifr_machine_free(machine);
}

static void test_all_settings_are_listed(void **state) {
	(void)state;
	check_all_listed("p6");
	/* Chases over tens of megabytes take most of the time, and tell no more than those over few. */
	for (const struct ifr_machine_text *text = ifr_machine_texts; text->name && is_full_depth(); text++) {
		struct ifr_machine *machine = NULL;
		assert_int_equal(ifr_machine_open(&machine, text->name, NULL), 0);
		unsigned bytes = machine->values[IFR_L3_BYTES];
		while (bytes >= 8 * machine->values[IFR_L2_BYTES] && machine->values[IFR_L2_BYTES])
			bytes /= 2;
		char *spec = bytes ? ifr_format("%s,l3.bytes=%u", text->name, bytes) : ifr_strdup(text->name);
		check_all_listed(spec);
		free(spec);
		ifr_machine_free(machine);
	}
}

int main(void) {
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_changes_come_back),
		cmocka_unit_test(test_all_settings_are_listed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
