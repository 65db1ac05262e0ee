/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The list of a processor's events: that of Ivy Bridge, whatever the machine at hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/buffer.h"
#include "harness/counters/source.h"

static struct ifr_perf_list list;

static int set_up(void **state) {
	struct ifr_error err = {0};
	(void)state;
	if (ifr_perf_list_make(&list, &err))
		fail_msg("%s", err.message);
	return 0;
}

static int tear_down(void **state) {
	(void)state;
	ifr_perf_list_release(&list);
	return 0;
}

static const struct ifr_perf_event *find(const char *name) {
	for (unsigned i = 0; i < list.count; i++)
		if (!strcmp(list.events[i].name, name))
			return &list.events[i];
	fail_msg("%s is not listed", name);
	return NULL;
}

/* Codes as perf takes them, event number below and unit mask above. Ref: Melhus 2013, table 4.1 (r0107, the aliases);
 * Intel SDM volume 3B, events of the third generation: RESOURCE_STALLS.ANY A2H/01H, LSD.UOPS A8H/01H,
 * UOPS_DISPATCHED_PORT.PORT_5 A1H/80H. */
static void test_names_and_codes(void **state) {
	(void)state;
	assert_int_equal(find("LD_BLOCKS_PARTIAL:ADDRESS_ALIAS/r0107")->attr.config, 0x107);
	assert_int_equal(find("RESOURCE_STALLS:ANY/r01a2")->attr.config, 0x1a2);
	assert_int_equal(find("LSD:UOPS/r01a8")->attr.config, 0x1a8);
	assert_int_equal(find("UOPS_DISPATCHED_PORT:PORT_5/r80a1")->attr.config, 0x80a1);
}

/* The thesis counted about 200; every one in user mode, and no code twice. */
static void test_each_code_once(void **state) {
	(void)state;
	assert_in_range(list.count, 150, 350);
	for (unsigned i = 0; i < list.count; i++) {
		const struct perf_event_attr *attr = &list.events[i].attr;
		assert_true(list.events[i].hardware && attr->exclude_kernel && !attr->exclude_user && !attr->config1);
		for (unsigned j = 0; j < i; j++)
			assert_false(list.events[j].attr.type == attr->type && list.events[j].attr.config == attr->config);
	}
}

/* A stand-in of a processor with four counters. */
static bool fits_four(const struct ifr_perf_fit *fit, const unsigned *members, unsigned count) {
	(void)fit;
	(void)members;
	return count <= 4;
}

/* Two anchors count in every pass, two further events in each. */
static void test_passes(void **state) {
	const struct ifr_perf_fit fit = {fits_four, list.events, 0};
	int *pass = ifr_alloc(list.count * sizeof *pass);
	(void)state;
	const unsigned passes = ifr_perf_split(&fit, list.count, 2, pass);
	assert_int_equal(passes, (list.count - 2 + 1) / 2);
	for (unsigned i = 0; i < list.count; i++)
		assert_int_equal(pass[i], i < 2 ? -1 : (int)(i - 2) / 2);
	free(pass);
}

int main(void) {
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_names_and_codes, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_each_code_once, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_passes, set_up, tear_down),
	};
	setenv("LIBPFM_FORCE_PMU", "ivb", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
