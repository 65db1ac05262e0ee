/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/fuzz/fixtures.h"
#include "relinker/prepare/prepare.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/file.h"
#include "common/process.h"

#define BUILD_ID "0123456789abcdef0123456789abcdef01234567"

/* How a fixture is built. Programs begin at main, as nothing runs them; crti.o gives sections of code behind .text. */
static const struct build {
	const char *sources[FIXTURE_OBJECTS];
	const char *objects[FIXTURE_OBJECTS];
	const char *compile;
	const char *link;
} builds[FIXTURES] = {
	{{"small_main.c", "small_more.c"},
     {"main.o", "libmore.a"},
     "-g",
     "-pie -e main crti.o main.o libmore.a -lc crtn.o"},
	{{"cxx_main.cc", "cxx_more.cc"}, {"main.o", "more.o"}, "-fPIC", "-shared main.o more.o"},
	{{"tls_main.c", "tls_more.c"}, {"main.o", "more.o"}, "-fPIC", "-pie -e main -z now main.o more.o -lc"},
	{{"ifunc.c", "library.c"}, {"main.o", "more.o"}, "-fno-pie", "-e main crti.o main.o more.o -lc crtn.o"},
	{{"asm.S", "asm_main.c"},
     {"main.o", "more.o"},
     "-fPIC",
     "-pie -e main -z pack-relative-relocs main.o more.o -lc"},
};

static struct fixture fixtures[FIXTURES];

static void fail(const char *object, const char *reason) {
	printf("Bail out! %s: %s\n", object, reason);
	abort();
}

static void run_command(const char *folder, const char *command) {
	const char *const argv[] = {"sh", "-c", command, NULL};
	struct ifr_buffer output = {0};
	struct ifr_process process = {.argv = argv, .cwd = folder, .out = &output, .errors = &output};
	int status = -1;
	if (ifr_process_run(&process, &status, NULL) || status)
		fail(command, ifr_buffer_text(&output));
	ifr_buffer_release(&output);
}

static void compile_fixture(const struct fixture *fixture, const struct build *build, const char *sources) {
	run_command(fixture->folder, "cp $(gcc -print-file-name=crti.o) $(gcc -print-file-name=crtn.o) .");
	static const char *const optimised = "-O2 -ffunction-sections -fdata-sections";
	for (size_t i = 0; i < FIXTURE_OBJECTS; i++) {
		bool archive = ifr_ends_with(build->objects[i], ".a");
		char *command = ifr_format("timeout 60 gcc %s %s -c '%s/%s' -o %s", optimised, build->compile, sources,
		                           build->sources[i], archive ? "member.o" : build->objects[i]);
		run_command(fixture->folder, command);
		free(command);
		if (archive) {
			command = ifr_format("ar rcs %s member.o", build->objects[i]);
			run_command(fixture->folder, command);
			free(command);
		}
	}
}

/* Limits the linker: mutated files may make it loop, or ask for all memory. */
static void limit_linker(const struct fixture *fixture) {
	static const char guarded[] = "#!/bin/sh\nulimit -v 4000000\nulimit -f 200000\n"
								  "exec timeout -k 1 5 ld.bfd \"$@\"\n";
	if (ifr_file_write(fixture->engine.ld, guarded, sizeof guarded - 1, 0755, NULL))
		fail(fixture->engine.ld, "cannot be written");
}

static void describe_kit(struct fixture *fixture, const struct build *build) {
	struct ifr_kit *kit = &fixture->kit;
	kit->program = ifr_strdup("fixture");
	kit->build_id = ifr_strdup(BUILD_ID);
	ifr_strings_split(&kit->arguments, "-m elf_x86_64 --eh-frame-hdr -dynamic-linker /lib64/ld-linux-x86-64.so.2",
	                  " ");
	ifr_strings_split(&kit->arguments, build->link, " ");
	fixture->engine = (struct ld_engine){
		.kit = kit,
		.ld = ifr_format("%s/guarded-ld", fixture->folder),
		.root = ifr_strdup(fixture->folder),
		.folder = ifr_strdup(fixture->folder),
	};
}

