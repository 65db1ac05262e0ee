/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/optimize/pins.h"

#include <stdlib.h>
#include <string.h>

#include "common/file.h"

int pin_write_plan(const struct ifr_plan *plan, const char *path, struct ifr_error *err) {
	struct ifr_buffer text = {0};
	ifr_plan_print(plan, &text);
	int result = ifr_file_write(path, text.data, text.length, 0644, err);
	ifr_buffer_release(&text);
	return result;
}

/* The symbol of "lvm.o:.text.luaV_execute", or NULL: GCC puts start-up and seldom executed functions into sections of
 * these names. */
static const char *symbol_of(const char *unit) {
	static const char *const kinds[] = {"unlikely.", "startup.", "hot.", "exit."};
	const char *colon = strrchr(unit, ':');
	if (!colon || !ifr_starts_with(colon + 1, ".text."))
		return NULL;
	const char *symbol = colon + strlen(":.text.");
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (ifr_starts_with(symbol, kinds[i]))
			return symbol + strlen(kinds[i]);
	return *symbol ? symbol : NULL;
}

int pin_write_order(const struct ifr_relinker *relinker, const struct ifr_plan *plan, const char *path,
                    struct ifr_error *err) {
	struct ifr_relinker_layout *layout = NULL;
	struct ifr_plan order;
	struct ifr_buffer text = {0};
	ifr_plan_init(&order);
	int result = ifr_relinker_place(relinker, plan, &layout, err);
	if (!result)
		result = ifr_relinker_layout_to_plan(layout, false, &order, err);
	for (size_t i = 0; i < order.place_count && !result; i++) {
		const char *symbol = symbol_of(order.places[i].unit);
		if (symbol)
			ifr_buffer_printf(&text, "%s\n", symbol);
	}
	if (!result)
		result = ifr_file_write(path, text.data, text.length, 0644, err);
	ifr_relinker_layout_close(layout);
	ifr_plan_release(&order);
	ifr_buffer_release(&text);
	return result;
}
