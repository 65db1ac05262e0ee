/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/trace/paths.h"

/* Appends an execution's accesses. Returns false if they do not fit, or if there is no such block. */
static bool append_execution(const struct ifr_trace *trace, struct path *path, uint32_t execution) {
	const struct path_prefix *before = &path->prefixes[path->count];
	struct path_prefix *behind = &path->prefixes[path->count + 1];
	*behind = *before;
	if (execution == IFR_EXECUTION_BREAK)
		return true;
	const uint32_t id = execution >> 1;
	if (id >= trace->block_count)
		return false;
	const struct block_recipe *recipe = &trace->recipes[id];
	if (before->recorded + recipe->recorded > PATH_RECORDED || before->followed + recipe->followed > PATH_FOLLOWED)
		return false;
	for (uint32_t i = 0; i < recipe->recorded; i++)
		path->recorded[behind->recorded++] = (struct path_access){
			recipe->first_coder + i, (uint32_t)before->accesses + trace->recorded[recipe->first_coder + i]};
	for (uint32_t i = 0; i < recipe->followed; i++) {
		struct followed followed = trace->followed[recipe->first_followed + i];
		followed.index += before->accesses;
		followed.anchor += followed.anchor < 0 ? 0 : before->accesses;
		path->followed[behind->followed++] = followed;
	}
	behind->accesses = (uint16_t)(before->accesses + trace->shown_blocks[id].accesses);
	return true;
}

/* Follows the table's predictions from the path's history on. */
static void make_path(const struct ifr_trace *trace, struct path *path) {
	struct execution_coder *coder = trace->execution_coder;
	const uint32_t now = coder->history;
	coder->history = path->histories[0];
	path->count = path->misled = 0;
	path->prefixes[0] = (struct path_prefix){0};
	while (path->count < PATH_EXECUTIONS) {
		const uint32_t execution = *execution_predicted(coder);
		if (!append_execution(trace, path, execution))
			break;
		path->executions[path->count++] = execution;
		coder->history = execution_history(coder->history, execution);
		path->histories[path->count] = coder->history;
	}
	coder->history = now;
}

struct path *path_find(struct ifr_trace *trace, uint32_t history) {
	enum { VISITS = 4 }; /* a path that is made and not used costs more than it could save */
	const uint32_t place = history * 0x85ebca6bU >> (32 - PATH_BITS);
	struct path_key *key = &trace->path_keys[place];
	if (key->history != history)
		*key = (struct path_key){.history = history};
	if (key->visits < VISITS) {
		key->visits++;
		return NULL;
	}
	struct path *path = &trace->paths[place];
	if (!path->count || path->histories[0] != history) {
		path->histories[0] = history;
		make_path(trace, path);
	}
	return path;
}

unsigned path_match(const struct path *path, const struct execution_coder *coder, unsigned most) {
	unsigned count = 0;
	most = most < path->count ? most : path->count;
	while (count < most &&
	       coder->table[path->histories[count] >> (32 - EXECUTION_TABLE_BITS)] == path->executions[count])
		count++;
	return count;
}
