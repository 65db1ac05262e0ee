/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The report of unbuildable units, grouped by reason. */
#include <stdlib.h>
#include <string.h>

#include "common/file.h"
#include "harness/build/rebuilt_units.h"

/* A reason and the number of its units. */
struct reason_count {
	const char *reason;
	size_t units;
	const char *input, *member; /* of its first unit */
};

static void count_reason(struct reason_count **reasons, size_t *count, struct reason_count one) {
	for (size_t i = 0; i < *count; i++)
		if (!strcmp((*reasons)[i].reason, one.reason)) {
			(*reasons)[i].units++;
			return;
		}
	*reasons = ifr_realloc(*reasons, *count + 1, sizeof **reasons);
	(*reasons)[(*count)++] = one;
}

void rebuilt_units_print_unbuildable(const struct rebuilt_units *units, bool recipes, struct ifr_buffer *lines) {
	struct reason_count *reasons = NULL;
	size_t count = 0;
	for (size_t i = 0; i < units->unbuildable_count; i++)
		count_reason(&reasons, &count,
		             (struct reason_count){units->unbuildable[i].reason, 1, units->unbuildable[i].input,
		                                   units->unbuildable[i].member});
	for (size_t i = 0; i < units->count && recipes; i++)
		if (units->items[i].no_recipe)
			count_reason(&reasons, &count,
			             (struct reason_count){units->items[i].no_recipe, 1, units->items[i].input,
			                                   units->items[i].member});
	for (size_t i = 0; i < count; i++)
		ifr_buffer_printf(lines, "%zu unit%s as shipped under the compiler's axes (%s%s%s%s): %s\n",
		                  reasons[i].units, reasons[i].units > 1 ? "s stay" : " stays",
		                  ifr_path_base(reasons[i].input), *reasons[i].member ? ":" : "", reasons[i].member,
		                  reasons[i].units > 1 ? ", …" : "", reasons[i].reason);
	free(reasons);
}
