/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Settings of a description that no experiment told: each is listed, with the reason. */
#include "harness/probe/described.h"
#include "harness/probe/findings.h"

#include <stdlib.h>
#include <string.h>

struct untold {
	const char *key; /* a setting, or a group with a dot */
	enum ifr_probe_part part;
	const char *why;
};

/* The first row of a key is its own; a group's row stands for the rest of it. */
static const struct untold table[] = {
	{"core.branch_byte", IFR_PROBE_BTB, "without a BTB no set shows it"},
	{"core.page_bytes", IFR_PROBE_TLBS, "without a TLB no page shows"},
	{"core.", IFR_PROBE_PENALTY, "the regression does not tell it"},
	{"l1i.", IFR_PROBE_CACHES, "nothing misses it"},
	{"l1d.", IFR_PROBE_CACHES, "nothing misses it"},
	{"l2.", IFR_PROBE_CACHES, "no line stays in it that the first one has not"},
	{"l3.", IFR_PROBE_CACHES, "no line stays in it that the second one has not"},
	{"itlb.", IFR_PROBE_TLBS, "nothing misses it"},
	{"dtlb.", IFR_PROBE_TLBS, "nothing misses it"},
	{"stlb.", IFR_PROBE_TLBS, "no page stays in it that the first one has not"},
	{"btb1.", IFR_PROBE_BTB, "its branches take as long as those of another level"},
	{"btb2.", IFR_PROBE_BTB, "its branches take as long as those of another level, or another level has them all"},
	{"btb3.", IFR_PROBE_BTB, "its branches take as long as those of another level, or another level has them all"},
	{"return_stack.", IFR_PROBE_RETURN, "nothing misses it"},
	{"store_buffer.", IFR_PROBE_MEMORY, "no load waits for it"},
	{"penalty.indirect", IFR_PROBE_PENALTY, "no target is mispredicted"},
	{"penalty.return", IFR_PROBE_PENALTY, "without a return stack no return is mispredicted"},
	{"penalty.btb", IFR_PROBE_PENALTY, "without a BTB nothing misses it"},
	{"penalty.l2", IFR_PROBE_PENALTY, "without a third cache its misses are those of the last one"},
	{"penalty.", IFR_PROBE_PENALTY, "no such event occurs, or none without another"},
	{"pipeline.clear", IFR_PROBE_CORE, "a load that was wrongly ahead waits for its store, too: one cost"},
	{"pipeline.counters", IFR_PROBE_CORE, "loads at all distances from each other would have to be tried"},
	{"pipeline.longest", IFR_PROBE_CORE, "no instruction tells a limit from its own latency"},
	{"pipeline.way_tag", IFR_PROBE_CACHES, "without a first data cache no line leaves it"},
	{"pipeline.", IFR_PROBE_CORE, "another structure is full first"},
	{"fetch.bytes", IFR_PROBE_FRONT, "fetch, predecoding and decoders limit the same code"},
	{"fetch.predecode", IFR_PROBE_FRONT, "fetch, predecoding and decoders limit the same code"},
	{"fetch.decoders", IFR_PROBE_FRONT, "fetch, predecoding and decoders limit the same code"},
	{"fetch.queue", IFR_PROBE_FRONT, "the window behind the queue is longer, and hides it"},
	{"fetch.ahead", IFR_PROBE_FRONT, "the queue hides how far the predictor is ahead"},
	{"fetch.calls", IFR_PROBE_BTB, "calls and returns are not timed by themselves"},
	{"fetch.indirect", IFR_PROBE_BTB, "indirect jumps are not timed by themselves"},
	{"fetch.targets", IFR_PROBE_BTB, "no two loops that were tried differ in it alone"},
	{"fetch.several", IFR_PROBE_BTB, "indirect jumps are not timed by themselves"},
	{"fetch.redirect", IFR_PROBE_PENALTY, "without a core no next slot comes"},
	{"fetch.block_tag", IFR_PROBE_BTB, "no two blocks of a kernel have equal hashes"},
	{"fetch.pairs", IFR_PROBE_BTB, "loops of jumps alone do not tell pairs of windows from two jumps of a cycle"},
	{"fetch.bubble1", IFR_PROBE_BTB, "without a BTB no branch is found"},
	{"fetch.bubble2", IFR_PROBE_BTB, "no branch shows such a BTB"},
	{"fetch.bubble3", IFR_PROBE_BTB, "no branch shows such a BTB"},
	{"fetch.", IFR_PROBE_FRONT, "no code shows it"},
	{"op_cache.switch", IFR_PROBE_FRONT, "predecoding begins anew with each switch: one cost"},
	{"op_cache.ends", IFR_PROBE_FRONT, "windows of more slots than a line has, without branches, are not timed"},
	{"op_cache.reads", IFR_PROBE_FRONT, "no experiment tells it from op_cache.width"},
	{"op_cache.policy", IFR_PROBE_FRONT, "sets that overflow a little are not timed"},
	{"op_cache.extent", IFR_PROBE_FRONT, "code is not entered at two places by turns"},
	{"op_cache.further", IFR_PROBE_FRONT, "windows of more slots than two lines have are not timed by themselves"},
	{"op_cache.constants", IFR_PROBE_FRONT, "no code has instructions of two constants"},
	{"op_cache.", IFR_PROBE_FRONT, "no code shows an op cache"},
	{"loop_buffer.", IFR_PROBE_FRONT, "no loop is locked in the queue"},
	{"prefetch.", IFR_PROBE_CACHES, "no experiment has prefetch instructions"},
	{"direction.", IFR_PROBE_HISTORY, "patterns and correlations show histories, not the sizes of tables"},
	{"indirect.", IFR_PROBE_HISTORY, "patterns and correlations show the kind, not the sizes of tables"},
};

static const struct untold *find_row(const char *key) {
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		const size_t length = strlen(table[i].key);
		if (table[i].key[length - 1] == '.' ? !strncmp(key, table[i].key, length) : !strcmp(key, table[i].key))
			return &table[i];
	}
	return NULL;
}

static void tell(struct probe_described *probe, unsigned parts, const char *group, const char *name) {
	char *key = ifr_format("%s.%s", group, name);
	const struct untold *row = find_row(key);
	if (row && parts >> row->part & 1 && !ifr_probe_find(probe->result, key))
		probe_tell_nothing(probe->result, row->part, key, "%s", row->why);
	free(key);
}

void probe_described_untold(struct probe_described *probe, unsigned parts) {
	const struct ifr_machine *machine = probe->model.machine;
	for (size_t i = 0; i < IFR_SETTINGS; i++)
		if (machine->notes[i].source)
			tell(probe, parts, ifr_settings[i].group, ifr_settings[i].name);
	for (size_t i = 0; machine->direction->parameters[i].name; i++)
		tell(probe, parts, "direction", machine->direction->parameters[i].name);
	for (size_t i = 0; machine->indirect->parameters[i].name; i++)
		tell(probe, parts, "indirect", machine->indirect->parameters[i].name);
}
