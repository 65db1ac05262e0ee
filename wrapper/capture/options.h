/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Classifies the options of a linker's command line for a captured link. */
#ifndef IFR_WRAPPER_OPTIONS_H
#define IFR_WRAPPER_OPTIONS_H

enum option_kind {
	OPTION_INPUT,   /* not an option: a file to link */
	OPTION_PLAIN,   /* kept unchanged; no value, or a joined one */
	OPTION_VALUE,   /* kept unchanged, with its value */
	OPTION_FILE,    /* names a file that the link reads */
	OPTION_FOLDERS, /* names folders that the link searches, parted by ':' */
	OPTION_DROP     /* left out of a repeated link */
};

struct option_use {
	enum option_kind kind;
	const char *name;  /* the option as given, up to its value */
	const char *value; /* NULL without a value */
	int words;         /* 1, or 2 when the value is the next argument */
};

/* Classifies an argument; next is the argument behind it, or NULL. */
struct option_use option_read(const char *argument, const char *next);

#endif
