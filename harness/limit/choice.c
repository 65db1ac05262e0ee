/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The choice of the procedure that ends the program. */
#include "harness/limit/stages.h"

static bool is_better(const struct procedure *a, const struct procedure *b) {
	return a->count != b->count ? a->count < b->count : a->last_ns > b->last_ns;
}

const struct procedure *choose_procedure(const struct procedures *procedures, int64_t budget_ns) {
	static const int windows_pct[] = {10, 25, 50};
	for (size_t w = 0; w < sizeof windows_pct / sizeof *windows_pct; w++) {
		int64_t from_ns = budget_ns - budget_ns / 100 * windows_pct[w];
		const struct procedure *best = NULL;
		for (size_t i = 0; i < procedures->count; i++) {
			const struct procedure *procedure = &procedures->items[i];
			if (procedure->count && procedure->last_ns >= from_ns && (!best || is_better(procedure, best)))
				best = procedure;
		}
		if (best)
			return best;
	}
	return NULL;
}
