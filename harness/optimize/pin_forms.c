/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A layout as a script for ld.bfd, and as attributes for gcc. docs/experiments.md says what each form promises. */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/file.h"
#include "harness/optimize/pins.h"
#include "harness/output/output.h"

enum { PAGE_BYTES = 4096, ALIGNMENT_MOST = 64 };

/* A function with a section of its own, at its address in the layout. */
struct placed_function {
	struct ifr_relinker_unit unit;
	const char *symbol;
	uint64_t address;
};

static int by_address(const void *a, const void *b) {
	const struct placed_function *x = a, *y = b;
	return (x->address > y->address) - (x->address < y->address);
}

/* Whether scripts and C take a name as it is. */
static bool is_plain(const char *name, const char *more) {
	for (; *name; name++)
		if (!isalnum((unsigned char)*name) && *name != '_' && !strchr(more, *name))
			return false;
	return true;
}

/* Lists the functions that a layout may move, by address; the caller frees. */
static int list_functions(const struct ifr_relinker *relinker, const struct ifr_plan *plan,
                          struct placed_function **functions, size_t *count, struct ifr_error *err) {
	const size_t units = ifr_relinker_unit_count(relinker);
	uint64_t *addresses = ifr_alloc((units + 1) * sizeof *addresses);
	*functions = ifr_alloc((units + 1) * sizeof **functions);
	*count = 0;
	int result = pin_find_addresses(relinker, plan, addresses, err);
	for (size_t i = 0; i < units && !result; i++) {
		struct placed_function function = {.address = addresses[i]};
		ifr_relinker_unit(relinker, i, &function.unit);
		function.symbol = hot_unit_symbol(function.unit.name);
		if (function.symbol && !function.unit.pin && function.unit.bytes && is_plain(function.unit.section, ".$"))
			(*functions)[(*count)++] = function;
	}
	qsort(*functions, *count, sizeof **functions, by_address);
	free(addresses);
	return result;
}

/* --- ld.bfd ------------------------------------------------------------------------------------------------------ */

/* The file of a function as a pattern: "*lvm.o", "*liblua.a:lvm.o", or "*" for the compiler's temporary files. */
static char *file_pattern(const struct ifr_relinker_unit *unit) {
	const char *base = ifr_path_base(unit->file), *more = ".$+-=@,~";
	const size_t length = strlen(base);
	if (!is_plain(base, more) || (unit->member && !is_plain(unit->member, more)))
		return ifr_strdup("*");
	if (unit->member)
		return ifr_format("*%s:%s", base, unit->member);
	return !strncmp(unit->name, base, length) && unit->name[length] == ':' ? ifr_format("*%s", base)
	                                                                       : ifr_strdup("*");
}

/* Functions keep their addresses modulo a page as long as none before them has grown over its successor: MAX lets it
 * push the others instead of failing the link. */
static void print_script(const struct placed_function *functions, size_t count, struct ifr_buffer *text) {
	const uint64_t start = count ? functions->address & ~(uint64_t)(PAGE_BYTES - 1) : 0;
	ifr_buffer_puts(text, "/* gcc -ffunction-sections ... -Wl,-T,THIS_FILE */\n"
	                      "SECTIONS\n{\n  .text.pinned : ALIGN(4096)\n  {\n");
	for (size_t i = 0; i < count; i++) {
		char *file = file_pattern(&functions[i].unit);
		ifr_buffer_printf(text, "    . = MAX(., 0x%" PRIx64 "); %s(%s)\n", functions[i].address - start, file,
		                  functions[i].unit.section);
		free(file);
	}
	ifr_buffer_puts(text, "  }\n}\nINSERT BEFORE .text;\n");
}

/* --- gcc --------------------------------------------------------------------------------------------------------- */

/* The largest power of two, up to a line of cache, that divides an address. */
static uint64_t alignment_of(uint64_t address) {
	uint64_t bytes = 1;
	while (bytes < ALIGNMENT_MOST && !(address & bytes))
		bytes *= 2;
	return bytes;
}

/* The alignment of loops that the plan gives to a function; 0 for none. */
static uint64_t loop_alignment(const struct ifr_plan *plan, const char *symbol) {
	const struct ifr_axis_setting *align = &plan->axis[IFR_AXIS_ALIGN];
	const char *const names[] = {symbol, NULL};
	return align->on && align->given[0] > 1 && ifr_axis_setting_covers(align, names) ? (uint64_t)align->given[0]
	                                                                                 : 0;
}

