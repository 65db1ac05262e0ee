/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/optimize/pins.h"

#include <stdlib.h>
#include <string.h>

#include "common/file.h"

int pin_find_addresses(const struct ifr_relinker *relinker, const struct ifr_plan *plan, uint64_t *addresses,
                       struct ifr_error *err) {
	struct ifr_relinker_layout *layout = NULL;
	int result = ifr_relinker_place(relinker, plan, &layout, err);
	if (!result)
		result = ifr_relinker_layout_addresses(layout, addresses, err);
	ifr_relinker_layout_close(layout);
	return result;
}

int pin_spell_out(const struct ifr_relinker *relinker, const struct ifr_plan *plan, struct ifr_plan *spelled,
                  struct ifr_error *err) {
	struct ifr_relinker_layout *layout = NULL;
	struct ifr_plan order;
	ifr_plan_init(&order);
	ifr_plan_copy(spelled, plan);
	while (spelled->place_count)
		free(spelled->places[--spelled->place_count].unit);
	int result = ifr_relinker_place(relinker, plan, &layout, err);
	if (!result)
		result = ifr_relinker_layout_to_plan(layout, false, &order, err);
	spelled->axis[IFR_AXIS_FUNCTIONS].on = spelled->axis[IFR_AXIS_LINK_ORDER].on = false;
	for (size_t i = 0; i < order.place_count; i++)
		ifr_plan_place(spelled, order.places[i].unit);
	ifr_plan_release(&order);
	ifr_relinker_layout_close(layout);
	return result;
}

int pin_write_plan(const struct ifr_relinker *relinker, const struct ifr_plan *plan, const char *path,
                   struct ifr_error *err) {
	const size_t bytes = (ifr_relinker_unit_count(relinker) + 1) * sizeof(uint64_t);
	uint64_t *wanted = ifr_alloc(bytes), *spelled_out = ifr_alloc(bytes);
	struct ifr_buffer text = {0};
	struct ifr_plan spelled;
	struct ifr_error ignored = {0};
	int result = pin_find_addresses(relinker, plan, wanted, err);
	ifr_plan_init(&spelled);
	const bool same = !result && !plan->place_count && !pin_spell_out(relinker, plan, &spelled, &ignored) &&
	                  !pin_find_addresses(relinker, &spelled, spelled_out, &ignored) &&
	                  !memcmp(wanted, spelled_out, bytes);
	if (!same) {
		ifr_plan_release(&spelled);
		ifr_plan_copy(&spelled, plan);
	}
	/* Later builds have other kits. */
	*spelled.kit = '\0';
	ifr_plan_print(&spelled, &text);
	if (!result)
		result = ifr_file_write(path, text.data, text.length, 0644, err);
	ifr_plan_release(&spelled);
	ifr_buffer_release(&text);
	free(spelled_out);
	free(wanted);
	return result;
}

int pin_write_order(const struct ifr_relinker *relinker, const struct ifr_plan *plan, const char *symbols,
                    const char *sections, struct ifr_error *err) {
	struct ifr_relinker_layout *layout = NULL;
	struct ifr_plan order;
	struct ifr_buffer of_symbols = {0}, of_sections = {0};
	ifr_plan_init(&order);
	int result = ifr_relinker_place(relinker, plan, &layout, err);
	if (!result)
		result = ifr_relinker_layout_to_plan(layout, false, &order, err);
	for (size_t i = 0; i < order.place_count && !result; i++) {
		const char *unit = order.places[i].unit, *symbol = hot_unit_symbol(unit);
		if (symbol) {
			ifr_buffer_printf(&of_symbols, "%s\n", symbol);
			ifr_buffer_printf(&of_sections, "%s\n", strrchr(unit, ':') + 1);
		}
	}
	if (!result)
		result = ifr_file_write(symbols, of_symbols.data, of_symbols.length, 0644, err);
	if (!result)
		result = ifr_file_write(sections, of_sections.data, of_sections.length, 0644, err);
	ifr_relinker_layout_close(layout);
	ifr_plan_release(&order);
	ifr_buffer_release(&of_symbols);
	ifr_buffer_release(&of_sections);
	return result;
}
