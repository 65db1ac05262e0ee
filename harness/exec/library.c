/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/exec/library.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/buffer.h"
#include "common/file.h"
#include "common/process.h"
#include "harness/exec/launch.h"
#include "kit/kit.h"

/* The name in the dynamic section, else that of the file. */
char *ifr_library_soname(const char *path) {
	char *name = NULL;
	struct ifr_elf_file file;
	GElf_Shdr header;
	GElf_Dyn tag;
	ifr_elf_open(&file, path);
	Elf_Data *data = elf_getdata(ifr_elf_find_section_type(file.elf, SHT_DYNAMIC, &header), NULL);
	for (int i = 0; data && !name && gelf_getdyn(data, i, &tag) && tag.d_tag != DT_NULL; i++) {
		const char *text =
			tag.d_tag == DT_SONAME ? elf_strptr(file.elf, header.sh_link, (size_t)tag.d_un.d_val) : NULL;
		name = text && *text && !strchr(text, '/') ? ifr_strdup(text) : NULL;
	}
	ifr_elf_close(&file);
	return name ? name : ifr_strdup(ifr_path_base(path));
}

static char *folder_of(const char *path) {
	return ifr_format("%s.lib", path);
}

const char *ifr_library_variable(const struct ifr_library *library) {
	static const char *const variables[] = {"LD_LIBRARY_PATH", "LD_PRELOAD", "LD_AUDIT"};
	return variables[library->way];
}

/* The loader's path to the variant: LD_LIBRARY_PATH takes a folder, the others a file. */
static char *loader_path(const struct ifr_library *library, const char *path) {
	char *folder = folder_of(path), *file = ifr_format("%s/%s", folder, library->soname),
		 *padded = ifr_context_path(library->way == IFR_LIBRARY_BY_PATH ? folder : file);
	free(file);
	free(folder);
	return padded;
}

int ifr_library_name(const struct ifr_library *library, const char *path, struct ifr_error *err) {
	char *folder = folder_of(path), *name = ifr_format("%s/%s", folder, library->soname),
		 *target = ifr_format("../%s", ifr_path_base(path));
	int result = ifr_dir_make(folder, err);
	if (!result && symlink(target, name) && errno != EEXIST)
		result = ifr_fail_errno(err, IFR_E_ENVIRONMENT, "cannot make %s", name);
	free(target);
	free(name);
	free(folder);
	return result;
}

/* Copies an environment, with a value in front of those that a variable has. */
static void add_variable(const char *variable, const char *value, char separator,
                         const struct ifr_strings *environment, struct ifr_strings *copy) {
	const size_t length = strlen(variable);
	bool there = false;
	for (size_t i = 0; i < environment->count; i++) {
		const char *entry = environment->items[i];
		if (!strncmp(entry, variable, length) && entry[length] == '=') {
			ifr_strings_take(copy, ifr_format("%s=%s%c%s", variable, value, separator, entry + length + 1));
			there = true;
		} else {
			ifr_strings_add(copy, entry);
		}
	}
	if (!there)
		ifr_strings_take(copy, ifr_format("%s=%s", variable, value));
}

void ifr_library_environment(const struct ifr_library *library, const char *path,
                             const struct ifr_strings *environment, struct ifr_strings *copy) {
	const bool audits = library->way == IFR_LIBRARY_BY_AUDIT;
	char *place = loader_path(library, path), *auditor = audits ? ifr_path_libexec("redirect.so") : NULL;
	add_variable(ifr_library_variable(library), audits ? auditor : place,
	             library->way == IFR_LIBRARY_BY_PRELOAD ? ' ' : ':', environment, copy);
	if (audits)
		ifr_strings_take(copy, ifr_format("INTERFERO_LIBRARY=%s %s %s", library->soname, library->file, place));
	free(auditor);
	free(place);
}

/* Asks the loader what it would load; it starts nothing then. */
static int trace(const char *program, const struct ifr_strings *environment, struct ifr_buffer *list,
                 struct ifr_error *err) {
	struct ifr_strings argv = {0};
	struct ifr_buffer errors = {0};
	int status = 0;
	ifr_strings_add(&argv, "env");
	ifr_strings_add(&argv, "-i");
	ifr_strings_add_all(&argv, environment);
	ifr_strings_add(&argv, "LD_TRACE_LOADED_OBJECTS=1");
	ifr_strings_add(&argv, program);
	struct ifr_process process = {.argv = (const char *const *)argv.items, .out = list, .errors = &errors};
	int result = ifr_process_run(&process, &status, err);
	ifr_buffer_release(&errors);
	ifr_strings_release(&argv);
	return result;
}

/* The file in a line of the loader, "\tNAME => PATH (0x…)" or "\tPATH (0x…)", ended in place; NULL for another line. */
static char *file_of(char *line) {
	char *arrow = strstr(line, "=> "), *end = strrchr(line, '('),
		 *file = arrow ? arrow + 3 : line + strspn(line, "\t ");
	if (!end || end <= file)
		return NULL;
	end[-1] = '\0';
	return file;
}

static bool is_below(const char *file, const char *folder) {
	const size_t length = strlen(folder);
	return !strncmp(file, folder, length) && file[length] == '/';
}

static bool is_of_system(const char *file) {
	static const char *const folders[] = {"/lib",     "/lib32",     "/lib64",     "/libx32",
	                                      "/usr/lib", "/usr/lib32", "/usr/lib64", "/usr/libx32"};
	for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
		if (is_below(file, folders[i]))
			return true;
	return false;
}

