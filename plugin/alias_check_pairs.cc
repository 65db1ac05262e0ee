/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The axis alias-check: which loads may be done before which stores, and the check of their addresses.
 *
 * Let a loop store at S + i*s and load at L + i*s in iteration i. If the loads of U iterations are done before their
 * stores, the load of iteration i + d overtakes the store of iteration i, 0 <= d < U. With w bytes stored and v bytes
 * loaded, and s >= 0, both meet for some d only if -w < S - L < (U-1)*s + v, that is if
 *
 *     x = S - L + w - 1  <  span = (U-1)*s + v + w - 1        in unsigned arithmetic
 *
 * (s < 0: x is larger by (U-1)*|s|). If x < span, the loop must stay as it is. The load falsely waits for a store if
 * the same holds for the low 12 bits alone: x mod 4096 < span. These are the very loads that overtake a store. */
#include "plugin/alias_check.h"

enum { SEGMENTS_MAX = 8 };

/* The accesses of one iteration at a base and a step: the bytes low … high - 1 behind the base. */
struct segment {
	data_reference_p first;
	HOST_WIDE_INT low, high;
};

struct segments {
	struct segment item[SEGMENTS_MAX];
	unsigned count;
};

static HOST_WIDE_INT step_of(data_reference_p access) {
	return tree_to_shwi(DR_STEP(access));
}

static HOST_WIDE_INT size_of(data_reference_p access) {
	return tree_to_shwi(TYPE_SIZE_UNIT(TREE_TYPE(DR_REF(access))));
}

static bool constant_p(tree number) {
	return number && tree_fits_shwi_p(number);
}

/* Whether the address is base + constant + iteration * constant. */
static bool understood_p(data_reference_p access) {
	tree type = TREE_TYPE(DR_REF(access));
	bool bits = TREE_CODE(DR_REF(access)) == COMPONENT_REF && DECL_BIT_FIELD(TREE_OPERAND(DR_REF(access), 1));
	return DR_BASE_ADDRESS(access) && DR_OFFSET(access) && constant_p(DR_INIT(access)) &&
	       constant_p(DR_STEP(access)) && constant_p(TYPE_SIZE_UNIT(type)) && !bits &&
	       absu_hwi(step_of(access)) < PAGE_BYTES && size_of(access) > 0 && size_of(access) < PAGE_BYTES;
}

static bool same_base_p(data_reference_p a, data_reference_p b) {
	return operand_equal_p(DR_BASE_ADDRESS(a), DR_BASE_ADDRESS(b), 0) &&
	       operand_equal_p(DR_OFFSET(a), DR_OFFSET(b), 0) && step_of(a) == step_of(b);
}

static bool add_segment(struct segments *list, data_reference_p access) {
	HOST_WIDE_INT low = tree_to_shwi(DR_INIT(access)), high = low + size_of(access);
	unsigned i = 0;
	while (i < list->count && !same_base_p(list->item[i].first, access))
		i++;
	if (i == SEGMENTS_MAX)
		return false;
	struct segment *segment = &list->item[i];
	if (i == list->count) {
		*segment = {access, low, high};
		list->count++;
	}
	segment->low = MIN(segment->low, low);
	segment->high = MAX(segment->high, high);
	return segment->high - segment->low < PAGE_BYTES;
}

/* Whether a load of the iterations d = first … unroll - 1 further on overlaps the store; both have one base. */
static bool overlaps_p(data_reference_p store, data_reference_p load, unsigned first, unsigned unroll) {
	HOST_WIDE_INT begin = tree_to_shwi(DR_INIT(store)), end = begin + size_of(store);
	for (unsigned d = first; d < unroll; d++) {
		HOST_WIDE_INT at = tree_to_shwi(DR_INIT(load)) + (HOST_WIDE_INT)d * step_of(load);
		if (at < end && at + size_of(load) > begin)
			return true;
	}
	return false;
}

/* Whether the store stands before the load in the loop's one block. */
static bool before_p(data_reference_p store, data_reference_p load) {
	gimple_stmt_iterator at = gsi_for_stmt(DR_STMT(store));
	for (; !gsi_end_p(at); gsi_next(&at))
		if (gsi_stmt(at) == DR_STMT(load))
			return true;
	return false;
}

static tree address_of(const struct segment *segment) {
	tree base = fold_convert(size_type_node, unshare_expr(DR_BASE_ADDRESS(segment->first)));
	tree offset = fold_convert(size_type_node, unshare_expr(DR_OFFSET(segment->first)));
	return fold_build2(PLUS_EXPR, size_type_node, fold_build2(PLUS_EXPR, size_type_node, base, offset),
	                   build_int_cst(size_type_node, segment->low));
}

