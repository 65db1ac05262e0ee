/* SPDX-License-Identifier: GPL-3.0-or-later */
/* speed MEMORY NAME PROGRAM [NAME PROGRAM...]: a table of what a variant of captured programs costs by the engine
 * that works in memory and by linkers, each as a bare command with the kit's inputs, in turn, so that the
 * machine's drift falls on all alike. MEMORY is the path of tests/bench/memory. The 10,000 variants are of the
 * first program. */
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/file.h"
#include "common/process.h"
#include "relinker/image/image.h"
#include "relinker/relinker.h"
#include "tests/bench/captured.h"

enum { MOST_PROGRAMS = 4, ROUNDS = 15, OF_ENGINE = 20, VARIANTS = 10000, LABEL_WIDTH = 32 };

enum way { IN_MEMORY, WRITTEN, BFD, LLD, MOLD, PREPARED, WAYS };

static const struct {
	const char *label, *command;
	unsigned often; /* in a round */
} ways[WAYS] = {
	[IN_MEMORY] = {"engine, in memory", NULL, OF_ENGINE}, [WRITTEN] = {"engine, file written", NULL, OF_ENGINE},
	[BFD] = {"ld.bfd, no shuffling", "ld.bfd", 1},        [LLD] = {"ld.lld --shuffle-sections", "ld.lld", 1},
	[MOLD] = {"mold --shuffle-sections", "mold", 1},      [PREPARED] = {"preparing an image, once", NULL, 1},
};

struct program {
	const char *name;
	struct captured captured;
	struct ifr_relinker *relinker;
	struct ifr_buffer bytes;
	double times[WAYS][ROUNDS * OF_ENGINE], medians[WAYS];
	size_t counts[WAYS];
	double peak_kib, added_kib, needed_kib;
};

static char *linkers[WAYS]; /* paths; NULL where there is none */
static struct program programs[MOST_PROGRAMS];
static int program_count;

static void die(const char *what, const struct ifr_error *err) {
	fprintf(stderr, "speed: %s: %s\n", what, err->message);
	exit(IFR_E_ENVIRONMENT);
}

/* --- one variant --------------------------------------------------------------------------------------------- */

static void replace_root(struct ifr_strings *arguments, const char *argument, const char *root) {
	const char *at = strstr(argument, IFR_KIT_ROOT);
	if (at)
		ifr_strings_take(arguments,
		                 ifr_format("%.*s%s%s", (int)(at - argument), argument, root, at + strlen(IFR_KIT_ROOT)));
	else
		ifr_strings_add(arguments, argument);
}

/* The captured command by one of the linkers; it runs where the link ran. */
static void link_by(const struct program *program, enum way way, unsigned seed, const char *path) {
	const struct ld_engine *engine = &program->captured.engine;
	struct ifr_strings arguments = {0};
	struct ifr_buffer said = {0};
	struct ifr_error err = {0};
	int status = 0;
	ifr_strings_add(&arguments, linkers[way]);
	for (size_t i = 0; i < engine->kit->arguments.count; i++)
		replace_root(&arguments, engine->kit->arguments.items[i], engine->root);
	if (way == LLD)
		ifr_strings_take(&arguments, ifr_format("--shuffle-sections=*=%u", seed));
	if (way == MOLD)
		ifr_strings_take(&arguments, ifr_format("--shuffle-sections=%u", seed));
	ifr_strings_add(&arguments, "-o");
	ifr_strings_add(&arguments, path);
	struct ifr_process process = {
		.argv = (const char *const *)arguments.items, .cwd = engine->folder, .out = &said, .errors = &said};
	if (ifr_process_run(&process, &status, &err))
		die(ways[way].label, &err);
	if (status) {
		ifr_fail(&err, IFR_E_ENVIRONMENT, "%s", ifr_buffer_text(&said));
		die(ways[way].label, &err);
	}
	ifr_buffer_release(&said);
	ifr_strings_release(&arguments);
}

