/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/commands/progress.h"

#include <stdio.h>
#include <unistd.h>

#include "harness/commands/commands.h"

enum { BAR = 30 };

bool progress_wanted(bool quiet) {
	return !quiet && isatty(2);
}

/* Ends the line with the time left, unless it is not known (negative). */
static void end_line(const char *about, int64_t left_ns) {
	long long seconds = left_ns > 0 ? (left_ns + 500000000) / 1000000000 : 0;
	if (left_ns >= 0)
		fprintf(stderr, ", %s%lld:%02lld left", about, seconds / 60, seconds % 60);
	fputs("\033[K", stderr);
}

static void draw_bar(double share) {
	char bar[BAR + 1];
	const unsigned filled = (unsigned)(share * BAR);
	for (unsigned i = 0; i < BAR; i++)
		bar[i] = i < filled ? '#' : '.';
	bar[BAR] = '\0';
	fprintf(stderr, "\r[%s] ", bar);
}

void progress_show(unsigned done, unsigned planned, int64_t left_ns) {
	draw_bar(planned ? (double)done / planned : 0);
	fprintf(stderr, "run %u of %u", done, planned);
	end_line("", left_ns);
}

void progress_show_recording(const struct ifr_recording_progress *recording) {
	const long long seconds = recording->spent_ns / 1000000000;
	fprintf(stderr, "\rrecording: %.1f million instructions, %.1f MB, %lld:%02lld",
	        (double)recording->instructions / 1e6, (double)recording->bytes / 1e6, seconds / 60, seconds % 60);
	end_line("about ", recording->left_ns);
}

void progress_show_replay(double share, int64_t spent_ns) {
	/* The first hundredth tells little. */
	enum { TELLING_PCT = 1 };
	draw_bar(share);
	fprintf(stderr, "replay %.0f %%", 100 * share);
	end_line("", 100 * share < TELLING_PCT ? -1 : (int64_t)((double)spent_ns * (1 - share) / share));
}

void progress_show_waiting(int64_t elapsed_ns) {
	const long long seconds = elapsed_ns / 1000000000;
	fprintf(stderr, "\rfirst run: %lld:%02lld\033[K", seconds / 60, seconds % 60);
}

/* A message takes the line of the bar. */
void progress_say_over(const char *text) {
	progress_clear();
	ifr_command_say(text);
}

void progress_follow(struct ifr_campaign *campaign, bool quiet) {
	const bool shown = progress_wanted(quiet);
	campaign->progress = shown ? progress_show : NULL;
	campaign->recording_progress = shown ? progress_show_recording : NULL;
	campaign->replay_progress = shown ? progress_show_replay : NULL;
	campaign->waiting = shown ? progress_show_waiting : NULL;
	campaign->say = quiet ? NULL : shown ? progress_say_over : ifr_command_say;
}

void progress_clear(void) {
	fputs("\r\033[K", stderr);
}
