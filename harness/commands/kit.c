/* SPDX-License-Identifier: GPL-3.0-or-later */
/* interfero kit: lists, shows, makes, exports, imports and prunes captured links. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "common/file.h"
#include "harness/commands/commands.h"
#include "harness/commands/layout_options.h"
#include "harness/build/build.h"
#include "kit/kit.h"
#include "unlinker/unlinker.h"

struct options {
	const char *verb, *what, *output, *from_relocations;
	int64_t older_ns;
	bool all, dry_run;
};

enum { KEY_ALL = 256, KEY_FROM_RELOCATIONS, KEY_DRY_RUN };

static error_t parse_option(int key, char *argument, struct argp_state *state) {
	struct options *options = state->input;
	struct ifr_error err = {0};
	switch (key) {
	case 'o':
		options->output = argument;
		if (option_file("-o", argument, &err))
			option_refuse(state, &err);
		return 0;
	case 'a':
	case KEY_ALL:
		options->all = true;
		return 0;
	case KEY_FROM_RELOCATIONS:
		options->from_relocations = argument;
		return 0;
	case KEY_DRY_RUN:
		options->dry_run = true;
		return 0;
	case 'O':
		if (option_duration("--older-than", argument, &options->older_ns, &err))
			option_refuse(state, &err);
		return 0;
	case ARGP_KEY_ARG:
		if (state->arg_num == 0)
			options->verb = argument;
		else if (state->arg_num == 1)
			options->what = argument;
		else
			argp_error(state, "too many words: \"%s\"", argument);
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "list, show, make, export, import or prune?");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option table[] = {
	{"output", 'o', "FILE", 0, "export: the file to write; make: also export the kit there", 0},
	{"from-relocs", KEY_FROM_RELOCATIONS, "PROGRAM", 0, "make: a program linked with --emit-relocs", 0},
	{"dry-run", KEY_DRY_RUN, NULL, 0, "make: say what would move, and keep nothing", 0},
	{NULL, 'a', NULL, OPTION_HIDDEN, NULL, 0},
	{"all", KEY_ALL, NULL, 0, "prune: every kit", 0},
	{"older-than", 'O', "TIME", 0, "prune: kits captured longer ago than 12h, 90m, … (720h: 30 days)", 0},
	{0},
};
const struct argp ifr_kit_argp = {
	table,
	parse_option,
	"list\n"
	"show KIT\n"
	"make --from-relocs PROGRAM [-o FILE]\n"
	"export KIT -o FILE\n"
	"import FILE\n"
	"prune [KIT | --all | --older-than TIME]",
	"Manage kits, the captured links from which variants are made.\v"
	"list shows when each program was linked, the files and MiB that its link read, and its path. BUILD is "
	"\"current\" where that file is still the one that was linked, \"older\" where it was built again since, and "
	"\"gone\" where there is none.\n"
	"\n"
	"make takes a program apart that was linked elsewhere, by any linker, with -Wl,--emit-relocs: each function "
	"becomes a unit. A program in which a reference cannot be shown is refused with the reason "
	"(docs/kits-from-relocations.md).\n"
	"\n"
	"KIT is a program, or a key (the program's build-id) or its beginning. Kits are in $INTERFERO_KITS, "
	"$XDG_CACHE_HOME/interfero or ~/.cache/interfero.",
	NULL,
	NULL,
	NULL};

static int load_kit(const char *what, struct ifr_kit *kit, struct ifr_error *err) {
	ifr_kit_init(kit);
	if (!what)
		return ifr_fail(err, IFR_E_USAGE, "which kit? Name a program or a key; \"interfero kit list\" shows them");
	return strchr(what, '/') || ifr_file_exists(what) ? ifr_kit_of_program(what, kit, err)
	                                                  : ifr_kit_load(what, kit, err);
}

static int64_t size_of(const struct ifr_kit *kit) {
	int64_t bytes = 0;
	for (size_t i = 0; i < kit->input_count; i++)
		bytes += kit->inputs[i].bytes;
	return bytes;
}

/* Whether the program that was linked is still there, with a pinned layout or without: "current", "older" where a later
 * build lies at its path, or "gone". */
