/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The mechanism behind a found trigger of an audit, as JSON. Index 1 of layouts is the worst, 0 the best. */
#include <jansson.h>
#include <stdlib.h>

#include "harness/commands/audit_mechanism.h"
#include "harness/output/output.h"

static json_t *json_side(const struct ifr_alias_name *name) {
	json_t *made = json_object();
	ifr_json_set(made, "data", ifr_json_text(name->data));
	ifr_json_set(made, "code", ifr_json_text(name->code));
	ifr_json_set(made, "address", ifr_json_count(name->address));
	ifr_json_set(made, "bytes", ifr_json_count(name->bytes));
	return made;
}

/* Null where the layouts were not compared. */
static json_t *json_counted(const struct ifr_named_aliases *aliases, uint64_t count) {
	return aliases->compared ? ifr_json_count(count) : json_null();
}

/* "loads" are those of the worst layout. */
static json_t *json_aliases(const struct ifr_named_aliases *aliases) {
	json_t *made = json_object(), *pairs = json_array(), *trials = json_array();
	for (size_t i = 0; i < aliases->count; i++) {
		json_t *pair = json_object();
		ifr_json_set(pair, "loads", ifr_json_count(aliases->items[i].count));
		ifr_json_set(pair, "loads_best", ifr_json_count(aliases->items[i].best_count));
		ifr_json_set(pair, "load", json_side(&aliases->items[i].load));
		ifr_json_set(pair, "store", json_side(&aliases->items[i].store));
		json_array_append_new(pairs, pair);
	}
	for (size_t i = 0; i < aliases->trial_count; i++) {
		json_t *trial = json_object();
		ifr_json_set(trial, "moved", ifr_json_text(aliases->trials[i].variable));
		ifr_json_set(trial, "by", json_integer(IFR_ALIAS_TRIAL_SHIFT));
		ifr_json_set(trial, "remaining", ifr_json_count(aliases->trials[i].events));
		json_array_append_new(trials, trial);
	}
	ifr_json_set(made, "loads", json_counted(aliases, aliases->events));
	ifr_json_set(made, "loads_best", json_counted(aliases, aliases->best_events));
	ifr_json_set(made, "all_pairs", json_counted(aliases, aliases->all));
	ifr_json_set(made, "differing_pairs", json_counted(aliases, aliases->differing));
	ifr_json_set(made, "pairs", pairs);
	ifr_json_set(made, "interventions", trials);
	return made;
}

static json_t *json_change(enum ifr_event event, const struct ifr_named_change *change) {
	static const char *const keys[2] = {"best", "worst"};
	json_t *made = json_object();
	ifr_json_set(made, "event", ifr_json_text(ifr_event_name(event)));
	ifr_json_set(made, "data", ifr_json_text(change->data));
	ifr_json_set(made, "code", ifr_json_text(change->code));
	ifr_json_set(made, "code_bytes", change->data ? json_null() : ifr_json_count(change->bytes));
	for (int i = 0; i < 2; i++) {
		json_t *side = json_object();
		ifr_json_set(side, "address", ifr_json_count(change->address[i]));
		ifr_json_set(side, "windows", change->data ? json_null() : ifr_json_count(change->each[i]));
		ifr_json_set(side, "events", ifr_json_count(change->events[i]));
		ifr_json_set(made, keys[i], side);
	}
	return made;
}

static json_t *json_conflict(enum ifr_event event, const struct ifr_named_conflicts *named,
                             const struct ifr_named_conflict *conflict) {
	json_t *made = json_object(), *names = json_array();
	for (size_t i = 0; i < conflict->names.count; i++)
		json_array_append_new(names, ifr_json_text(conflict->names.items[i]));
	ifr_json_set(made, "event", ifr_json_text(ifr_event_name(event)));
	ifr_json_set(made, "structure", ifr_json_text(named->structure));
	ifr_json_set(made, "ways", ifr_json_count(named->ways));
	ifr_json_set(made, "set", ifr_json_count(conflict->set));
	ifr_json_set(made, "lines", ifr_json_count(conflict->lines));
	ifr_json_set(made, "sets", ifr_json_count(conflict->sets));
	ifr_json_set(made, "names", names);
	ifr_json_set(made, "misses_best", ifr_json_count(conflict->misses[0]));
	ifr_json_set(made, "misses_worst", ifr_json_count(conflict->misses[1]));
	return made;
}

static json_t *json_loop(const struct ifr_named_loop *loop) {
	static const char *const keys[2] = {"best", "worst"};
	json_t *made = json_object();
	ifr_json_set(made, "code", ifr_json_text(loop->code));
	ifr_json_set(made, "code_bytes", ifr_json_count(loop->bytes));
	ifr_json_set(made, "rounds", ifr_json_count(loop->iterations));
	for (int i = 0; i < 2; i++) {
		json_t *side = json_object();
		ifr_json_set(side, "address", ifr_json_count(loop->address[i]));
		ifr_json_set(side, "windows", ifr_json_count(loop->windows[i]));
		ifr_json_set(side, "op_cache_slots", ifr_json_count(loop->slots[i][IFR_SOURCE_OP_CACHE]));
		ifr_json_set(side, "decoder_slots", ifr_json_count(loop->slots[i][IFR_SOURCE_DECODERS]));
		ifr_json_set(side, "loop_buffer_slots", ifr_json_count(loop->slots[i][IFR_SOURCE_LOOP_BUFFER]));
		ifr_json_set(made, keys[i], side);
	}
	return made;
}

static json_t *json_loops(const struct ifr_named_loops *loops) {
	json_t *made = json_object(), *items = json_array();
	for (size_t i = 0; i < loops->count; i++)
		json_array_append_new(items, json_loop(&loops->items[i]));
	ifr_json_set(made, "window_bytes", loops->window_bytes ? json_integer(loops->window_bytes) : json_null());
	ifr_json_set(made, "all_loops", ifr_json_count(loops->all));
	ifr_json_set(made, "head_of_run_alone", json_boolean(loops->cut));
	ifr_json_set(made, "loops", items);
	return made;
}

char *audit_mechanism_print_json(const struct ifr_mechanism *mechanism) {
	json_t *made = json_object(), *changes = json_array(), *conflicts = json_array();
	for (size_t i = 0; i < mechanism->change_count; i++)
		for (size_t j = 0; j < mechanism->changes[i].named.count; j++)
			json_array_append_new(changes,
			                      json_change(mechanism->changes[i].event, &mechanism->changes[i].named.items[j]));
	for (size_t i = 0; i < mechanism->conflict_count; i++)
		for (size_t j = 0; j < mechanism->conflicts[i].named.count; j++)
			json_array_append_new(conflicts,
			                      json_conflict(mechanism->conflicts[i].event, &mechanism->conflicts[i].named,
			                                    &mechanism->conflicts[i].named.items[j]));
	ifr_json_set(made, "aliases", json_aliases(&mechanism->aliases));
	ifr_json_set(made, "changes", changes);
	ifr_json_set(made, "conflicts", conflicts);
	ifr_json_set(made, "loops", json_loops(&mechanism->loops));
	char *text = json_dumps(made, JSON_COMPACT);
	json_decref(made);
	return text;
}
