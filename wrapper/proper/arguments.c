/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <libiberty/libiberty.h>
#include <stdlib.h>
#include <string.h>

#include "wrapper/proper/proper.h"

/* The lists that an argument goes to. */
enum use {
	NOWHERE = 0,
	PREPROCESS = 1 << 0,
	RECOMPILE = 1 << 1,
	BOTH = PREPROCESS | RECOMPILE,
	FOLDER = 1 << 2, /* of Fortran's modules */
};

struct option {
	const char *name;
	int words; /* 1: the name alone; 2: the value is the next argument; 0: any argument that begins so */
	enum use use;
};

/* The first match counts; an argument without a match goes to BOTH. */
static const struct option options[] = {
	{"-o", 2, NOWHERE},
	{"-MD", 2, NOWHERE},
	{"-MMD", 2, NOWHERE},
	{"-MF", 2, NOWHERE},
	{"-MT", 2, NOWHERE},
	{"-MQ", 2, NOWHERE},
	{"-M", 0, NOWHERE},
	{"-I", 2, PREPROCESS | FOLDER},
	{"-J", 2, FOLDER},
	{"-D", 2, PREPROCESS},
	{"-U", 2, PREPROCESS},
	{"-A", 2, PREPROCESS},
	{"-isystem", 2, PREPROCESS},
	{"-iquote", 2, PREPROCESS},
	{"-idirafter", 2, PREPROCESS},
	{"-iprefix", 2, PREPROCESS},
	{"-iwithprefix", 2, PREPROCESS},
	{"-iwithprefixbefore", 2, PREPROCESS},
	{"-imultiarch", 2, PREPROCESS},
	{"-imultilib", 2, PREPROCESS},
	{"-isysroot", 2, PREPROCESS},
	{"-include", 2, PREPROCESS},
	{"-imacros", 2, PREPROCESS},
	{"-I", 0, PREPROCESS | FOLDER},
	{"-J", 0, FOLDER},
	{"-D", 0, PREPROCESS},
	{"-U", 0, PREPROCESS},
	{"-A", 0, PREPROCESS},
	{"-i", 0, PREPROCESS},
	{"-finput-charset=", 0, PREPROCESS},
	{"-cpp", 0, PREPROCESS},
	{"-fplugin-arg-interfero-", 0, PREPROCESS},
	{"-dumpdir", 2, NOWHERE},
	{"-dumpbase", 2, NOWHERE},
	{"-dumpbase-ext", 2, NOWHERE},
	{"-aux-info", 2, NOWHERE},
	{"-d", 0, NOWHERE},
	{"-fdump-", 0, NOWHERE},
	{"-fstack-usage", 1, NOWHERE},
	{"-fcallgraph-info", 0, NOWHERE},
	{"-fsave-optimization-record", 1, NOWHERE},
	{"-fopt-info", 0, NOWHERE},
	{"-ftime-report", 0, NOWHERE},
	{"-fmem-report", 0, NOWHERE},
	{"-version", 1, NOWHERE},
	{"-H", 1, NOWHERE},
	{"--param", 2, BOTH},
	{"-x", 2, BOTH},
	{"-fintrinsic-modules-path", 2, BOTH},
};

static struct option classify_option(const char *argument) {
	for (size_t i = 0; i < sizeof options / sizeof *options; i++)
		if (options[i].words ? !strcmp(argument, options[i].name) : ifr_starts_with(argument, options[i].name))
			return options[i];
	if (ifr_starts_with(argument, "-fplugin=") && ifr_ends_with(argument, "/interfero.so"))
		return (struct option){argument, 1, PREPROCESS};
	return (struct option){argument, 1, BOTH};
}