static void prepare(const struct program *program) {
	const struct captured *captured = &program->captured;
	struct image *image;
	struct ifr_error err = {0};
	if (image_prepare(&captured->engine, &captured->units, ifr_buffer_text(&captured->script), &captured->sizes,
	                  &image, &err))
		die("prepare", &err);
	image_close(image);
}

static void make_by_engine(struct program *program, enum way way, unsigned seed, const char *path) {
	struct ifr_plan plan;
	struct ifr_error err = {0};
	struct ifr_variant variant = {0};
	struct ifr_relinker_layout *layout = NULL;
	ifr_plan_init(&plan);
	ifr_plan_enable(&plan, IFR_AXIS_FUNCTIONS, seed);
	if (way == IN_MEMORY ? ifr_relinker_place(program->relinker, &plan, &layout, &err) ||
	                           ifr_relinker_apply(layout, &program->bytes, &err)
	                     : ifr_relinker_make(program->relinker, &plan, path, &variant, &err))
		die(ways[way].label, &err);
	ifr_relinker_layout_close(layout);
	ifr_buffer_release(&variant.facts);
}

static void run_once(struct program *program, enum way way, unsigned seed, const char *path) {
	/* Replacing a file makes some file systems write the new one to the disk at once. */
	unlink(path);
	double start = now_ms();
	if (way == PREPARED)
		prepare(program);
	else if (ways[way].command)
		link_by(program, way, seed, path);
	else
		make_by_engine(program, way, seed, path);
	program->times[way][program->counts[way]++] = now_ms() - start;
}

static bool is_there(enum way way) {
	return !ways[way].command || linkers[way];
}

static void measure(void) {
	for (unsigned round = 0; round < ROUNDS; round++)
		for (int i = 0; i < program_count; i++) {
			char *path = ifr_format("%s/timed", programs[i].captured.folder);
			for (int way = 0; way < WAYS; way++)
				for (unsigned k = 0; k < ways[way].often && is_there((enum way)way); k++)
					run_once(&programs[i], (enum way)way, round * OF_ENGINE + k, path);
			free(path);
		}
	for (int i = 0; i < program_count; i++)
		for (int way = 0; way < WAYS; way++)
			if (programs[i].counts[way])
				programs[i].medians[way] = median(programs[i].times[way], programs[i].counts[way]);
}

/* In seconds, on the processor that it finds itself on. */
static double measure_many(struct program *program) {
	cpu_set_t all, one;
	int cpu = sched_getcpu();
	sched_getaffinity(0, sizeof all, &all);
	CPU_ZERO(&one);
	CPU_SET(cpu < 0 ? 0 : cpu, &one);
	sched_setaffinity(0, sizeof one, &one);
	double start = now_ms();
	for (unsigned i = 0; i < VARIANTS; i++)
		make_by_engine(program, IN_MEMORY, i, NULL);
	double seconds = (now_ms() - start) / 1e3;
	sched_setaffinity(0, sizeof all, &all);
	return seconds;
}

/* --- opening ------------------------------------------------------------------------------------------------- */

static void ask_memory(struct program *program, const char *memory, const char *path) {
	const char *const argv[] = {memory, path, NULL};
	struct ifr_buffer out = {0}, errors = {0};
	struct ifr_process process = {.argv = argv, .out = &out, .errors = &errors};
	struct ifr_error err = {0};
	long most = 0, before = 0, needed = 0;
	int status = 0;
	if (ifr_process_run(&process, &status, &err))
		die(memory, &err);
	if (status || sscanf(ifr_buffer_text(&out), "%ld %ld %ld", &most, &before, &needed) != 3) {
		ifr_fail(&err, IFR_E_ENVIRONMENT, "%s", ifr_buffer_text(&errors));
		die(memory, &err);
	}
	program->peak_kib = (double)most;
	program->added_kib = (double)(most - before);
	program->needed_kib = (double)needed;
	ifr_buffer_release(&out);
	ifr_buffer_release(&errors);
}

