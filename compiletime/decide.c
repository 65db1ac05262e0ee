/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "compiletime/decide.h"

#include <stdlib.h>
#include <string.h>

#include "common/random.h"
#include "common/strings.h"

/* The parameters of the axes (common/axis.c). */
enum { NOPS_RATE, NOPS_MAX, HOTNESS };
enum { ALIGN_FUNCTIONS, ALIGN_LOOPS };
enum { GIVEN_LOOP };  /* values of align that a plan gives */
enum { GIVEN_STACK }; /* of frames */
enum { FRAMES_MAX };
enum { GLOBALS_ALIGN };
enum { ALIAS_CHECK_UNROLL };
enum { GIVEN_SITE, GIVEN_SITE_BYTES }; /* of nops */
enum { SPLIT_HISTORY };
enum { GIVEN_LINE }; /* of split-loops and duplicate-joins */
enum { HOTNESS_ALL, HOTNESS_NOT_COLD, HOTNESS_COLD };
enum { FRAME_STEP_BYTES = 16 };
enum { SUBSECTIONS = IFR_SUBSECTION_LAST - 1 };

static size_t count_digits(const char *text) {
	return strspn(text, "0123456789");
}

/* The length of a ".N" or ".lto_priv.N" that begins at text, or 0. A bare number is unstable only as the first
 * component: behind a clone's kind the number belongs to the clone. */
static size_t measure_unstable_part(const char *text, bool first) {
	static const char private_mark[] = ".lto_priv.";
	size_t mark = strncmp(text, private_mark, sizeof private_mark - 1) ? 0 : sizeof private_mark - 1;
	if (!mark && !first)
		return 0;
	if (!mark)
		mark = 1;
	size_t length = mark + count_digits(text + mark);
	return length > mark && (!text[length] || text[length] == '.') ? length : 0;
}

void ifr_decide_key(const char *assembler_name, struct ifr_buffer *key) {
	static const char initialiser[] = "_GLOBAL__sub_I";
	size_t prefix = sizeof initialiser - 1;
	ifr_buffer_clear(key);
	const char *name = assembler_name + (*assembler_name == '*');
	if (!strncmp(name, initialiser, prefix - 1) && strchr("ID", name[prefix - 1]) && name[prefix - 1]) {
		ifr_buffer_append(key, name, prefix);
		return;
	}
	size_t base = strcspn(name, ".");
	/* Labels such as ".L123" have no base: their number is kept. */
	ifr_buffer_append(key, name, base);
	bool first = base > 0;
	for (name += base; *name;) {
		size_t left_out = measure_unstable_part(name, first);
		size_t component = 1 + strcspn(name + 1, ".");
		if (!left_out)
			ifr_buffer_append(key, name, component);
		name += left_out ? left_out : component;
		first = false;
	}
}

void ifr_entity_begin(struct ifr_entity *entity, const char *assembler_name) {
	ifr_decide_key(assembler_name, &entity->key);
	ifr_buffer_clear(&entity->names);
	ifr_entity_add_name(entity, assembler_name + (*assembler_name == '*'));
	entity->exempt_axes = 0;
	entity->cold = false;
}

void ifr_entity_add_name(struct ifr_entity *entity, const char *name) {
	if (entity->names.length)
		ifr_buffer_puts(&entity->names, "\t");
	/* Tabs part names, newlines part marks. */
	for (; *name; name++)
		ifr_buffer_append(&entity->names, *name == '\t' || *name == '\n' ? "_" : name, 1);
}

void ifr_entity_print_exempt(const struct ifr_entity *entity, struct ifr_buffer *text) {
	unsigned all = (1u << IFR_AXIS_COUNT) - 1;
	if (!(entity->exempt_axes & all) || (entity->exempt_axes & all) == all) {
		ifr_buffer_puts(text, entity->exempt_axes & all ? "all" : "none");
		return;
	}
	const char *comma = "";
	for (int i = 0; i < IFR_AXIS_COUNT; i++)
		if (entity->exempt_axes & 1u << i) {
			ifr_buffer_printf(text, "%s%s", comma, ifr_axes[i].key);
			comma = ",";
		}
}

void ifr_entity_release(struct ifr_entity *entity) {
	ifr_buffer_release(&entity->key);
	ifr_buffer_release(&entity->names);
}

