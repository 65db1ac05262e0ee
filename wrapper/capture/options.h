/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What each option of a linker's command line is, as far as a captured link must know. */
#ifndef IFR_WRAPPER_OPTIONS_H
#define IFR_WRAPPER_OPTIONS_H

enum option_kind {
	OPTION_INPUT,   /* not an option: a file to link */
	OPTION_PLAIN,   /* kept as it is, no value or its value joined */
	OPTION_VALUE,   /* kept as it is, with its value */
	OPTION_FILE,    /* names a file that the link reads */
	OPTION_FOLDERS, /* names a folder, or several with ':' between, in which the link looks */
	OPTION_DROP     /* has no place in a repeated link */
};

struct option_use {
	enum option_kind kind;
	const char *name;  /* the option as written, up to its value */
	const char *value; /* NULL without one */
	int words;         /* 1, or 2 when the value is the next argument */
};

/* Classifies argument, whose follower is next (or NULL). */
struct option_use option_read(const char *argument, const char *next);

#endif
