/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "relinker/ld/ld_engine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/file.h"
#include "common/process.h"
#include "relinker/ld/names_object.h"

int ld_engine_open(struct ld_engine *engine, const struct ifr_kit *kit, struct ifr_error *err) {
	*engine = (struct ld_engine){.kit = kit};
	engine->ld = ifr_program_find("ld.bfd", NULL);
	if (!engine->ld)
		return ifr_fail(err, IFR_E_ENVIRONMENT, "ld.bfd is not installed (Debian package binutils)");
	engine->root = ifr_format("%s/root", kit->dir);
	engine->folder = ifr_format("%s%s", engine->root, kit->cwd);
	if (strpbrk(engine->root, "*?[]\\:\"\n")) {
		int result = ifr_fail(
			err, IFR_E_ENVIRONMENT,
			"a linker script cannot name files in %s: set INTERFERO_KITS to a folder without * ? [ ] \\ : \"",
			engine->root);
		ld_engine_close(engine);
		return result;
	}
	return 0;
}

void ld_engine_close(struct ld_engine *engine) {
	free(engine->ld);
	free(engine->root);
	free(engine->folder);
	*engine = (struct ld_engine){0};
}

static char *expand_placeholders(const char *argument, const char *root) {
	struct ifr_buffer text = {0};
	if (!strcmp(argument, IFR_KIT_LTO_PLUGIN))
		return ifr_path_libexec(
			"relink_plugin.so"); /* hands ld the objects that -flto compiled in the captured link */
	for (const char *at; (at = strstr(argument, IFR_KIT_ROOT)); argument = at + strlen(IFR_KIT_ROOT)) {
		ifr_buffer_append(&text, argument, (size_t)(at - argument));
		ifr_buffer_puts(&text, root);
	}
	ifr_buffer_puts(&text, argument);
	return ifr_buffer_detach(&text);
}

static bool is_interpreter_option(const char *argument, bool *joined) {
	if (*argument != '-')
		return false;
	argument += 1 + (argument[1] == '-');
	*joined = ifr_starts_with(argument, "dynamic-linker=");
	return *joined || !strcmp(argument, "dynamic-linker") || !strcmp(argument, "I");
}

const char *ld_interpreter_of(const struct ifr_kit *kit) {
	const char *interpreter = NULL;
	for (size_t i = 0; i < kit->arguments.count; i++) {
		bool joined = false;
		const char *argument = kit->arguments.items[i];
		if (is_interpreter_option(argument, &joined))
			interpreter = joined ? strchr(argument, '=') + 1 : kit->arguments.items[i + 1];
		if (!strcmp(argument, "-static") || !strcmp(argument, "--no-dynamic-linker") ||
		    !strcmp(argument, "-shared"))
			return NULL;
	}
	return interpreter;
}

char *ld_interpreter_grow(const char *path, uint64_t bytes) {
	const char *slash = strrchr(path, '/');
	if (!slash)
		return ifr_strdup(path);
	struct ifr_buffer text = {0};
	ifr_buffer_append(&text, path, (size_t)(slash - path));
	for (uint64_t i = 0; i < bytes; i++)
		ifr_buffer_puts(&text, "/");
	ifr_buffer_puts(&text, slash);
	return ifr_buffer_detach(&text);
}

/* The number of words of an option that names a linker script; 0 for other arguments. */
static size_t script_option_words(const char *argument) {
	bool separate = !strcmp(argument, "-T") || !strcmp(argument, "--script") || !strcmp(argument, "-script");
	bool joined = ifr_starts_with(argument, "-T" IFR_KIT_ROOT) || ifr_starts_with(argument, "--script=");
	return separate ? 2 : joined ? 1 : 0;
}

/* Builds ld's command line from the kit's arguments; script replaces the kit's own unless it is NULL. */
static void add_arguments(const struct ld_engine *engine, const char *build_id, const char *output,
                          uint64_t interp_bytes, const char *script, struct ifr_strings *arguments) {
	const struct ifr_kit *kit = engine->kit;
	ifr_strings_add(arguments, engine->ld);
	for (size_t i = 0; i < kit->arguments.count; i++) {
		size_t words = script ? script_option_words(kit->arguments.items[i]) : 0;
		if (words)
			i += words - 1;
		else
			ifr_strings_take(arguments, expand_placeholders(kit->arguments.items[i], engine->root));
	}
	if (script) {
		ifr_strings_add(arguments, "-T");
		ifr_strings_add(arguments, script);
	}
	const char *interpreter = ld_interpreter_of(kit);
	if (interp_bytes && interpreter) {
		/* ld uses the last --dynamic-linker. */
		char *grown = ld_interpreter_grow(interpreter, interp_bytes);
		ifr_strings_take(arguments, ifr_format("--dynamic-linker=%s", grown));
		free(grown);
	}
	ifr_strings_take(arguments,
	                 *build_id ? ifr_format("--build-id=0x%s", build_id) : ifr_strdup("--build-id=none"));
	ifr_strings_add(arguments, "-o");
	ifr_strings_add(arguments, output);
}

