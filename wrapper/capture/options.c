/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "wrapper/capture/options.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* How an option takes its value. */
enum form {
	NONE,     /* no value, or a value joined with '=': one word */
	SEPARATE, /* always the next argument */
	EITHER,   /* --name=value, or the next argument */
	JOINED    /* -Lvalue, or the next argument */
};

/* Long names stand without their dashes: ld takes one or two. Ref: ld manual, "Command-line Options". */
static const struct {
	const char *name;
	enum form form;
	enum option_kind kind;
} options[] = {
	{"output", EITHER, OPTION_DROP},
	{"Map", EITHER, OPTION_DROP},
	{"dependency-file", EITHER, OPTION_DROP},
	{"print-map", NONE, OPTION_DROP},
	{"cref", NONE, OPTION_DROP},
	{"build-id", NONE, OPTION_DROP},
	{"plugin", EITHER, OPTION_DROP},
	{"plugin-opt", EITHER, OPTION_DROP},
	{"trace", NONE, OPTION_DROP},
	{"verbose", NONE, OPTION_DROP},
	{"stats", NONE, OPTION_DROP},
	{"reproduce", EITHER, OPTION_DROP},
	{"out-implib", EITHER, OPTION_DROP},
	{"sysroot", NONE, OPTION_FOLDERS},
	{"library-path", EITHER, OPTION_FOLDERS},
	{"rpath-link", EITHER, OPTION_FOLDERS},
	{"version-script", EITHER, OPTION_FILE},
	{"dynamic-list", EITHER, OPTION_FILE},
	{"export-dynamic-symbol-list", EITHER, OPTION_FILE},
	{"retain-symbols-file", EITHER, OPTION_FILE},
	{"script", EITHER, OPTION_FILE},
	{"default-script", EITHER, OPTION_FILE},
	{"dT", SEPARATE, OPTION_FILE},
	{"just-symbols", EITHER, OPTION_FILE},
	{"dynamic-linker", EITHER, OPTION_VALUE},
	{"soname", EITHER, OPTION_VALUE},
	{"rpath", EITHER, OPTION_VALUE},
	{"entry", EITHER, OPTION_VALUE},
	{"undefined", EITHER, OPTION_VALUE},
	{"require-defined", EITHER, OPTION_VALUE},
	{"defsym", EITHER, OPTION_VALUE},
	{"wrap", EITHER, OPTION_VALUE},
	{"init", EITHER, OPTION_VALUE},
	{"fini", EITHER, OPTION_VALUE},
	{"format", EITHER, OPTION_VALUE},
	{"oformat", EITHER, OPTION_VALUE},
	{"auxiliary", EITHER, OPTION_VALUE},
	{"filter", EITHER, OPTION_VALUE},
	{"audit", EITHER, OPTION_VALUE},
	{"depaudit", EITHER, OPTION_VALUE},
	{"trace-symbol", EITHER, OPTION_VALUE},
	{"assert", SEPARATE, OPTION_VALUE},
	{"section-start", EITHER, OPTION_VALUE},
	{"library", EITHER, OPTION_VALUE},
	{"version-exports-section", SEPARATE, OPTION_VALUE},
	{"Tbss", EITHER, OPTION_VALUE},
	{"Tdata", EITHER, OPTION_VALUE},
	{"Ttext", EITHER, OPTION_VALUE},
	{"Ttext-segment", EITHER, OPTION_VALUE},
	{"Trodata-segment", EITHER, OPTION_VALUE},
	{"Tldata-segment", EITHER, OPTION_VALUE},
};

/* One-letter options; a value follows at once or as the next argument. */
static const struct {
	char letter;
	enum form form;
	enum option_kind kind;
} letters[] = {
	{'o', JOINED, OPTION_DROP},    {'M', NONE, OPTION_DROP},    {'t', NONE, OPTION_DROP},
	{'L', JOINED, OPTION_FOLDERS}, {'T', JOINED, OPTION_FILE},  {'R', JOINED, OPTION_VALUE},
	{'l', JOINED, OPTION_VALUE},   {'m', JOINED, OPTION_VALUE}, {'z', JOINED, OPTION_VALUE},
	{'e', JOINED, OPTION_VALUE},   {'u', JOINED, OPTION_VALUE}, {'h', JOINED, OPTION_VALUE},
	{'I', JOINED, OPTION_VALUE},   {'y', JOINED, OPTION_VALUE}, {'Y', JOINED, OPTION_VALUE},
	{'b', JOINED, OPTION_VALUE},   {'A', JOINED, OPTION_VALUE}, {'c', SEPARATE, OPTION_FILE},
	{'F', JOINED, OPTION_VALUE},   {'P', JOINED, OPTION_VALUE}, {'a', JOINED, OPTION_VALUE},
};

static struct option_use use_of(enum form form, enum option_kind kind, const char *name, const char *joined,
                                const char *next) {
	struct option_use use = {kind, name, joined, 1};
	if (joined || form == NONE || !next)
		return use;
	use.value = next;
	use.words = 2;
	return use;
}

static bool read_long(const char *argument, const char *next, struct option_use *use) {
	const char *name = argument + 1 + (argument[1] == '-');
	for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
		size_t length = strlen(options[i].name);
		if (strncmp(name, options[i].name, length) || (name[length] && name[length] != '='))
			continue;
		*use = use_of(options[i].form, options[i].kind, argument, name[length] ? name + length + 1 : NULL, next);
		return true;
	}
	return false;
}

struct option_use option_read(const char *argument, const char *next) {
	struct option_use use = {OPTION_PLAIN, argument, NULL, 1};
	if (*argument != '-' || !argument[1])
		return (struct option_use){OPTION_INPUT, argument, argument, 1};
	if (read_long(argument, next, &use) || argument[1] == '-')
		return use;
	for (size_t i = 0; i < sizeof letters / sizeof *letters; i++)
		if (argument[1] == letters[i].letter && (letters[i].form == JOINED || !argument[2]))
			return use_of(letters[i].form, letters[i].kind, argument, argument[2] ? argument + 2 : NULL, next);
	return use;
}