static bool patterns_cover(const struct ifr_axis_setting *setting, const char *names) {
	if (!setting->only && !setting->except)
		return true;
	struct ifr_strings list = {0};
	ifr_strings_split(&list, names, "\t");
	static const char *const none[] = {NULL};
	bool covers = ifr_axis_setting_covers(setting, list.count ? (const char *const *)list.items : none);
	ifr_strings_release(&list);
	return covers;
}

bool ifr_decide_by_name_alone(enum ifr_axis axis) {
	return axis == IFR_AXIS_SPLIT_LOOPS || axis == IFR_AXIS_DUPLICATE_JOINS;
}

bool ifr_decide_covers(const struct ifr_plan *plan, enum ifr_axis axis, const struct ifr_entity *entity) {
	return plan->axis[axis].on && (plan->axis[axis].only || !ifr_decide_by_name_alone(axis)) &&
	       !(entity->exempt_axes & 1u << axis) &&
	       patterns_cover(&plan->axis[axis], ifr_buffer_text(&entity->names));
}

bool ifr_decide_hotness(const struct ifr_plan *plan, enum ifr_axis axis, bool cold) {
	int64_t hotness = plan->axis[axis].value[HOTNESS];
	return hotness == HOTNESS_ALL || cold == (hotness == HOTNESS_COLD);
}

/* Random bits for one decision about an entity. The words of `decision` are part of the hash key. */
static uint64_t draw_bits(const struct ifr_axis_setting *setting, enum ifr_axis axis, const char *key,
                          const char *decision, unsigned ordinal) {
	struct ifr_buffer name = {0};
	ifr_buffer_printf(&name, "%s %s %u", key, decision, ordinal);
	uint64_t random = ifr_random_keyed(setting->seed, ifr_axes[axis].key, ifr_buffer_text(&name));
	ifr_buffer_release(&name);
	return random;
}

/* The nops that the plan gives a site. */
static unsigned give_nops(const struct ifr_axis_setting *nops, unsigned ordinal) {
	const bool given = nops->given[GIVEN_SITE] == (int64_t)ordinal && nops->given[GIVEN_SITE_BYTES] > 0;
	return given ? (unsigned)nops->given[GIVEN_SITE_BYTES] : 0;
}

unsigned ifr_decide_nops_bytes(const struct ifr_axis_setting *nops, const char *key, unsigned ordinal) {
	const unsigned given = give_nops(nops, ordinal);
	if ((int64_t)ifr_random_below(draw_bits(nops, IFR_AXIS_NOPS, key, "place", ordinal), 100) >=
	    nops->value[NOPS_RATE])
		return given;
	uint64_t longest = (uint64_t)nops->value[NOPS_MAX];
	return given + 1 + (unsigned)ifr_random_below(draw_bits(nops, IFR_AXIS_NOPS, key, "length", ordinal), longest);
}

static unsigned choose_alignment_bytes(uint64_t random, unsigned least_bytes, int64_t most_bytes) {
	unsigned choices = 1;
	while ((int64_t)least_bytes << choices <= most_bytes)
		choices++;
	return least_bytes << ifr_random_below(random, choices);
}

unsigned ifr_decide_function_alignment_bytes(const struct ifr_axis_setting *align, const char *key,
                                             unsigned least_bytes) {
	uint64_t random = draw_bits(align, IFR_AXIS_ALIGN, key, "function", 0);
	return choose_alignment_bytes(random, least_bytes, align->value[ALIGN_FUNCTIONS]);
}

unsigned ifr_decide_align_function(const struct ifr_plan *plan, const struct ifr_entity *function,
                                   unsigned least_bytes) {
	if (!ifr_decide_covers(plan, IFR_AXIS_ALIGN, function) ||
	    !ifr_decide_hotness(plan, IFR_AXIS_ALIGN, function->cold))
		return 0;
	const char *key = ifr_buffer_text(&function->key);
	unsigned bytes = ifr_decide_function_alignment_bytes(&plan->axis[IFR_AXIS_ALIGN], key, least_bytes);
	return bytes > least_bytes ? bytes : 0;
}

/* A given alignment, rounded down to a power of two; 1 where none is given. */
static unsigned round_alignment(int64_t given) {
	unsigned bytes = 1;
	for (; given > 0 && 2 * bytes <= given; bytes *= 2)
		;
	return bytes;
}