/* Returns the reason why an argument rules out a recipe, such as files that are not kept, or NULL. */
static const char *find_obstacle(const char *argument) {
	static const char *const profiles[] = {"-fprofile-use",  "-fprofile-generate", "-fprofile-arcs",
	                                       "-fauto-profile", "-ftest-coverage",    "-fbranch-probabilities"};
	for (size_t i = 0; i < sizeof profiles / sizeof *profiles; i++)
		if (ifr_starts_with(argument, profiles[i]))
			return "it is compiled with a profile (-fprofile-…), whose files are not kept";
	if (ifr_starts_with(argument, "-fmodule"))
		return "it is compiled with C++ modules, which are not kept";
	return strchr(argument, '\n') ? "one of its options holds a line's end" : NULL;
}

static void add_input(struct proper_job *job, const char *input, int *inputs) {
	/* A Fortran source that is preprocessed is named twice. */
	if (!job->input || strcmp(job->input, input))
		++*inputs;
	free(job->input);
	job->input = ifr_strdup(input);
}

static void read_option(struct proper_job *job, char **argument, int words, enum use use) {
	for (int i = 0; i < words; i++) {
		if (use & PREPROCESS)
			ifr_strings_add(&job->preprocess, argument[i]);
		if (use & RECOMPILE)
			ifr_strings_add(&job->recompile, argument[i]);
	}
	if (use & FOLDER)
		ifr_strings_add(&job->module_folders, words == 2 ? argument[1] : *argument + 2);
	const char *reason = find_obstacle(*argument);
	job->obstacle = reason ? reason : job->obstacle;
}

/* Arguments that decide on the kind of the run. */
struct marks {
	bool lto, fat, parts, question, debug_macros;
};

static void update_marks(struct marks *marks, struct proper_job *job, const char *argument) {
	marks->question |= !strcmp(argument, "-E") || !strcmp(argument, "-fsyntax-only") ||
	                   !strcmp(argument, "-fwpa") || ifr_starts_with(argument, "--output-pch") ||
	                   !strcmp(argument, "--help") || ifr_starts_with(argument, "-fwpa=") ||
	                   !strcmp(argument, "--version");
	marks->lto |= ifr_starts_with(argument, "-flto");
	marks->fat |= !strcmp(argument, "-ffat-lto-objects");
	marks->parts |= !strcmp(argument, "-fltrans");
	marks->debug_macros |= ifr_starts_with(argument, "-g") && ifr_ends_with(argument, "3");
	job->preprocessed |= !strcmp(argument, "-fpreprocessed");
}

static void finish_job(struct proper_job *job, const struct marks *marks, int inputs) {
	bool link_time = !strcmp(job->compiler, "lto1");
	job->compiles = !marks->question && (link_time || !marks->lto || marks->fat);
	job->preprocessed |= link_time;
	if (link_time && !marks->parts)
		job->obstacle = "the link compiled it in one piece (-flto-partition=none)";
	if (inputs != 1 || !strcmp(job->input, "-"))
		job->obstacle = "its source came from standard input";
	if (marks->debug_macros)
		ifr_strings_add(&job->preprocess, "-dD");
	bool c_family = ifr_starts_with(job->compiler, "cc1");
	if (c_family && !job->preprocessed)
		ifr_strings_add(&job->recompile, "-fpreprocessed");
}

void proper_job_read(struct proper_job *job, const char *compiler, int argc, char **argv) {
	struct marks marks = {0};
	int inputs = 0;
	char **expanded = argv;
	*job = (struct proper_job){.compiler = compiler};
	expandargv(&argc, &expanded);
	for (int i = 1; i < argc;) {
		struct option option = classify_option(expanded[i]);
		int words = option.words == 2 && i + 1 < argc ? 2 : 1;
		if (*expanded[i] != '-' || !expanded[i][1])
			add_input(job, expanded[i], &inputs);
		else
			read_option(job, expanded + i, words, option.use);
		update_marks(&marks, job, expanded[i]);
		i += words;
	}
	/* expandargv copies only if there is a response file. */
	if (expanded != argv)
		freeargv(expanded);
	finish_job(job, &marks, inputs);
}

void proper_job_release(struct proper_job *job) {
	ifr_strings_release(&job->preprocess);
	ifr_strings_release(&job->recompile);
	ifr_strings_release(&job->module_folders);
	free(job->input);
	*job = (struct proper_job){0};
}