static const char *find_build(const struct ifr_kit *kit) {
	char id[2 * IFR_BUILD_ID_MAX_BYTES + 1] = "", digest[IFR_SHA256_HEX] = "";
	if (!ifr_file_exists(kit->output))
		return "gone";
	if (ifr_kit_is_pinned(kit->output, kit))
		return "current";
	if (*kit->build_id)
		return !ifr_build_id_read(kit->output, id, NULL) && !strcmp(id, kit->build_id) ? "current" : "older";
	return !ifr_sha256_file(kit->output, digest, NULL, NULL) && !strcmp(digest, kit->sha256) ? "current" : "older";
}

/* The path where it was linked, with ~ for the user's home folder. */
static void print_kit(const struct ifr_kit *kit) {
	const char *home = getenv("HOME"), *path = kit->output;
	size_t length = home ? strlen(home) : 0;
	const bool below = length > 1 && !strncmp(path, home, length) && path[length] == '/';
	printf("%-12.12s %.10s %.5s %5zu %6.1f %-7s %s%s\n", kit->key, kit->created,
	       strlen(kit->created) > 11 ? kit->created + 11 : "", kit->input_count, (double)size_of(kit) / 1048576,
	       find_build(kit), below ? "~" : "", below ? path + length : path);
}

static int list_kits(struct ifr_error *err) {
	struct ifr_strings keys = {0};
	int result = ifr_kit_keys(&keys, err);
	if (!result && keys.count)
		printf("%-12s %-16s %5s %6s %-7s %s\n", "KEY", "CAPTURED", "FILES", "MiB", "BUILD", "PROGRAM");
	for (size_t i = 0; i < keys.count && !result; i++) {
		struct ifr_kit kit;
		struct ifr_error broken = {0};
		if (ifr_kit_load(keys.items[i], &kit, &broken))
			printf("%-12.12s %s\n", keys.items[i], broken.message);
		else
			print_kit(&kit);
		ifr_kit_release(&kit);
	}
	if (!result && !keys.count)
		fprintf(stderr, "no kits yet: build a program with CC=interfero-gcc\n");
	ifr_strings_release(&keys);
	return result;
}

/* Prints the units that the compiler's axes can rebuild, and the reasons for the others. */
static int show_units(const struct ifr_kit *kit, struct ifr_error *err) {
	struct rebuilt_units units;
	struct ifr_buffer left = {0};
	int result = rebuilt_units_read(kit, &units, err);
	if (!result) {
		rebuilt_units_print_unbuildable(&units, rebuilt_units_count_recipes(&units), &left);
		printf("units      %zu with templates, %zu of them with sources\n%s", units.count,
		       rebuilt_units_count_recipes(&units), ifr_buffer_text(&left));
	}
	ifr_buffer_release(&left);
	rebuilt_units_release(&units);
	return result;
}

static int show_kit(const char *what, struct ifr_error *err) {
	struct ifr_kit kit;
	int result = load_kit(what, &kit, err);
	if (!result)
		result = ifr_kit_check(&kit, err);
	if (!result) {
		printf("key        %s\nprogram    %s\nlinked as  %s\ncaptured   %s\nlinker     %s (%s)\nfolder     %s\n",
		       kit.key, kit.program, kit.output, kit.created, kit.linker, kit.linker_version, kit.dir);
		result = show_units(&kit, err);
	}
	if (!result) {
		printf("inputs     %zu, %.1f MiB, all as they were linked\n", kit.input_count,
		       (double)size_of(&kit) / 1048576);
		for (size_t i = 0; i < kit.input_count; i++)
			printf("  %.12s %9" PRId64 "  %s\n", kit.inputs[i].sha256, kit.inputs[i].bytes, kit.inputs[i].path);
	}
	ifr_kit_release(&kit);
	return result;
}

static int export_kit(const struct options *options, struct ifr_error *err) {
	struct ifr_kit kit;
	int result = load_kit(options->what, &kit, err);
	if (!result && !options->output)
		result = ifr_fail(err, IFR_E_USAGE, "-o FILE is missing: where shall the kit go?");
	if (!result)
		result = ifr_kit_export(&kit, options->output, err);
	ifr_kit_release(&kit);
	return result;
}