/* Fails with the first line of ld's messages that is neither a warning nor only a heading ("in function …:"). */
static int fail_with_complaint(const struct ld_engine *engine, const char *said, struct ifr_error *err) {
	struct ifr_strings lines = {0};
	ifr_strings_split(&lines, said, "\n");
	const char *line = lines.count ? lines.items[0] : "it says nothing";
	for (size_t i = 0; i < lines.count; i++)
		if (!strstr(lines.items[i], "warning") && strstr(lines.items[i], ": ") &&
		    !ifr_ends_with(lines.items[i], ":")) {
			line = lines.items[i];
			break;
		}
	int result =
		ifr_fail(err, IFR_E_ENVIRONMENT, "ld.bfd cannot link the kit of %s again: %s", engine->kit->program, line);
	ifr_strings_release(&lines);
	return result;
}

/* Runs ld, which writes beside the output; only a finished file is renamed to it. */
static int run_linker(const struct ld_engine *engine, struct ifr_strings *arguments, const char *made,
                      const char *output, struct ifr_buffer *said, struct ifr_error *err) {
	static const char *const environment[] = {"LC_ALL=C", "LD_RUN_PATH", "LDEMULATION", "GNUTARGET", NULL};
	struct ifr_buffer errors = {0};
	int status = 0;
	struct ifr_process process = {
		.argv = (const char *const *)arguments->items,
		.cwd = engine->folder,
		.set_env = environment,
		.out = said,
		.errors = &errors,
	};
	int result = ifr_process_run(&process, &status, err);
	if (!result && status)
		result = fail_with_complaint(engine, ifr_buffer_text(&errors), err);
	if (!result && (chmod(made, 0755) || rename(made, output)))
		result = ifr_fail_errno(err, IFR_E_ENVIRONMENT, "cannot write %s", output);
	if (result)
		unlink(made);
	ifr_buffer_release(&errors);
	return result;
}

/* Creates a file of a unique name beside the output, on the same file system. Its path is absolute because ld runs
 * in another folder. */
static int temporary_beside(const char *output, char **made, struct ifr_error *err) {
	char *cwd = getcwd(NULL, 0);
	char *absolute = ifr_path_normalise(cwd ? cwd : "/", output);
	*made = ifr_format("%s.XXXXXX", absolute);
	int fd = mkstemp(*made);
	int result = fd < 0 ? ifr_fail_errno(err, IFR_E_ENVIRONMENT, "cannot write %s", output) : 0;
	if (fd >= 0)
		close(fd);
	if (result) {
		free(*made);
		*made = NULL;
	}
	free(absolute);
	free(cwd);
	return result;
}

/* ld --verbose prints the script between two lines of '='. */
static int extract_script(const char *said, struct ifr_buffer *script, struct ifr_error *err) {
	static const char rule[] = "==================================================\n";
	const char *start = strstr(said, rule), *end = start ? strstr(start + strlen(rule), rule) : NULL;
	if (!end)
		return ifr_fail(err, IFR_E_ENVIRONMENT, "ld.bfd --verbose printed no linker script");
	start += strlen(rule);
	ifr_buffer_append(script, start, (size_t)(end - start));
	return 0;
}

int ld_engine_link_base(const struct ld_engine *engine, const char *build_id, const char *output, const char *map,
                        struct ifr_buffer *script, struct ifr_error *err) {
	struct ifr_strings arguments = {0};
	struct ifr_buffer said = {0};
	char *made;
	int result = temporary_beside(output, &made, err);
	if (result)
		return result;
	add_arguments(engine, build_id, made, 0, NULL, &arguments);
	if (script)
		ifr_strings_add(&arguments, "--verbose");
	if (map)
		ifr_strings_take(&arguments, ifr_format("-Map=%s", map));
	result = run_linker(engine, &arguments, made, output, &said, err);
	if (!result && script)
		result = extract_script(ifr_buffer_text(&said), script, err);
	ifr_buffer_release(&said);
	ifr_strings_release(&arguments);
	free(made);
	return result;
}

/* Writes the object of the axis names, if the placement has names, and appends it to ld's command line. */
static int add_names(const struct placement *placement, const char *file, struct ifr_strings *arguments,
                     struct ifr_error *err) {
	struct ifr_buffer object = {0};
	if (!placement->names)
		return 0;
	names_object_make(placement->names, placement->name_bytes, placement->names_by_got, &object);
	int result = ifr_file_write(file, object.data, object.length, 0600, err);
	ifr_strings_add(arguments, file);
	ifr_buffer_release(&object);
	return result;
}

int ld_engine_link(const struct ld_engine *engine, const struct units *units, const struct placement *placement,
                   const char *script, const char *build_id, const char *output, const char *map,
                   struct ifr_error *err) {
	struct ifr_strings arguments = {0};
	struct ifr_buffer text = {0}, said = {0};
	char *made = NULL, *script_file = NULL, *names_file = NULL;
	int result = ld_script_print(script, units, placement, &text, err);
	if (result || (result = temporary_beside(output, &made, err)))
		goto out;
	script_file = ifr_format("%s.ld", made);
	if ((result = ifr_file_write(script_file, ifr_buffer_text(&text), text.length, 0600, err)))
		goto out;
	add_arguments(engine, build_id, made, placement->sizes.interp_bytes, script_file, &arguments);
	names_file = ifr_format("%s.names.o", made);
	if (map)
		ifr_strings_take(&arguments, ifr_format("-Map=%s", map));
	result = add_names(placement, names_file, &arguments, err);
	if (!result)
		result = run_linker(engine, &arguments, made, output, &said, err);
	unlink(names_file);
	unlink(script_file);
out:
	if (result && made)
		unlink(made);
	free(names_file);
	free(script_file);
	free(made);
	ifr_buffer_release(&said);
	ifr_buffer_release(&text);
	ifr_strings_release(&arguments);
	return result;
}