int fixture_units(const char *program, const char *map, const char *folder, struct units *units,
                  struct layout_sizes *sizes, struct ifr_error *err) {
	struct ifr_buffer bytes = {0};
	struct link_map read = {0};
	struct ifr_error unread;
	struct ifr_plan plan;
	struct placement placement;
	ifr_plan_init(&plan);
	ifr_plan_enable(&plan, IFR_AXIS_FUNCTIONS, 1);
	ifr_plan_set(&plan, IFR_AXIS_DATA, "seed=1 max=0", NULL);
	int result = ifr_file_read(program, 0, &bytes, err);
	if (!result)
		result = link_map_read(&read, map, err);
	if (!result)
		result = units_of_link(units, &read, &bytes, folder, &unread, err);
	if (!result)
		result = placement_make(&placement, units, &plan, NULL, err);
	if (!result) {
		*sizes = placement.sizes;
		placement_release(&placement);
	}
	link_map_release(&read);
	ifr_buffer_release(&bytes);
	return result;
}

/* Links as the relinker does: a base link for the units, then a link in their order. */
static void link_fixture(struct fixture *fixture) {
	struct ifr_error err = {0};
	char *program = ifr_format("%s/program", fixture->folder), *map = ifr_format("%s/map", fixture->folder);
	if (ld_engine_link_base(&fixture->engine, fixture->kit.build_id, program, map, &fixture->script, &err) ||
	    fixture_units(program, map, fixture->folder, &fixture->units, &fixture->sizes, &err))
		fail("the base link", err.message);
	struct placement placement = prepare_placement(&fixture->sizes, &fixture->units);
	if (ld_engine_link(&fixture->engine, &fixture->units, &placement, ifr_buffer_text(&fixture->script),
	                   fixture->kit.build_id, program, map, &err))
		fail("the link", err.message);
	placement_release(&placement);
	free(program);
	free(map);
}

static void read_files(struct fixture *fixture) {
	for (size_t i = 0; i < FIXTURE_FILES; i++) {
		char *path = ifr_format("%s/%s", fixture->folder, fixture->names[i]);
		ifr_buffer_clear(&fixture->files[i]);
		if (ifr_file_read(path, 0, &fixture->files[i], NULL))
			fail(path, "cannot be read");
		free(path);
	}
}

static void remove_folders(void) {
	for (size_t i = 0; i < FIXTURES; i++) {
		struct fixture *fixture = &fixtures[i];
		if (!fixture->folder)
			continue;
		ifr_tree_remove(fixture->folder, NULL);
		for (size_t k = 0; k < FIXTURE_FILES; k++)
			ifr_buffer_release(&fixture->files[k]);
		ifr_buffer_release(&fixture->script);
		units_release(&fixture->units);
		ld_engine_close(&fixture->engine);
		ifr_kit_release(&fixture->kit);
		free(fixture->folder);
	}
}

static void make_fixture(struct fixture *fixture, const struct build *build) {
	static bool registered;
	struct ifr_error err = {0};
	char *sources = realpath("tests/e2e/programs/engine", NULL);
	if (!sources)
		fail("tests/e2e/programs/engine", "is not here: start from the top of the sources");
	/* In memory, if the system has such a folder. */
	if (!access("/dev/shm", W_OK))
		setenv("TMPDIR", "/dev/shm", 1);
	if (!registered)
		atexit(remove_folders);
	registered = true;
	if (ifr_temporary_dir(&fixture->folder, &err))
		fail("a temporary folder", err.message);
	for (size_t i = 0; i < FIXTURE_OBJECTS; i++)
		fixture->names[i] = build->objects[i];
	fixture->names[FIXTURE_PROGRAM] = "program";
	fixture->names[FIXTURE_MAP] = "map";
	describe_kit(fixture, build);
	limit_linker(fixture);
	compile_fixture(fixture, build, sources);
	link_fixture(fixture);
	read_files(fixture);
	free(sources);
}

struct fixture *fixture_get(size_t index) {
	struct fixture *fixture = &fixtures[index];
	if (!fixture->folder)
		make_fixture(fixture, &builds[index]);
	return fixture;
}

void fixture_write(const struct fixture *fixture, size_t file, const struct ifr_buffer *contents) {
	char *path = ifr_format("%s/%s", fixture->folder, fixture->names[file]);
	FILE *to = fopen(path, "wb");
	if (!to || fwrite(contents->data, 1, contents->length, to) != contents->length || fclose(to))
		fail(path, "cannot be written");
	free(path);
}