static int import_kit(const struct options *options, struct ifr_error *err) {
	char key[IFR_KEY_MAX];
	if (!options->what)
		return ifr_fail(err, IFR_E_USAGE, "which file? Name one that \"interfero kit export\" wrote");
	int result = ifr_kit_import(options->what, key, err);
	if (!result)
		printf("%s\n", key);
	return result;
}

static int make_kit(const struct options *options, struct ifr_error *err) {
	struct ifr_unlinked made;
	struct ifr_kit kit;
	const char *program = options->from_relocations;
	if (!program || options->what)
		return ifr_fail(err, IFR_E_USAGE,
		                "kit make: of which program? Give --from-relocs PROGRAM and nothing else");
	int result = ifr_unlinker_make_kit(program, options->dry_run, &made, err);
	if (result)
		return result;
	ifr_command_note(
		"%zu functions of %s in %zu units, %zu of them tied to a neighbour; %zu references resolved by the "
		"assembler, %zu entries of jump tables",
		made.functions, program, made.units, made.tied, made.resolved, made.tables);
	if (options->dry_run)
		return 0;
	printf("%s\n", made.key);
	ifr_kit_init(&kit);
	if (options->output)
		result = ifr_kit_load(made.key, &kit, err);
	if (!result && options->output)
		result = ifr_kit_export(&kit, options->output, err);
	ifr_kit_release(&kit);
	return result;
}

/* Whether a kit was captured longer ago than older_ns. */
static bool is_old(const char *key, int64_t older_ns) {
	struct ifr_kit kit;
	struct stat status;
	bool old = false;
	if (!ifr_kit_load(key, &kit, NULL))
		old = !stat(kit.dir, &status) && (time(NULL) - status.st_mtime) > older_ns / 1000000000;
	ifr_kit_release(&kit);
	return old;
}

static int prune_kits(const struct options *options, struct ifr_error *err) {
	struct ifr_strings keys = {0};
	struct ifr_kit kit;
	int64_t freed = 0;
	size_t removed = 0;
	ifr_kit_init(&kit);
	int result = options->what ? load_kit(options->what, &kit, err) : ifr_kit_keys(&keys, err);
	if (!result && options->what)
		ifr_strings_add(&keys, kit.key);
	for (size_t i = 0; i < keys.count && !result; i++)
		if (options->what || options->all || (options->older_ns && is_old(keys.items[i], options->older_ns))) {
			result = ifr_kit_remove(keys.items[i], err);
			removed++;
		}
	if (!result)
		result = ifr_kit_sweep(&freed, err);
	if (!result)
		printf("%zu %s removed, %.1f MiB freed\n", removed, removed == 1 ? "kit" : "kits",
		       (double)freed / 1048576);
	if (!result && removed)
		ifr_command_note(
			"inputs captured within the last hour stay until a later prune, as a link may be using them");
	ifr_kit_release(&kit);
	ifr_strings_release(&keys);
	return result;
}

int ifr_command_kit(int argc, char **argv) {
	struct options options = {0};
	struct ifr_error err = {0};
	int result;
	argp_parse(&ifr_kit_argp, argc, argv, 0, NULL, &options);
	if (!strcmp(options.verb, "list"))
		result = list_kits(&err);
	else if (!strcmp(options.verb, "show"))
		result = show_kit(options.what, &err);
	else if (!strcmp(options.verb, "make"))
		result = make_kit(&options, &err);
	else if (!strcmp(options.verb, "export"))
		result = export_kit(&options, &err);
	else if (!strcmp(options.verb, "import"))
		result = import_kit(&options, &err);
	else if (!strcmp(options.verb, "prune"))
		result = prune_kits(&options, &err);
	else
		result = ifr_fail(&err, IFR_E_USAGE, "kit: \"%s\" is none of list, show, make, export, import, prune",
		                  options.verb);
	return result ? ifr_command_failed(&err) : 0;
}
