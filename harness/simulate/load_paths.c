/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/simulate/load_paths.h"

#include <stdlib.h>
#include <string.h>

#include "common/strings.h"
#include "harness/simulate/site_names.h"

enum { SHOWN = 8, BITS = 64 };

static char *describe_outcomes(uint64_t key, unsigned length) {
	if (length > BITS)
		return NULL;
	char *text = ifr_alloc(length + 1);
	for (unsigned i = 0; i < length; i++)
		text[i] = key >> i & 1 ? 'm' : 'h';
	return text;
}

/* The line of the branch that ends a block. */
static char *name_block(struct ifr_site_names *names, const struct ifr_trace_block *blocks, uint32_t block) {
	if (block == IFR_EXECUTION_BREAK)
		return ifr_strdup("interrupted");
	return ifr_site_code(names, blocks[block].normalised + (blocks[block].bytes ? blocks[block].bytes - 1 : 0));
}

/* How many blocks, counted from the load's own back, two paths have alike. */
static unsigned count_alike(const struct ifr_load_path *a, const struct ifr_load_path *b) {
	unsigned alike = 0;
	while (alike < a->count && alike < b->count &&
	       a->blocks[a->count - 1 - alike] == b->blocks[b->count - 1 - alike])
		alike++;
	return alike;
}

/* How many blocks before the load's own tell a path from the others of its load. */
static unsigned find_telling(const struct ifr_load_path *paths, size_t count, size_t path) {
	unsigned telling = 1;
	for (size_t i = 0; i < count; i++) {
		const unsigned alike = i == path ? 0 : count_alike(&paths[i], &paths[path]);
		telling = alike > telling ? alike : telling;
	}
	return telling < paths[path].count ? telling : paths[path].count - 1;
}

/* Describes a path from so many blocks before the load's own on. */
static char *describe_path(struct ifr_site_names *names, const struct ifr_trace_block *blocks,
                           const struct ifr_load_path *path, unsigned from) {
	struct ifr_strings parts = {0};
	struct ifr_buffer text = {0};
	for (unsigned i = path->count - 1 - from; i + 1 < path->count && parts.count <= SHOWN; i++) {
		char *part = name_block(names, blocks, path->blocks[i]);
		if (parts.count && !strcmp(parts.items[parts.count - 1], part))
			free(part);
		else
			ifr_strings_take(&parts, part);
	}
	for (size_t i = 0; i < parts.count && i < SHOWN; i++)
		ifr_buffer_printf(&text, "%s%s", i ? ", " : "", parts.items[i]);
	ifr_buffer_puts(&text, parts.count > SHOWN ? ", …" : "");
	ifr_strings_release(&parts);
	return ifr_buffer_detach(&text);
}

/* Describes the paths of one load. */
static void describe_paths(struct ifr_site_names *names, const struct ifr_trace_block *blocks,
                           const struct ifr_load_path *paths, struct ifr_described_context *contexts,
                           size_t count) {
	for (size_t i = 0; i < count; i++)
		contexts[i].text = describe_path(names, blocks, &paths[i], find_telling(paths, count, i));
}

/* How many contexts from the first on are of one load. */
static size_t count_group(const struct ifr_described_context *contexts, size_t count) {
	size_t same = 1;
	while (same < count && contexts[same].load == contexts[0].load)
		same++;
	return same;
}

void ifr_contexts_describe(struct ifr_trace *trace, const struct ifr_load_sites *sites,
                           struct ifr_described_context *contexts, size_t count) {
	const struct ifr_trace_block *blocks;
	struct ifr_load_path *paths = ifr_alloc((count + 1) * sizeof *paths);
	size_t path_count = 0;
	ifr_trace_blocks(trace, &blocks);
	for (size_t i = 0; i < count; i++)
		if (contexts[i].kind == IFR_LOAD_CONTEXT_CONTROL_FLOW) {
			paths[path_count].moment = contexts[i].context->first;
			paths[path_count++].length = contexts[i].length;
		}
	if (path_count)
		ifr_load_paths_find(trace, sites, paths, path_count);
	struct ifr_site_names *names = ifr_site_names_new(trace);
	path_count = 0;
	for (size_t i = 0, group; i < count; i += group) {
		group = count_group(contexts + i, count - i);
		if (contexts[i].kind == IFR_LOAD_CONTEXT_CONTROL_FLOW) {
			describe_paths(names, blocks, paths + path_count, contexts + i, group);
			path_count += group;
			continue;
		}
		for (size_t k = i; k < i + group; k++)
			contexts[k].text = describe_outcomes(contexts[k].context->key, contexts[k].length);
	}
	ifr_site_names_free(names);
	free(paths);
}
