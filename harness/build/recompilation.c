/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/build/recompilation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/file.h"
#include "common/gcc.h"
#include "common/process.h"

/* Appends the first line of a tool's output that reports an error, else the first line; at most 400 bytes. */
static void find_first_error(const char *output, struct ifr_buffer *complaint) {
	const char *error = strstr(output, "rror:"), *begin = error ? error : output;
	while (begin > output && begin[-1] != '\n')
		begin--;
	size_t length = strcspn(begin, "\n");
	ifr_buffer_append(complaint, begin, length < 400 ? length : 400);
}

/* The first line of the plugin about code that an axis leaves as it is, with the axis in front, or NULL; the caller
 * frees. */
static char *find_remark(const char *output) {
	static const char mark[] = "interfero: ", leaves[] = " leaves this ";
	for (const char *found = strstr(output, mark); found; found = strstr(found + 1, mark)) {
		const char *axis = found + sizeof mark - 1, *text = axis + strcspn(axis, " \n"), *begin = found;
		if (strncmp(text, leaves, sizeof leaves - 1))
			continue;
		while (begin > output && begin[-1] != '\n')
			begin--;
		return ifr_format("%.*s: %.*s%.*s", (int)(text - axis), axis, (int)strcspn(begin, " "), begin,
		                  (int)strcspn(text, "\n"), text);
	}
	return NULL;
}

/* Runs a tool without a word to the user; its first error becomes ours, after the text `failure`. Where remark is not
 * NULL, *remark becomes that of find_remark. */
static int run_tool(const struct ifr_strings *arguments, const char *cwd, const char *const *environment,
                    const char *failure, char **remark, struct ifr_error *err) {
	struct ifr_buffer output = {0};
	int status = 0;
	struct ifr_process process = {.argv = (const char *const *)arguments->items,
	                              .cwd = cwd,
	                              .set_env = environment,
	                              .out = &output,
	                              .errors = &output};
	int result = ifr_process_run(&process, &status, err);
	if (!result && status) {
		struct ifr_buffer complaint = {0};
		find_first_error(ifr_buffer_text(&output), &complaint);
		result = ifr_fail(err, IFR_E_ENVIRONMENT, "%s: %s", failure, ifr_buffer_text(&complaint));
		ifr_buffer_release(&complaint);
	}
	if (remark) {
		free(*remark);
		*remark = find_remark(ifr_buffer_text(&output));
	}
	ifr_buffer_release(&output);
	return result;
}

int unit_run_assembler(const struct rebuilt_unit *unit, const char *source, const char *object,
                       struct ifr_error *err) {
	struct ifr_strings arguments = {0};
	ifr_strings_add(&arguments, "as");
	ifr_strings_add_all(&arguments, &unit->arguments);
	ifr_strings_add(&arguments, "-o");
	ifr_strings_add(&arguments, object);
	ifr_strings_add(&arguments, source);
	char *failure = ifr_format("the assembler refuses the template of %s%s%s", unit->input,
	                           *unit->member ? ":" : "", unit->member);
	int result = run_tool(&arguments, NULL, NULL, failure, NULL, err);
	free(failure);
	ifr_strings_release(&arguments);
	return result;
}

/* The GCC driver of a version: the one that INTERFERO_GCC names, gcc or gcc-VERSION; the caller frees. NULL: none of
 * them is there and has that version. */
static char *find_driver(int version) {
	const char *chosen = getenv("INTERFERO_GCC");
	char *versioned = ifr_format("gcc-%d", version), *found = NULL;
	const char *const names[] = {chosen && *chosen ? chosen : "gcc", "gcc", versioned};
	for (size_t i = 0; i < sizeof names / sizeof *names && !found; i++) {
		found = ifr_program_find(names[i], NULL);
		if (found && ifr_gcc_version(found) != version) {
			free(found);
			found = NULL;
		}
	}
	free(versioned);
	return found;
}

/* Asks GCC's driver for the path of a compiler proper ("cc1"); the caller frees. */
static int ask_driver(const char *driver, const char *name, char **path, struct ifr_error *err) {
	char *option = ifr_format("-print-prog-name=%s", name);
	const char *const argv[] = {driver, option, NULL};
	struct ifr_buffer answer = {0}, errors = {0};
	struct ifr_process process = {.argv = argv, .out = &answer, .errors = &errors};
	int status = 0;
	int result = ifr_process_run(&process, &status, err);
	*path = ifr_format("%.*s", (int)strcspn(ifr_buffer_text(&answer), "\n"), ifr_buffer_text(&answer));
	if (!result && (status || **path != '/'))
		result =
			ifr_fail(err, IFR_E_ENVIRONMENT,
		             "%s has no %s, which compiles units again: install the compiler of that language, or set "
		             "INTERFERO_GCC",
		             driver, name);
	if (result) {
		free(*path);
		*path = NULL;
	}
	ifr_buffer_release(&answer);
	ifr_buffer_release(&errors);
	free(option);
	return result;
}

/* Finds the compiler proper of the GCC that compiled the unit, of this version; the caller frees. */
static int find_compiler(const char *name, int version, char **path, struct ifr_error *err) {
	char *driver = find_driver(version);
	*path = NULL;
	int result = driver
	                 ? ask_driver(driver, name, path, err)
	                 : ifr_fail(err, IFR_E_ENVIRONMENT,
	                            "it was compiled by gcc %d, which is not here: install the package gcc-%d, or set "
	                            "INTERFERO_GCC",
	                            version, version);
	free(driver);
	return result;
}

