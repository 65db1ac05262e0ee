/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <libiberty/libiberty.h>
#include <stdlib.h>
#include <string.h>

#include "wrapper/proper/proper.h"

/* Where an argument belongs. */
enum use {
	NOWHERE = 0,
	PREPROCESS = 1 << 0,
	AGAIN = 1 << 1,
	BOTH = PREPROCESS | AGAIN,
	FOLDER = 1 << 2, /* of Fortran's modules */
};

struct option {
	const char *name;
	int words; /* 2: the value is the next argument; 0: the name is only a beginning */
	enum use use;
};

/* The first that fits holds; what fits none is for both. */
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

static struct option option_of(const char *argument) {
	for (size_t i = 0; i < sizeof options / sizeof *options; i++)
		if (options[i].words ? !strcmp(argument, options[i].name) : ifr_starts_with(argument, options[i].name))
			return options[i];
	if (ifr_starts_with(argument, "-fplugin=") && ifr_ends_with(argument, "/interfero.so"))
		return (struct option){argument, 1, PREPROCESS};
	return (struct option){argument, 1, BOTH};
}

/* Files that are not kept take part in the compilation. */
static const char *why_not(const char *argument) {
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
	/* Fortran's preprocessor is told the name twice. */
	if (!job->input || strcmp(job->input, input))
		++*inputs;
	free(job->input);
	job->input = ifr_strdup(input);
}

static void read_option(struct proper_job *job, char **argument, int words, enum use use) {
	for (int i = 0; i < words; i++) {
		if (use & PREPROCESS)
			ifr_strings_add(&job->preprocess, argument[i]);
		if (use & AGAIN)
			ifr_strings_add(&job->again, argument[i]);
	}
	if (use & FOLDER)
		ifr_strings_add(&job->folders, words == 2 ? argument[1] : *argument + 2);
	const char *reason = why_not(*argument);
	job->why_not = reason ? reason : job->why_not;
}

/* What makes a command no compilation to code, or one of its own kind. */
struct marks {
	bool lto, fat, parts, question, debug_macros;
};

static void note(struct marks *marks, struct proper_job *job, const char *argument) {
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

static void conclude(struct proper_job *job, const struct marks *marks, int inputs) {
	bool link_time = !strcmp(job->compiler, "lto1");
	job->compiles = !marks->question && (link_time || !marks->lto || marks->fat);
	job->preprocessed |= link_time;
	if (link_time && !marks->parts)
		job->why_not = "the link compiled it in one piece (-flto-partition=none)";
	if (inputs != 1 || !strcmp(job->input, "-"))
		job->why_not = "its source came from standard input";
	if (marks->debug_macros)
		ifr_strings_add(&job->preprocess, "-dD");
	bool c_family = ifr_starts_with(job->compiler, "cc1");
	if (c_family && !job->preprocessed)
		ifr_strings_add(&job->again, "-fpreprocessed");
}

void proper_job_read(struct proper_job *job, const char *compiler, int argc, char **argv) {
	struct marks marks = {0};
	int inputs = 0;
	char **expanded = argv;
	*job = (struct proper_job){.compiler = compiler};
	expandargv(&argc, &expanded);
	for (int i = 1; i < argc;) {
		struct option option = option_of(expanded[i]);
		int words = option.words == 2 && i + 1 < argc ? 2 : 1;
		if (*expanded[i] != '-' || !expanded[i][1])
			add_input(job, expanded[i], &inputs);
		else
			read_option(job, expanded + i, words, option.use);
		note(&marks, job, expanded[i]);
		i += words;
	}
	/* expandargv makes a copy where there is something to expand, and only there. */
	if (expanded != argv)
		freeargv(expanded);
	conclude(job, &marks, inputs);
}

void proper_job_release(struct proper_job *job) {
	ifr_strings_release(&job->preprocess);
	ifr_strings_release(&job->again);
	ifr_strings_release(&job->folders);
	free(job->input);
	*job = (struct proper_job){0};
}
