/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Describes GCC's functions and variables for decisions: names, the attribute interfero, and whether code is cold. */
#include "plugin/gcc.h"

#include "plugin/passes.h"

static tree check_attribute(tree *, tree name, tree args, int, bool *no_add) {
	for (; args; args = TREE_CHAIN(args)) {
		tree value = TREE_VALUE(args);
		const char *word = value && TREE_CODE(value) == STRING_CST ? TREE_STRING_POINTER(value) : NULL;
		bool axis = word && *word == '-';
		if (word && *word && !strpbrk(word, ", \t\n") &&
		    (!axis || !strcmp(word, "-all") || ifr_axis_find(word + 1, NULL) >= 0))
			continue;
		warning(OPT_Wattributes, "%qE takes words, and %<-AXIS%> or %<-all%> for axes that keep away", name);
		*no_add = true;
		return NULL_TREE;
	}
	return NULL_TREE;
}

static struct attribute_spec attribute = {"interfero", 1, -1, true, false, false, false, check_attribute, NULL};

static void register_spec(void *, void *) {
	::register_attribute(&attribute);
}

static void add_word(struct ifr_entity *entity, const char *word) {
	if (*word != '-') {
		char *name = concat("@", word, NULL);
		ifr_entity_add_name(entity, name);
		free(name);
	} else if (!strcmp(word, "-all")) {
		entity->exempt_axes = ~0u;
	} else {
		int axis = ifr_axis_find(word + 1, NULL);
		entity->exempt_axes |= axis >= 0 ? 1u << axis : 0;
	}
}

static void add_words(struct ifr_entity *entity, tree decl) {
	tree found = lookup_attribute("interfero", DECL_ATTRIBUTES(decl));
	for (; found; found = lookup_attribute("interfero", TREE_CHAIN(found)))
		for (tree args = TREE_VALUE(found); args; args = TREE_CHAIN(args))
			add_word(entity, TREE_STRING_POINTER(TREE_VALUE(args)));
}

/* Adds the name in the source, and C++'s qualified name without parameters. A clone has the names of its origin. */
static void add_source_names(struct ifr_entity *entity, tree decl) {
	tree origin = DECL_ORIGIN(decl);
	if (!DECL_NAME(origin))
		return;
	const char *source = IDENTIFIER_POINTER(DECL_NAME(origin));
	ifr_entity_add_name(entity, source);
	char *qualified = xstrdup(lang_hooks.decl_printable_name(origin, 1));
	qualified[strcspn(qualified, "(")] = '\0';
	if (*qualified && strcmp(qualified, source))
		ifr_entity_add_name(entity, qualified);
	free(qualified);
}

/* Source names take time to make: only patterns and templates need them. */
static bool names_wanted_p(const struct ifr_unit *unit) {
	if (unit->template_wanted)
		return true;
	for (int i = 0; i < IFR_AXIS_COUNT; i++)
		if (unit->note.plan.axis[i].only || unit->note.plan.axis[i].except)
			return true;
	return false;
}

static bool cold_p(tree decl) {
	cgraph_node *node = TREE_CODE(decl) == FUNCTION_DECL ? cgraph_node::get(decl) : NULL;
	return node && node->frequency == NODE_FREQUENCY_UNLIKELY_EXECUTED;
}

const struct ifr_entity *ifr_entity_of(const struct ifr_unit *unit, tree decl) {
	static struct ifr_entity entity;
	ifr_entity_begin(&entity, gcc_assembler_name(decl));
	if (names_wanted_p(unit))
		add_source_names(&entity, decl);
	add_words(&entity, decl);
	entity.cold = cold_p(decl);
	return &entity;
}

void ifr_attribute_register(void) {
	register_callback("interfero", PLUGIN_ATTRIBUTES, register_spec, NULL);
}
