/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/cluster/slurm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/file.h"
#include "common/process.h"

/* The kind of a piece: kinds take turns by repetition, also where more repetitions are added. */
static unsigned kind_of(const struct ifr_cluster *cluster, const struct pieces *pieces, unsigned number) {
	return number / pieces->chunks % cluster->kinds;
}

/* Numbers of a slice as Slurm takes them: 0-3,7. */
static char *list_numbers(const struct ifr_cluster *cluster, const struct pieces *pieces, unsigned kind,
                          unsigned slice, const bool *wanted) {
	struct ifr_buffer text = {0};
	const unsigned first = slice * SLURM_SLICE,
				   last = first + SLURM_SLICE < pieces->count ? first + SLURM_SLICE : pieces->count;
	for (unsigned i = first; i < last;) {
		unsigned end = i;
		while (end < last && wanted[end] && kind_of(cluster, pieces, end) == kind)
			end++;
		if (end > i)
			ifr_buffer_printf(&text, "%s%u-%u", text.length ? "," : "", i - first, end - 1 - first);
		i = end > i ? end : i + 1;
	}
	return text.length ? ifr_buffer_detach(&text) : NULL;
}

static void add_option(struct ifr_strings *argv, const char *name, const char *value) {
	if (value)
		ifr_strings_take(argv, ifr_format("--%s=%s", name, value));
}

void slurm_describe(const struct ifr_cluster *cluster, const struct pieces *pieces, const char *name,
                    unsigned kind, unsigned slice, const bool *wanted, struct ifr_strings *argv) {
	char *numbers = list_numbers(cluster, pieces, kind, slice, wanted), *self = ifr_path_self();
	if (numbers) {
		ifr_strings_add(argv, "sbatch");
		ifr_strings_add(argv, "--parsable");
		ifr_strings_add(argv, "--requeue");
		ifr_strings_add(argv, "--nodes=1");
		ifr_strings_add(argv, "--ntasks=1");
		/* Whole cores: a sibling thread of the measured one stays idle. */
		ifr_strings_add(argv, "--hint=nomultithread");
		ifr_strings_take(argv, ifr_format("--cpus-per-task=%u", cluster->cores));
		add_option(argv, "partition", cluster->partition);
		add_option(argv, "account", cluster->account);
		add_option(argv, "time", cluster->time_limit);
		add_option(argv, "constraint", cluster->constraints[kind]);
		ifr_strings_take(argv, ifr_format("--job-name=%s-%u", name, slice));
		add_option(argv, "chdir", pieces->folder);
		ifr_strings_add(argv, "--output=log-%A-%a");
		add_option(argv, "array", numbers);
		ifr_strings_take(argv, ifr_format("%s/piece.sh", pieces->folder));
		ifr_strings_add(argv, self);
		ifr_strings_add(argv, pieces->folder);
		ifr_strings_take(argv, ifr_format("%u", slice * SLURM_SLICE));
	}
	free(self);
	free(numbers);
}

static int run(const char *const *argv, struct ifr_buffer *out, struct ifr_buffer *errors, struct ifr_error *err) {
	const struct ifr_process process = {.argv = argv, .out = out, .errors = errors};
	int status = 0, result = ifr_process_run(&process, &status, err);
	return result ? result : status;
}

int slurm_submit(const struct ifr_strings *argv, struct ifr_error *err) {
	struct ifr_buffer out = {0}, errors = {0};
	int result = run((const char *const *)argv->items, &out, &errors, err);
	if (result > 0) {
		const char *said = ifr_buffer_text(&errors);
		result = ifr_fail(err, IFR_E_ENVIRONMENT, "Slurm did not take the pieces: %.*s", (int)strcspn(said, "\n"),
		                  said);
	}
	ifr_buffer_release(&errors);
	ifr_buffer_release(&out);
	return result;
}

static void cancel(const char *job) {
	const char *const argv[] = {"scancel", job, NULL};
	struct ifr_buffer said = {0};
	run(argv, &said, &said, NULL);
	ifr_buffer_release(&said);
}

/* A line NAME-SLICE|INDEX|STATE|JOB|REASON. A piece whose launch failed is held for good: it is not alive. */
static void take_line(const char *line, const char *name, const bool *done, bool *alive, unsigned count) {
	const size_t length = strlen(name);
	unsigned slice, index;
	char state[32], job[32], reason[64] = "";
	if (strncmp(line, name, length) ||
	    sscanf(line + length, "-%u|%u|%31[^|]|%31[^|]|%63[^\n]", &slice, &index, state, job, reason) < 4)
		return;
	const uint64_t number = (uint64_t)slice * SLURM_SLICE + index;
	const bool held = strstr(reason, "held") || strstr(reason, "Held");
	if (number >= count || !strcmp(state, "COMPLETING"))
		return;
	if (done[number] || held)
		cancel(job);
	else
		alive[number] = true;
}

bool slurm_find(const char *name, const bool *done, bool *alive, unsigned count) {
	static const char *const argv[] = {"squeue", "-h", "-r", "--me", "-o", "%j|%K|%T|%i|%r", NULL};
	struct ifr_buffer out = {0}, errors = {0};
	struct ifr_strings lines = {0};
	const bool answers = !run(argv, &out, &errors, NULL);
	memset(alive, 0, count * sizeof *alive);
	ifr_strings_split(&lines, ifr_buffer_text(&out), "\n");
	for (size_t i = 0; i < lines.count && answers; i++)
		take_line(lines.items[i], name, done, alive, count);
	ifr_strings_release(&lines);
	ifr_buffer_release(&errors);
	ifr_buffer_release(&out);
	return answers;
}

void slurm_cancel(const char *name) {
	struct ifr_buffer out = {0}, errors = {0};
	static const char *const list[] = {"squeue", "-h", "--me", "-o", "%A|%j", NULL};
	struct ifr_strings lines = {0};
	run(list, &out, &errors, NULL);
	ifr_strings_split(&lines, ifr_buffer_text(&out), "\n");
	for (size_t i = 0; i < lines.count; i++) {
		char *bar = strchr(lines.items[i], '|');
		if (!bar || !ifr_starts_with(bar + 1, name))
			continue;
		*bar = '\0';
		cancel(lines.items[i]);
	}
	ifr_strings_release(&lines);
	ifr_buffer_release(&errors);
	ifr_buffer_release(&out);
}
