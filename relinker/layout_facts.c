/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The facts of a variant: a line for each axis that changed it. */
#include <inttypes.h>

#include "relinker/relinker_parts.h"

static void print_text(const struct ifr_relinker_layout *layout, struct ifr_buffer *facts) {
	const struct placement *placement = &layout->placement;
	const struct placed_output *text = &placement->outputs[OUTPUT_TEXT];
	const struct ifr_axis_setting *axis = layout->plan.axis;
	if (axis[IFR_AXIS_FUNCTIONS].on || axis[IFR_AXIS_LINK_ORDER].on)
		ifr_buffer_printf(facts, "%s: %zu of %zu units at another position\n",
		                  axis[IFR_AXIS_LINK_ORDER].on
		                      ? axis[IFR_AXIS_FUNCTIONS].on ? "functions in object files" : "link-order"
		                      : "functions",
		                  text->moved, text->count);
	if (axis[IFR_AXIS_PADDING].on)
		ifr_buffer_printf(facts, "padding: %" PRIu64 " bytes in all\n", text->padding_bytes);
	if (axis[IFR_AXIS_BASE].on)
		ifr_buffer_printf(facts, "base: +%" PRIu64 " bytes\n", placement->base_bytes);
}

static void print_data(const struct ifr_relinker_layout *layout, struct ifr_buffer *facts) {
	size_t moved = 0, count = 0;
	uint64_t bytes = 0;
	for (int r = OUTPUT_TEXT + 1; r < OUTPUTS; r++) {
		moved += layout->placement.outputs[r].moved;
		count += layout->placement.outputs[r].count;
		bytes += layout->placement.outputs[r].padding_bytes;
	}
	if (layout->plan.axis[IFR_AXIS_DATA].on && count)
		ifr_buffer_printf(facts, "data: %zu of %zu units at another position, %" PRIu64 " bytes of padding\n",
		                  moved, count, bytes);
	else if (layout->plan.axis[IFR_AXIS_DATA].on)
		ifr_buffer_printf(facts, "data: nothing can be moved%s%s\n", layout->relinker->unread.code ? ": " : "",
		                  layout->relinker->unread.message);
}

static void print_places(const struct ifr_relinker_layout *layout, struct ifr_buffer *facts) {
	const struct placement *placement = &layout->placement;
	if (layout->plan.place_count)
		ifr_buffer_printf(facts, "places: %zu of %zu followed", placement->places, layout->plan.place_count);
	if (placement->unknown)
		ifr_buffer_printf(facts, "; %zu name no unit of this program", placement->unknown);
	if (layout->plan.place_count)
		ifr_buffer_puts(facts, "\n");
	if (placement->pinned)
		ifr_buffer_printf(facts, "held: %zu unit%s where %s\n", placement->pinned,
		                  placement->pinned > 1 ? "s" : "", placement->pinned > 1 ? "they ship" : "it ships");
}

static void print_names(const struct ifr_relinker_layout *layout, struct ifr_buffer *facts) {
	const struct placement *placement = &layout->placement;
	if (!layout->plan.axis[IFR_AXIS_NAMES].on)
		return;
	if (sections_find(&layout->relinker->sections, ".dynsym"))
		ifr_buffer_printf(facts, "names: +%" PRIu64 " external functions, the first name +%" PRIu64 " bytes\n",
		                  placement->names, placement->name_bytes);
	else
		ifr_buffer_puts(facts, "names: the program has no dynamic symbols\n");
}

void layout_print_facts(const struct ifr_relinker_layout *layout, const struct ifr_buffer *bytes,
                        struct ifr_buffer *facts) {
	const struct ifr_relinker *relinker = layout->relinker;
	struct sections sections;
	print_text(layout, facts);
	print_data(layout, facts);
	if (layout->plan.axis[IFR_AXIS_INTERP].on && ld_interpreter_of(relinker->kit))
		ifr_buffer_printf(facts, "interp: path +%" PRIu64 " bytes\n", layout->placement.sizes.interp_bytes);
	else if (layout->plan.axis[IFR_AXIS_INTERP].on)
		ifr_buffer_puts(facts, "interp: the program has no interpreter\n");
	print_names(layout, facts);
	print_places(layout, facts);
	if (!sections_read(&sections, ifr_buffer_text(bytes), bytes->length, "the variant", NULL)) {
		ifr_buffer_puts(facts, "sections: ");
		sections_compare(&relinker->sections, &sections, facts);
		ifr_buffer_puts(facts, "\n");
	}
	sections_release(&sections);
}