static void open_programs(char **argv) {
	struct ifr_error err = {0};
	/* While this process is small: what a child held at most begins with the copy of its parent. */
	for (int i = 0; i < program_count; i++)
		ask_memory(&programs[i], argv[1],
		           argv[3 + 2 * i]); /* while this process is small: a child starts as its copy */
	for (int way = 0; way < WAYS; way++)
		linkers[way] = ways[way].command ? ifr_program_find(ways[way].command, NULL) : NULL;
	for (int i = 0; i < program_count; i++) {
		programs[i].name = argv[2 + 2 * i];
		if (captured_open(&programs[i].captured, argv[3 + 2 * i], &err) ||
		    ifr_relinker_open(&programs[i].captured.kit, &programs[i].relinker, &err))
			die(programs[i].name, &err);
		make_by_engine(&programs[i], IN_MEMORY, 0, NULL);
	}
}

static void close_programs(void) {
	for (int i = 0; i < program_count; i++) {
		ifr_relinker_close(programs[i].relinker);
		captured_close(&programs[i].captured);
		ifr_buffer_release(&programs[i].bytes);
	}
	for (int way = 0; way < WAYS; way++)
		free(linkers[way]);
}

/* --- the table ----------------------------------------------------------------------------------------------- */

static double best_link(const struct program *program) {
	double best = program->medians[BFD];
	for (int way = LLD; way <= MOLD; way++)
		if (program->counts[way] && program->medians[way] < best)
			best = program->medians[way];
	return best;
}

static double median_of(const struct program *program, int way) {
	return program->medians[way];
}

static double times_faster(const struct program *program, int way) {
	return best_link(program) / program->medians[way];
}

static double in_links(const struct program *program, int way) {
	return program->medians[way] / program->medians[BFD];
}

static double memory_times(const struct program *program, int way) {
	(void)way;
	return program->added_kib / program->needed_kib;
}

static double memory_mib(const struct program *program, int way) {
	(void)way;
	return program->peak_kib / 1024;
}

static void print_row(const char *label, double (*value)(const struct program *, int), int way, int digits,
                      const char *target) {
	printf("    %-*s", LABEL_WIDTH, label);
	for (int i = 0; i < program_count; i++)
		printf("%9.*f", digits, value(&programs[i], way));
	printf("%s%s\n", *target ? "  " : "", target);
}

static void print_head(const char *heading, bool with_target) {
	printf("  %-*s", LABEL_WIDTH + 2, heading);
	for (int i = 0; i < program_count; i++)
		printf("%9s", programs[i].name);
	printf("%s\n", with_target ? "  target" : "");
}

static void print_table(double many_s) {
	print_head("milliseconds (median)", false);
	for (int way = 0; way < WAYS; way++)
		if (is_there((enum way)way))
			print_row(ways[way].label, median_of, way, way <= WRITTEN ? 3 : 1, "");
		else
			printf("    %-*s  not installed (scripts/setup bench)\n", LABEL_WIDTH, ways[way].label);
	print_head("times faster than the best linker", true);
	print_row("engine, in memory", times_faster, IN_MEMORY, 0, ">= 60");
	print_row("engine, file written", times_faster, WRITTEN, 0, ">= 20");
	print_head("an image", true);
	print_row("preparing, in links by ld.bfd", in_links, PREPARED, 2, "<= 3");
	print_row("peak of the process, MiB", memory_mib, PREPARED, 1, "");
	print_row("memory / (image + objects)", memory_times, PREPARED, 2, "< 3");
	printf("  %d variants of %s in memory, on one processor:%8.2f s  target < 5 s\n", VARIANTS, programs[0].name,
	       many_s);
}

int main(int argc, char **argv) {
	program_count = (argc - 2) / 2;
	if (program_count < 1 || program_count > MOST_PROGRAMS || argc % 2) {
		fprintf(stderr, "usage: speed MEMORY NAME PROGRAM [NAME PROGRAM...]\n");
		return IFR_E_USAGE;
	}
	open_programs(argv);
	measure();
	print_table(measure_many(&programs[0]));
	close_programs();
	return 0;
}