/* The file in a line of the loader, without the slashes that pad its path; NULL for another line, and for the kernel's
 * own library. */
static const char *library_of(char *line) {
	const char *file = file_of(line);
	while (file && file[0] == '/' && file[1] == '/')
		file++;
	return file && *file == '/' ? file : NULL;
}

static void identify_file(const char *file, struct ifr_buffer *list) {
	char id[2 * IFR_BUILD_ID_MAX_BYTES + 1] = "", digest[IFR_SHA256_HEX] = "";
	if (ifr_build_id_read(file, id, NULL) || !*id)
		ifr_sha256_file(file, digest, NULL, NULL);
	ifr_buffer_printf(list, "%s%s=%.16s", list->length ? " " : "", ifr_path_base(file), *id ? id : digest);
}

int ifr_libraries_identify(const char *program, const struct ifr_strings *environment, char **list,
                           struct ifr_error *err) {
	struct ifr_buffer traced = {0}, text = {0};
	struct ifr_strings lines = {0};
	int result = ifr_loads_libraries(program) ? trace(program, environment, &traced, err) : 0;
	ifr_strings_split(&lines, ifr_buffer_text(&traced), "\n");
	for (size_t i = 0; i < lines.count && !result; i++) {
		const char *file = library_of(lines.items[i]);
		if (file)
			identify_file(file, &text);
	}
	*list = text.length ? ifr_buffer_detach(&text) : ifr_strdup("");
	ifr_strings_release(&lines);
	ifr_buffer_release(&traced);
	return result;
}

int ifr_libraries_list(const char *program, const struct ifr_strings *environment, const char *except,
                       struct ifr_strings *files, struct ifr_error *err) {
	struct ifr_buffer list = {0};
	struct ifr_strings lines = {0};
	int result = ifr_loads_libraries(program) ? trace(program, environment, &list, err) : 0;
	ifr_strings_split(&lines, ifr_buffer_text(&list), "\n");
	for (size_t i = 0; i < lines.count && !result; i++) {
		const char *file = library_of(lines.items[i]);
		if (file && !is_of_system(file) && !is_below(file, except) && !ifr_strings_contain(files, file))
			ifr_strings_add(files, file);
	}
	ifr_strings_release(&lines);
	ifr_buffer_release(&list);
	return result;
}

/* Counts the loader's files of the library's name, of them the one at path. */
static void count_files(const char *list, const char *path, const char *soname, size_t *named, size_t *found) {
	struct ifr_strings lines = {0};
	*named = *found = 0;
	ifr_strings_split(&lines, list, "\n");
	for (size_t i = 0; i < lines.count; i++) {
		const char *file = file_of(lines.items[i]);
		if (!file)
			continue;
		*named += !strcmp(ifr_path_base(file), soname);
		*found += path && !strcmp(file, path);
	}
	ifr_strings_release(&lines);
}

/* Whether the variant comes in the place of the library that the program loads, and that one does not. */
static int is_loaded(const struct ifr_library *library, const char *program, const char *path,
                     const struct ifr_strings *environment, bool *loaded, struct ifr_error *err) {
	struct ifr_strings own = {0};
	struct ifr_buffer before = {0}, list = {0};
	char *place = loader_path(library, path), *name = library->way == IFR_LIBRARY_BY_PRELOAD
	                                                      ? ifr_strdup(place)
	                                                      : ifr_format("%s/%s", place, library->soname);
	size_t named, found, needed, none;
	ifr_library_environment(library, path, environment, &own);
	int result = trace(program, environment, &before, err);
	if (!result)
		result = trace(program, &own, &list, err);
	/* A missing library is listed, too, as "NAME => not found". */
	count_files(ifr_buffer_text(&before), NULL, library->soname, &needed, &none);
	count_files(ifr_buffer_text(&list), name, library->soname, &named, &found);
	*loaded = !result && found == 1 && named == 1 && (needed || library->way == IFR_LIBRARY_BY_PATH);
	ifr_buffer_release(&before);
	ifr_buffer_release(&list);
	ifr_strings_release(&own);
	free(name);
	free(place);
	return result;
}

/* Tracing is the dynamic loader's: a program without one would simply run. */
static int check_dynamic(const char *program, struct ifr_error *err) {
	return ifr_loads_libraries(program)
	           ? 0
	           : ifr_fail(
					 err, IFR_E_USAGE,
					 "%s is no dynamically linked program: it cannot load a library's variants (name the program that a "
					 "script starts, not the script)",
					 program);
}

int ifr_library_open(struct ifr_library *library, const char *program, const char *file, const char *path,
                     const struct ifr_strings *environment, struct ifr_error *err) {
	bool loaded = false;
	*library = (struct ifr_library){.soname = ifr_library_soname(file), .file = ifr_strdup(ifr_path_base(file))};
	int result = check_dynamic(program, err);
	if (!result)
		result = ifr_library_name(library, path, err);
	for (int way = IFR_LIBRARY_BY_PATH; way < IFR_LIBRARY_BY_AUDIT && !result && !loaded; way++) {
		library->way = (enum ifr_library_way)way;
		result = is_loaded(library, program, path, environment, &loaded, err);
	}
	if (!loaded)
		library->way = IFR_LIBRARY_BY_AUDIT;
	if (result)
		ifr_library_release(library);
	return result;
}

void ifr_library_release(struct ifr_library *library) {
	free(library->soname);
	free(library->file);
	*library = (struct ifr_library){0};
}
