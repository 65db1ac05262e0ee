/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Units that stay as they ship, and why. */
#include <stdlib.h>
#include <string.h>

#include "common/file.h"
#include "harness/build/rebuilt_units.h"

/* One reason with the units that it holds for. */
struct left_reason {
	const char *reason;
	size_t units;
	const char *input, *member; /* of the first */
};

static void count_reason(struct left_reason **reasons, size_t *count, struct left_reason one) {
	for (size_t i = 0; i < *count; i++)
		if (!strcmp((*reasons)[i].reason, one.reason)) {
			(*reasons)[i].units++;
			return;
		}
	*reasons = ifr_realloc(*reasons, *count + 1, sizeof **reasons);
	(*reasons)[(*count)++] = one;
}

void rebuilt_units_print_unbuildable(const struct rebuilt_units *units, bool recipes, struct ifr_buffer *lines) {
	struct left_reason *reasons = NULL;
	size_t count = 0;
	for (size_t i = 0; i < units->left_count; i++)
		count_reason(&reasons, &count,
		             (struct left_reason){units->left[i].reason, 1, units->left[i].input, units->left[i].member});
	for (size_t i = 0; i < units->count && recipes; i++)
		if (units->items[i].no_recipe)
			count_reason(
				&reasons, &count,
				(struct left_reason){units->items[i].no_recipe, 1, units->items[i].input, units->items[i].member});
	for (size_t i = 0; i < count; i++)
		ifr_buffer_printf(lines, "%zu unit%s as shipped under the compiler's axes (%s%s%s%s): %s\n",
		                  reasons[i].units, reasons[i].units > 1 ? "s stay" : " stays",
		                  ifr_path_base(reasons[i].input), *reasons[i].member ? ":" : "", reasons[i].member,
		                  reasons[i].units > 1 ? ", …" : "", reasons[i].reason);
	free(reasons);
}
