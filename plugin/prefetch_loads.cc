/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds advised loads in the function that GCC compiles. */
#include "plugin/prefetch.h"

bool prefetch_names_p(tree function, const char *name, const char *file) {
	tree origin = DECL_ORIGIN(function);
	const char *own = gcc_assembler_name(origin);
	size_t length = ifr_prefetch_name_length(own);
	return length == strlen(name) && !strncmp(own, name, length) &&
	       (!file || !strcmp(lbasename(DECL_SOURCE_FILE(origin)), file));
}

tree prefetch_source_function_of(gimple *statement, tree whole) {
	for (tree block = gimple_block(statement); block && TREE_CODE(block) == BLOCK;
	     block = BLOCK_SUPERCONTEXT(block))
		if (inlined_function_outer_scope_p(block)) {
			tree origin = block_ultimate_origin(block);
			if (origin && TREE_CODE(origin) == FUNCTION_DECL)
				return origin;
		}
	return whole;
}

bool prefetch_calls_from_p(const struct prefetch_row *row, gimple *call, tree function) {
	return gimple_has_location(call) && prefetch_names_p(function, row->advice->caller, NULL) &&
	       gimple_lineno(call) == (int)(DECL_SOURCE_LINE(DECL_ORIGIN(function)) + row->advice->caller_line);
}

/* Whether the text of a source line is the advised one; without either, it is. */
static bool text_matches_p(const struct ifr_prefetch *advice, const char *file, int line) {
	char_span text = advice->text ? gcc_source_line(file, line) : char_span(NULL, 0);
	return !text || ifr_prefetch_text(text.get_buffer(), text.length()) == advice->text;
}

/* A load of memory in the row's function. */
static bool candidate_p(gimple *statement, struct prefetch_row *row, tree *function) {
	if (!is_gimple_assign(statement) || !gimple_assign_load_p(statement) || gimple_has_volatile_ops(statement) ||
	    TREE_CLOBBER_P(gimple_assign_rhs1(statement)) || !gimple_has_location(statement))
		return false;
	*function = prefetch_source_function(statement);
	return prefetch_names_p(*function, row->advice->function, NULL) &&
	       !strcmp(lbasename(gimple_filename(statement)), row->advice->file);
}

/* The lines of the function, as they are now, that may have the load: the advised one, or the only one of its text.
 * Returns 0 if there is none. */
static int find_line(struct prefetch_row *row) {
	const struct ifr_prefetch *advice = row->advice;
	int moved = 0;
	bool several = false;
	basic_block block;
	FOR_EACH_BB_FN(block, cfun)
	for (gimple_stmt_iterator at = gsi_start_bb(block); !gsi_end_p(at); gsi_next(&at)) {
		tree function;
		if (!candidate_p(gsi_stmt(at), row, &function))
			continue;
		int line = gimple_lineno(gsi_stmt(at));
		bool same = text_matches_p(advice, gimple_filename(gsi_stmt(at)), line);
		row->seen = true;
		row->where = gimple_location(gsi_stmt(at));
		if (same && line == (int)(DECL_SOURCE_LINE(DECL_ORIGIN(function)) + advice->line))
			return line;
		if (same && advice->text && moved != line) {
			several |= moved != 0;
			moved = line;
		}
	}
	return several ? 0 : moved;
}

/* Of the loads of a block in the line and column: the advised one of several. */
static void choose(struct prefetch_row *row, const vec<gimple *> *there, vec<gimple *> *found) {
	unsigned number = row->advice->number - 1;
	if (there->length())
		found->safe_push((*there)[number < there->length() ? number : there->length() - 1]);
}

static void find_at(struct prefetch_row *row, int line, unsigned column, vec<gimple *> *found) {
	basic_block block;
	FOR_EACH_BB_FN(block, cfun) {
		auto_vec<gimple *> there;
		for (gimple_stmt_iterator at = gsi_start_bb(block); !gsi_end_p(at); gsi_next(&at)) {
			tree function;
			gimple *statement = gsi_stmt(at);
			if (candidate_p(statement, row, &function) && (int)gimple_lineno(statement) == line &&
			    (!column || expand_location(gimple_location(statement)).column == (int)column))
				there.safe_push(statement);
		}
		choose(row, &there, found);
	}
}

void prefetch_find_loads(struct prefetch_row *row, vec<gimple *> *found) {
	int line = find_line(row);
	if (!line) {
		if (row->seen && !row->why)
			row->why = "its line has no load any more, or another text";
		return;
	}
	find_at(row, line, row->advice->column, found);
	if (found->is_empty() && row->advice->column)
		find_at(row, line, 0, found);
}
