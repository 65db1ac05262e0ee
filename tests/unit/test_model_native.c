/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The nearest description of processors whose family and model are public: those of /proc/cpuinfo in bug reports and
 * in Linux' lists of processors. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/machines/machine.h"
#include "model/machines/native.h"

static const struct {
	const char *vendor;
	unsigned family, model;
	const char *name; /* NULL: none is near */
	bool same;
} known[] = {
	{"GenuineIntel", 6, 23, "core2-e5440", true},      /* Xeon E5440 */
	{"GenuineIntel", 6, 58, "ivybridge", true},        /* Core i7-3770 */
	{"GenuineIntel", 6, 62, "ivybridge", true},        /* Xeon E5-2690 v2 */
	{"GenuineIntel", 6, 42, "ivybridge", false},       /* Core i7-2600 */
	{"GenuineIntel", 6, 60, "haswell", true},          /* Core i7-4770 */
	{"GenuineIntel", 6, 63, "haswell", true},          /* Xeon E5-2680 v3 */
	{"GenuineIntel", 6, 79, "haswell", false},         /* Xeon E5-2680 v4 */
	{"GenuineIntel", 6, 94, "skylake", true},          /* Core i7-6700 */
	{"GenuineIntel", 6, 158, "skylake", true},         /* Core i7-8700 */
	{"GenuineIntel", 6, 165, "skylake", true},         /* Core i9-10900 */
	{"GenuineIntel", 6, 85, "skylake-server", true},   /* Xeon Platinum 8175M */
	{"GenuineIntel", 6, 106, "icelake-server", true},  /* Xeon Platinum 8375C */
	{"GenuineIntel", 6, 126, "icelake-server", false}, /* Core i7-1065G7 */
	{"GenuineIntel", 6, 140, "icelake-server", false}, /* Core i7-1165G7 */
	{"GenuineIntel", 6, 151, "goldencove", true},      /* Core i9-12900K */
	{"GenuineIntel", 6, 143, "goldencove", false},     /* Xeon Platinum 8488C */
	{"GenuineIntel", 6, 207, "goldencove", false},     /* Xeon Platinum 8592+ */
	{"GenuineIntel", 6, 190, NULL, false},             /* N100: Gracemont */
	{"GenuineIntel", 6, 26, NULL, false},              /* Xeon X5570: Nehalem */
	{"AuthenticAMD", 23, 1, "zen2", false},            /* EPYC 7551: Zen */
	{"AuthenticAMD", 23, 49, "zen2", true},            /* EPYC 7742 */
	{"AuthenticAMD", 23, 113, "zen2", true},           /* Ryzen 9 3900X */
	{"AuthenticAMD", 25, 1, "zen3", true},             /* EPYC 7763 */
	{"AuthenticAMD", 25, 33, "zen3", true},            /* Ryzen 9 5950X */
	{"AuthenticAMD", 25, 80, "zen3", true},            /* Ryzen 7 5700G */
	{"AuthenticAMD", 25, 17, "zen4", true},            /* EPYC 9654 */
	{"AuthenticAMD", 25, 97, "zen4", true},            /* Ryzen 9 7950X */
	{"AuthenticAMD", 25, 160, "zen4", true},           /* EPYC 9754 */
	{"AuthenticAMD", 26, 2, "zen5", true},             /* EPYC 9755 */
	{"AuthenticAMD", 26, 68, "zen5", true},            /* Ryzen 9 9950X */
	{"AuthenticAMD", 21, 2, NULL, false},              /* Opteron 6376 */
	{"HygonGenuine", 24, 0, NULL, false},
	{"GenuineIntel", 25, 1, NULL, false},
};

static void test_known(void **state) {
	(void)state;
	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		struct ifr_processor processor = {.family = known[i].family, .model = known[i].model};
		struct ifr_machine *machine;
		bool is_same = false;
		memcpy(processor.vendor, known[i].vendor, sizeof processor.vendor);
		const char *name = ifr_processor_find(&processor, &is_same);
		if (!known[i].name != !name || (name && (strcmp(name, known[i].name) || is_same != known[i].same)))
			fail_msg("%s family %u model %u is %s", known[i].vendor, known[i].family, known[i].model,
			         name ? name : "none");
		if (!name)
			continue;
		assert_int_equal(ifr_machine_open(&machine, name, NULL), 0);
		ifr_machine_free(machine);
	}
}

/* Only the name "native" is another's; changes stay behind it. */
static void test_resolve(void **state) {
	static const char *const others[] = {"zen3", "nativ", "natives,l1d.ways=4", "./native.cfg", ""};
	struct ifr_processor processor;
	struct ifr_error err = {0};
	char *resolved, *note;
	bool is_same;
	(void)state;
	setenv("XDG_CONFIG_HOME", "/nonexistent", 1);
	for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
		assert_int_equal(ifr_machine_resolve(others[i], &resolved, &note, &err), 0);
		assert_string_equal(resolved, others[i]);
		assert_null(note);
		free(resolved);
	}
	ifr_processor_read(&processor);
	const char *name = ifr_processor_find(&processor, &is_same);
	const int result = ifr_machine_resolve("native,l1d.ways=4", &resolved, &note, &err);
	assert_int_equal(result, name ? 0 : -IFR_E_USAGE);
	if (name) {
		assert_int_equal(strncmp(resolved, name, strlen(name)), 0);
		assert_string_equal(resolved + strlen(name), ",l1d.ways=4");
		assert_non_null(strstr(note, name));
	} else {
		assert_non_null(strstr(err.message, "--machine help"));
	}
	free(resolved);
	free(note);
}

int main(void) {
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_known),
		cmocka_unit_test(test_resolve),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