static void print_attributes(const struct ifr_plan *plan, const struct placed_function *functions, size_t count,
                             struct ifr_buffer *text) {
	enum { USUAL_ALIGNMENT = 16 };
	struct ifr_strings known = {0};
	uint64_t common = ALIGNMENT_MOST;
	for (size_t i = 0; i < count; i++)
		common = alignment_of(functions[i].address) < common ? alignment_of(functions[i].address) : common;
	ifr_buffer_puts(text,
	                "/* Attributes that give functions their order in the file (ld.bfd sorts .text.sorted.*) and "
	                "their alignment:\n *\n *     #include \"THIS_FILE\"\n *     INTERFERO_PIN_f int f(void) "
	                "{ ... }\n */\n");
	if (count && common > USUAL_ALIGNMENT)
		ifr_buffer_printf(text, "/* -falign-functions=%" PRIu64 " gives all of them their alignment. */\n",
		                  common);
	for (size_t i = 0; i < count; i++) {
		const struct placed_function *function = &functions[i];
		const uint64_t bytes = alignment_of(function->address), loops = loop_alignment(plan, function->symbol);
		if (!is_plain(function->symbol, "") || ifr_strings_contain(&known, function->symbol))
			continue;
		ifr_strings_add(&known, function->symbol);
		ifr_buffer_printf(text, "#define INTERFERO_PIN_%s __attribute__((section(\".text.sorted.%06zu\")",
		                  function->symbol, i);
		if (bytes > USUAL_ALIGNMENT)
			ifr_buffer_printf(text, ", aligned(%" PRIu64 ")", bytes);
		if (loops)
			ifr_buffer_printf(text, ", optimize(\"align-loops=%" PRIu64 "\")", loops);
		ifr_buffer_puts(text, "))\n");
	}
	ifr_strings_release(&known);
}

/* --- files ------------------------------------------------------------------------------------------------------- */

char *pin_form_file(const char *plan_file, const char *suffix) {
	const size_t length = strlen(plan_file) - (ifr_ends_with(plan_file, ".plan") ? strlen(".plan") : 0);
	return ifr_format("%.*s%s", (int)length, plan_file, suffix);
}

static int write_form(const char *plan_file, const char *suffix, const struct ifr_buffer *text,
                      struct ifr_error *err) {
	char *path = pin_form_file(plan_file, suffix);
	const int result = ifr_file_write(path, ifr_buffer_text(text), text->length, 0644, err);
	free(path);
	return result;
}

int pin_write_forms(const struct ifr_relinker *relinker, const struct ifr_plan *plan, const char *plan_file,
                    struct ifr_error *err) {
	struct placed_function *functions = NULL;
	size_t count = 0;
	struct ifr_buffer script = {0}, attributes = {0};
	int result = list_functions(relinker, plan, &functions, &count, err);
	if (!result) {
		print_script(functions, count, &script);
		print_attributes(plan, functions, count, &attributes);
		result = write_form(plan_file, ".ld", &script, err);
	}
	if (!result)
		result = write_form(plan_file, ".h", &attributes, err);
	ifr_buffer_release(&script);
	ifr_buffer_release(&attributes);
	free(functions);
	return result;
}

/* --- text -------------------------------------------------------------------------------------------------------- */

void pin_text(const char *plan_file, const char *program, struct ifr_buffer *out) {
	struct ifr_buffer build = {0}, linked = {0};
	char *order = pin_form_file(plan_file, ".order"), *sections = pin_form_file(plan_file, ".sections"),
		 *script = pin_form_file(plan_file, ".ld"), *attributes = pin_form_file(plan_file, ".h");
	/* Make does not link a program that is up to date; makes that run others in their folders need the whole path. */
	ifr_buffer_puts(&build, "rm ");
	ifr_quote_shell(&build, program);
	ifr_buffer_puts(&build, *plan_file == '/' ? " && INTERFERO_LAYOUT=" : " && INTERFERO_LAYOUT=$PWD/");
	ifr_quote_shell(&build, plan_file);
	ifr_buffer_puts(&build, " make CC=interfero-gcc");
	ifr_buffer_puts(&linked, "interfero pin --plan ");
	ifr_quote_shell(&linked, plan_file);
	ifr_buffer_puts(&linked, " ");
	ifr_quote_shell(&linked, program);
	ifr_buffer_puts(out, "\nTo build with it, or to give it to the file that is linked:\n");
	ifr_text_command(out, ifr_buffer_text(&build), "    ");
	ifr_text_command(out, ifr_buffer_text(&linked), "    ");
	char *others =
		ifr_format("Without interfero: %s for ld.bfd's -T gives order and distances, %s for gcc order and "
	               "alignments, %s for --symbol-ordering-file of lld and %s for --section-ordering-file of "
	               "gold the order alone.",
	               script, attributes, order, sections);
	ifr_text_wrap(out, others, "", "    ");
	free(others);
	free(order);
	free(sections);
	free(script);
	free(attributes);
	ifr_buffer_release(&build);
	ifr_buffer_release(&linked);
}