static int write_sources(const struct rebuilt_unit *unit, const struct ifr_plan *merged, const char *folder,
                         struct ifr_error *err) {
	struct ifr_buffer plan = {0};
	ifr_plan_print(merged, &plan);
	char *path = ifr_format("%s/plan", folder);
	int result = ifr_file_write(path, plan.data, plan.length, 0600, err);
	free(path);
	for (size_t i = 0; i < unit->recipe.file_count && !result; i++) {
		const struct ifr_recipe_file *file = &unit->recipe.files[i];
		path = ifr_format("%s/%s", folder, file->name);
		result = ifr_file_write(path, ifr_buffer_text(&file->bytes), file->bytes.length, 0600, err);
		free(path);
	}
	ifr_buffer_release(&plan);
	return result;
}

/* Warnings are off: the build has shown them, and some misfire on preprocessed source. */
static void add_compiler_arguments(const struct rebuilt_unit *unit, int version, const char *compiler,
                                   struct ifr_strings *arguments) {
	char *plugin = ifr_gcc_plugin_path(version);
	ifr_strings_add(arguments, compiler);
	ifr_strings_add(arguments, unit->recipe.files[0].name);
	ifr_strings_add_all(arguments, &unit->recipe.arguments);
	ifr_strings_take(arguments, ifr_format("-fplugin=%s", plugin));
	ifr_strings_add(arguments, "-fplugin-arg-interfero-templates");
	ifr_strings_add(arguments, "-fplugin-arg-interfero-plan=plan");
	ifr_strings_take(arguments, ifr_format("-fplugin-arg-interfero-recipe=%s", unit->recipe_reference));
	ifr_strings_add(arguments, "-w");
	ifr_strings_add(arguments, "-o");
	ifr_strings_add(arguments, "interfero-unit.s");
	free(plugin);
}

int unit_compile(struct rebuilt_unit *unit, const struct ifr_plan *merged, const char *beside,
                 struct ifr_buffer *text, struct ifr_error *err) {
	static const char *const environment[] = {"LC_ALL=C", "INTERFERO_PLAN", NULL};
	char *folder = ifr_format("%s.d", beside), *template = ifr_format("%s/interfero-unit.s", folder),
		 *compiler = NULL;
	char *failure =
		ifr_format("%s%s%s cannot be compiled again", unit->input, *unit->member ? ":" : "", unit->member);
	struct ifr_strings arguments = {0};
	const int version = ifr_template_compiler_version(unit->text.data, unit->text.length);
	int result = find_compiler(unit->recipe.compiler, version, &compiler, err);
	if (!result)
		result = ifr_dir_make(folder, err);
	if (!result)
		result = write_sources(unit, merged, folder, err);
	if (!result) {
		add_compiler_arguments(unit, version, compiler, &arguments);
		result = run_tool(&arguments, folder, environment, failure, &unit->remark, err);
	}
	if (!result)
		result = ifr_file_read(template, 0, text, err);
	if (!result && !ifr_template_is_complete(ifr_buffer_text(text), text->length))
		result = ifr_fail(err, IFR_E_ENVIRONMENT, "%s: no template comes out", failure);
	ifr_tree_remove(folder, NULL);
	ifr_strings_release(&arguments);
	free(compiler);
	free(failure);
	free(template);
	free(folder);
	return result;
}

/* Assembles a template under an empty plan and strips debug information and note, which may differ. */
static int make_bare_object(const struct rebuilt_unit *unit, const struct ifr_buffer *text, const char *beside,
                            struct ifr_buffer *bytes, struct ifr_error *err) {
	struct ifr_plan none;
	struct ifr_note note;
	struct ifr_buffer assembly = {0};
	struct ifr_strings arguments = {0};
	char *source = ifr_format("%s.bare.s", beside), *object = ifr_format("%s.bare.o", beside);
	static const char *const words[] = {"objcopy", "--strip-debug", "-R", IFR_NOTE_SECTION};
	ifr_plan_init(&none);
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		ifr_strings_add(&arguments, words[i]);
	ifr_strings_add(&arguments, object);
	int result = ifr_template_expand(text->data, text->length, &none, "", &assembly, &note, err);
	ifr_note_release(&note);
	if (!result)
		result = ifr_file_write(source, assembly.data, assembly.length, 0600, err);
	if (!result)
		result = unit_run_assembler(unit, source, object, err);
	if (!result)
		result = run_tool(&arguments, NULL, NULL, "objcopy fails", NULL, err);
	if (!result)
		result = ifr_file_read(object, 0, bytes, err);
	unlink(source);
	unlink(object);
	ifr_strings_release(&arguments);
	ifr_buffer_release(&assembly);
	free(object);
	free(source);
	return result;
}

/* Offset of the template behind the lines with the assembler's arguments. */
static size_t find_template_start(const struct ifr_buffer *text) {
	static const char mark[] = IFR_MARK_ARGUMENT " ";
	const char *at = ifr_buffer_text(text);
	while (ifr_starts_with(at, mark) && strchr(at, '\n'))
		at = strchr(at, '\n') + 1;
	return (size_t)(at - ifr_buffer_text(text));
}

int unit_same_code(const struct rebuilt_unit *unit, const struct ifr_buffer *other, const char *beside, bool *same,
                   struct ifr_error *err) {
	size_t head = find_template_start(&unit->text);
	struct ifr_buffer first = {0}, second = {0};
	*same =
		unit->text.length - head == other->length && !memcmp(unit->text.data + head, other->data, other->length);
	if (*same)
		return 0;
	int result = make_bare_object(unit, &unit->text, beside, &first, err);
	if (!result)
		result = make_bare_object(unit, other, beside, &second, err);
	*same = !result && first.length == second.length && !memcmp(first.data, second.data, first.length);
	ifr_buffer_release(&first);
	ifr_buffer_release(&second);
	return result;
}