/* Adds the comparisons of a store and a load to the conditions `alias` and, unless GCC knows better, `overlap`. */
static void compare(const struct segment *store, const struct segment *load, unsigned unroll, tree *alias,
                    tree *overlap) {
	HOST_WIDE_INT step = step_of(store->first), run = (unroll - 1) * absu_hwi(step);
	HOST_WIDE_INT stored = store->high - store->low, loaded = load->high - load->low;
	tree span = build_int_cst(size_type_node, run + loaded + stored - 1);
	tree x = fold_build2(MINUS_EXPR, size_type_node, address_of(store), address_of(load));
	x = fold_build2(PLUS_EXPR, size_type_node, x,
	                build_int_cst(size_type_node, (step < 0 ? run : 0) + stored - 1));
	tree low = fold_build2(BIT_AND_EXPR, size_type_node, x, build_int_cst(size_type_node, PAGE_BYTES - 1));
	*alias =
		fold_build2(TRUTH_OR_EXPR, boolean_type_node, *alias, fold_build2(LT_EXPR, boolean_type_node, low, span));
	if (overlap)
		*overlap = fold_build2(TRUTH_OR_EXPR, boolean_type_node, *overlap,
		                       fold_build2(LT_EXPR, boolean_type_node, unshare_expr(x), span));
}

static const char *check_pair(data_reference_p store, data_reference_p load, class loop *loop, unsigned unroll) {
	if (same_base_p(store, load))
		return overlaps_p(store, load, before_p(store, load) ? 0 : 1, unroll)
		           ? "an iteration loads what another one stores"
		           : NULL;
	if (step_of(store) != step_of(load) && dr_may_alias_p(store, load, loop))
		return "a load and a store that may overlap advance by different steps";
	return NULL;
}

static const char *check_pairs(const vec<data_reference_p> &accesses, class loop *loop, unsigned unroll,
                               struct segments *stores, struct segments *loads) {
	for (unsigned i = 0; i < accesses.length(); i++)
		if (!understood_p(accesses[i]))
			return "GCC cannot tell how an address advances";
	for (unsigned i = 0; i < accesses.length(); i++) {
		data_reference_p store = accesses[i];
		if (!add_segment(DR_IS_READ(store) ? loads : stores, store))
			return "it accesses too many arrays";
		for (unsigned j = 0; DR_IS_WRITE(store) && j < accesses.length(); j++) {
			const char *why = DR_IS_READ(accesses[j]) ? check_pair(store, accesses[j], loop, unroll) : NULL;
			if (why)
				return why;
		}
	}
	return stores->count ? loads->count ? NULL : "it loads nothing" : "it stores nothing";
}

/* Whether GCC knows that none of the stores at a base overlaps any of the loads at another. */
static bool apart_p(const vec<data_reference_p> &accesses, const struct segment *store, const struct segment *load,
                    class loop *loop) {
	for (unsigned i = 0; i < accesses.length(); i++)
		for (unsigned j = 0; j < accesses.length(); j++)
			if (DR_IS_WRITE(accesses[i]) && same_base_p(accesses[i], store->first) && DR_IS_READ(accesses[j]) &&
			    same_base_p(accesses[j], load->first) && dr_may_alias_p(accesses[i], accesses[j], loop))
				return false;
	return true;
}

static const char *make_check(const vec<data_reference_p> &accesses, class loop *loop, unsigned unroll,
                              const struct segments *stores, const struct segments *loads, tree *check) {
	tree alias = boolean_false_node, overlap = boolean_false_node;
	for (unsigned i = 0; i < stores->count; i++)
		for (unsigned j = 0; j < loads->count; j++) {
			const struct segment *store = &stores->item[i], *load = &loads->item[j];
			if (!same_base_p(store->first, load->first) && step_of(store->first) == step_of(load->first))
				compare(store, load, unroll, &alias, apart_p(accesses, store, load, loop) ? NULL : &overlap);
		}
	*check = fold_build2(TRUTH_AND_EXPR, boolean_type_node, alias,
	                     fold_build1(TRUTH_NOT_EXPR, boolean_type_node, overlap));
	return integer_zerop(*check) ? "none of its loads can alias one of its stores" : NULL;
}

const char *alias_check_find(class loop *loop, unsigned unroll, tree *check) {
	vec<data_reference_p> accesses = vNULL;
	struct segments stores = {}, loads = {};
	const char *why = find_data_references_in_loop(loop, &accesses) == chrec_dont_know
	                      ? "GCC cannot analyse one of its accesses"
	                      : check_pairs(accesses, loop, unroll, &stores, &loads);
	if (!why)
		why = make_check(accesses, loop, unroll, &stores, &loads, check);
	free_data_refs(accesses);
	return why;
}