unsigned ifr_decide_loop_alignment_bytes(const struct ifr_axis_setting *align, const char *key, unsigned ordinal) {
	return align->given[GIVEN_LOOP] > 0
	           ? round_alignment(align->given[GIVEN_LOOP])
	           : choose_alignment_bytes(draw_bits(align, IFR_AXIS_ALIGN, key, "loop", ordinal), 1,
	                                    align->value[ALIGN_LOOPS]);
}

unsigned ifr_decide_frame_bytes(const struct ifr_axis_setting *frames, const char *key) {
	uint64_t choices = (uint64_t)frames->value[FRAMES_MAX] / FRAME_STEP_BYTES + 1;
	return FRAME_STEP_BYTES *
	       (unsigned)ifr_random_below(draw_bits(frames, IFR_AXIS_FRAMES, key, "bytes", 0), choices);
}

unsigned ifr_decide_stack_alignment_bytes(const struct ifr_axis_setting *frames) {
	enum { ALWAYS = 16 };
	const unsigned bytes = round_alignment(frames->given[GIVEN_STACK]);
	return bytes > ALWAYS ? bytes : 0;
}

unsigned ifr_decide_variable_alignment_bytes(const struct ifr_axis_setting *globals, const char *key,
                                             unsigned least_bytes) {
	return choose_alignment_bytes(draw_bits(globals, IFR_AXIS_GLOBALS, key, "align", 0), least_bytes,
	                              globals->value[GLOBALS_ALIGN]);
}

unsigned ifr_decide_alias_check_unroll(const struct ifr_axis_setting *alias_check) {
	return (unsigned)alias_check->value[ALIAS_CHECK_UNROLL];
}

unsigned ifr_decide_split_history(const struct ifr_axis_setting *split_loops) {
	return (unsigned)split_loops->value[SPLIT_HISTORY];
}

bool ifr_decide_line(const struct ifr_axis_setting *setting, int64_t line) {
	return setting->given[GIVEN_LINE] < 0 || setting->given[GIVEN_LINE] == line;
}

uint64_t ifr_decide_rank(uint64_t seed, enum ifr_axis axis, const char *assembler_name) {
	struct ifr_buffer key = {0};
	ifr_decide_key(assembler_name, &key);
	uint64_t rank = ifr_random_keyed(seed, ifr_axes[axis].key, ifr_buffer_text(&key));
	ifr_buffer_release(&key);
	return rank;
}

static uint64_t rank_of(uint64_t seed, const char *name) {
	return ifr_decide_rank(seed, IFR_AXIS_UNIT_ORDER, name);
}

void ifr_order_release(struct ifr_order *order) {
	for (size_t i = 0; i < order->count; i++)
		free(order->entries[i].name);
	free(order->entries);
	*order = (struct ifr_order){0};
}

void ifr_order_add(struct ifr_order *order, uint64_t seed, const char *name, void *data) {
	if (order->count == order->capacity) {
		order->capacity = order->capacity ? 2 * order->capacity : 64;
		order->entries = ifr_realloc(order->entries, order->capacity, sizeof *order->entries);
	}
	order->entries[order->count++] = (struct ifr_order_entry){rank_of(seed, name), ifr_strdup(name), data};
}

static int compare_entries(const void *left, const void *right) {
	const struct ifr_order_entry *a = left, *b = right;
	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	return strcmp(a->name, b->name);
}

void ifr_order_sort(struct ifr_order *order) {
	if (order->count)
		qsort(order->entries, order->count, sizeof *order->entries, compare_entries);
}

size_t ifr_order_position(const struct ifr_order *order, uint64_t seed, const char *name) {
	char *own = ifr_strdup(name);
	struct ifr_order_entry wanted = {rank_of(seed, name), own, NULL};
	size_t low = 0, high = order->count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (compare_entries(&order->entries[middle], &wanted) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	free(own);
	return low;
}

unsigned ifr_order_subsection(const struct ifr_order *order, size_t position) {
	if (position >= order->count)
		position = order->count ? order->count - 1 : 0;
	if (order->count <= SUBSECTIONS)
		return 1 + (unsigned)position;
	return 1 + (unsigned)((uint64_t)position * SUBSECTIONS / order->count);
}
