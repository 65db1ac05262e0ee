/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks of the dependence graph by small programs: against the simulator that walks cycles, and against itself with a
 * figure of the machine changed. */
#ifndef IFR_TESTS_MODEL_CORE_CHECK_H
#define IFR_TESTS_MODEL_CORE_CHECK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/model_kernel.h"

#define CODE UINT64_C(0x400580)
#define DATA UINT64_C(0x601000)

/* A program; a change of the machine that it must notice (NULL: none); and how far graph and simulator may differ, in
 * percent: 0 where both define all of it the same way. They do not for the counters of disambiguation, which learn from
 * a load at once in the graph and when it has executed in the simulator, some fifty loads later; nor for loads across
 * lines and for ports among which the order of equal choices decides. */
struct core_check {
	const char *name, *machine, *without;
	void (*build)(struct kernel *kernel);
	double pct;
};

/* Each returns NULL, or a complaint, which the caller frees. The first: the graph and the simulator count the same cycles
 * and slots. */
char *core_check_simulated(const struct core_check *check);
/* The second: the change moves cycles or slots: a rule that were not there would not notice that its figure changes. */
char *core_check_rule(const struct core_check *check);

/* Fails the test with the first complaint of one of these about a list. Inline, as not all that is linked with these
 * checks has cmocka. */
static inline void core_check_each(const struct core_check *checks, size_t count,
                                   char *(*check)(const struct core_check *)) {
	for (size_t i = 0; i < count; i++) {
		char *complaint = check(&checks[i]);
		if (complaint)
			fail_msg("%s", complaint);
	}
}

/* Cycles of a program by the graph. */
int64_t core_graph_cycles(const struct kernel *kernel, const char *spec, struct cycles_result *result);
/* Cycles of an iteration of so many steps in the long run: of the last half of a program against the first. */
double core_iteration_cycles(void (*build)(struct kernel *), const char *spec, unsigned steps);

#endif
