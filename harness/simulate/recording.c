/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/simulate/recording.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/file.h"
#include "harness/build/build.h"
#include "harness/exec/exec.h"
#include "harness/simulate/kernel.h"
#include "harness/simulate/plan_layouts.h"
#include "harness/simulate/recording_context.h"
#include "harness/simulate/heap_objects.h"
#include "harness/simulate/installed_files.h"
#include "kit/kit.h"
#include "relinker/relinker.h"

/* Describes the strings and pointers that Linux writes above the stack pointer; a layout's stack depends on them. */
static void describe_stack(const char *path, char *const *argv, const struct ifr_strings *environment,
                           struct ifr_buffer *text) {
	size_t bytes = strlen(path) + 1, pointers = environment->count;
	for (size_t i = 0; i < environment->count; i++)
		bytes += strlen(environment->items[i]) + 1;
	for (size_t i = 0; argv[i]; i++, pointers++)
		bytes += strlen(argv[i]) + 1;
	ifr_buffer_printf(text, "stack_strings_bytes %zu\nstack_pointers %zu\n", bytes, pointers);
}

static void describe_library(const struct ifr_recording_request *request, struct ifr_buffer *text) {
	char build_id[2 * IFR_BUILD_ID_MAX_BYTES + 1] = "", *mapped = realpath(request->library_file, NULL);
	ifr_buffer_printf(text, "library %s\n" IFR_TRACE_LAID_OUT " %s\n", request->library,
	                  mapped ? mapped : request->library_file);
	if (!ifr_build_id_read(request->library, build_id, NULL))
		ifr_buffer_printf(text, "library_build_id %s\n", build_id);
	free(mapped);
}

/* path: of the recorded file, as it is executed. */
static void describe_recording(const struct ifr_recording_request *request, const char *path,
                               const struct ifr_context *context, const struct ifr_strings *environment,
                               struct ifr_buffer *text) {
	char build_id[2 * IFR_BUILD_ID_MAX_BYTES + 1] = "";
	ifr_buffer_printf(text, "interfero %s\nprogram %s\n", INTERFERO_VERSION, request->program);
	if (!ifr_build_id_read(path, build_id, NULL))
		ifr_buffer_printf(text, "build_id %s\n", build_id);
	if (request->library)
		describe_library(request, text);
	if (request->plan)
		ifr_buffer_printf(text, "variant %s\n", *request->plan->name ? request->plan->name : "unnamed");
	if (context->load_pages)
		ifr_buffer_printf(text, "load_pages %llu\n", (unsigned long long)context->load_pages);
	for (size_t i = 0; request->argv[i]; i++)
		ifr_buffer_printf(text, "argument %s\n", request->argv[i]);
	for (size_t i = 0; i < environment->count; i++)
		ifr_buffer_printf(text, "environment %s\n", environment->items[i]);
	describe_stack(path, request->argv, environment, text);
	if (request->region)
		ifr_buffer_printf(text, "region %s\n", request->region);
	if (request->objects && ifr_loads_libraries(path))
		ifr_buffer_puts(text,
		                "allocator left out: its requests and objects are told, not what it executes itself\n");
	ifr_kernel_describe(text);
	if (request->from || request->to)
		ifr_buffer_printf(text, "window %llu %llu\n", (unsigned long long)request->from,
		                  (unsigned long long)request->to);
	if (request->every)
		ifr_buffer_printf(text, "sampled %llu\nnote only %d of each %llu instructions are recorded\n",
		                  (unsigned long long)request->every, IFR_RECORDING_SAMPLE,
		                  (unsigned long long)request->every);
}

/* Makes a temporary folder with the shortest possible path. */
static int make_folder(char **folder, struct ifr_error *err) {
	const char *temporary = getenv("TMPDIR");
	char *path = ifr_format("%s/XXXXXX", temporary && *temporary ? temporary : "/tmp");
	if (!mkdtemp(path)) {
		int result =
			ifr_fail_errno(err, IFR_E_ENVIRONMENT, "cannot make a folder %s: set TMPDIR to another", path);
		free(path);
		return result;
	}
	*folder = path;
	return 0;
}

/* Makes the variant. The path lies on the stack, and ifr_context_path gives paths of one length to files whose own paths
 * are; so the variant's path is as long as the program's, where that is longer than the folder's. */
static int make_variant(const struct ifr_recording_request *request, char **folder, char **path,
                        struct ifr_error *err) {
	struct ifr_kit kit;
	struct ifr_builder *builder = NULL;
	struct ifr_variant variant = {0};
	ifr_kit_init(&kit);
	int result = make_folder(folder, err);
	if (result || !*folder)
		return result;
	int length = (int)strlen(request->program) - (int)strlen(*folder) - 1;
	*path = ifr_format("%s/%0*d", *folder, length < 1 ? 1 : length, 0);
	result = ifr_kit_of_program(request->program, &kit, err);
	if (!result)
		result = ifr_builder_open(&kit, &builder, err);
	if (!result)
		result = ifr_builder_make(builder, request->plan, *path, &variant, err);
	ifr_buffer_release(&variant.facts);
	ifr_builder_close(builder);
	ifr_kit_release(&kit);
	return result;
}

/* Whether a plan changes the program's file, not only its process context. */
static bool needs_build(const struct ifr_plan *plan) {
	return ifr_plan_axes(plan) & ifr_axes_of(IFR_OWNER_RELINKER | IFR_OWNER_PLUGIN) || plan->place_count;
}

static int check_plan(const struct ifr_recording_request *request, struct ifr_error *err) {
	if (ifr_plan_places_objects(request->plan) && !request->objects)
		return ifr_fail(err, IFR_E_USAGE,
		                "the plan moves objects of the heap (axes heap, blocks): record them with --objects");
	return ifr_layout_check_runtime(request->plan, err);
}

/* Copies a file to a stream (NULL: none) and closes the file. */
static void copy_output(int fd, FILE *stream) {
	char bytes[1 << 16];
	ssize_t got;
	if (fd < 0)
		return;
	lseek(fd, 0, SEEK_SET);
	while (stream && (got = read(fd, bytes, sizeof bytes)) > 0)
		fwrite(bytes, 1, (size_t)got, stream);
	if (stream)
		fflush(stream);
	close(fd);
}

/* The installed files and the runtime settings that a recording needs. */
struct installed_files {
	char *tool, *plugin, *marks, *objects, *settings;
};

static int find_installed_files(const struct ifr_recording_request *request, const struct ifr_context *context,
                                struct installed_files *files, struct ifr_error *err) {
	files->tool = ifr_path_libexec(IFR_RECORDER_TOOL);
	int result = ifr_installed_file_find(IFR_RECORDER_PLUGIN, &files->plugin, err);
	if (!result)
		result = ifr_installed_file_find("marks.so", &files->marks, err);
	if (!result && request->objects)
		result = ifr_installed_file_find("objects.so", &files->objects, err);
	files->settings = ifr_format("Q=%s", context->runtime);
	return result;
}

static void release_installed_files(struct installed_files *files) {
	free(files->tool);
	free(files->plugin);
	free(files->marks);
	free(files->objects);
	free(files->settings);
}

/* Records the program. A plan that moves heap objects is refused afterwards if the program had several threads. */
static int record_program(const struct ifr_recording_request *request, const struct ifr_recording *recording,
                          struct ifr_recorded *recorded, struct ifr_error *err) {
	int result = ifr_record(recording, recorded, err);
	if (result || !request->plan || !ifr_plan_places_objects(request->plan) ||
	    !recorded->notes[IFR_RECORDING_NOTE_THREAD])
		return result;
	ifr_tree_remove(request->path, NULL);
	return ifr_objects_refuse_threads(err);
}

int ifr_recording_make(const struct ifr_recording_request *request, struct ifr_recorded *recorded,
                       struct ifr_error *err) {
	struct ifr_strings environment = {0};
	struct ifr_buffer text = {0};
	struct installed_files files = {0};
	char *folder = NULL, *variant = NULL;
	struct ifr_context context;
	ifr_recording_context(&context, request->more_environment, request->plan, request->stack_bytes);
	int result = find_installed_files(request, &context, &files, err);
	if (!result && request->plan)
		result = check_plan(request, err);
	if (!result && request->plan && needs_build(request->plan))
		result = make_variant(request, &folder, &variant, err);
	ifr_context_environment(&context, &environment);
	char *path = ifr_context_path(variant ? variant : request->program);
	describe_recording(request, path, &context, &environment, &text);
	char **variables = ifr_alloc((environment.count + 1) * sizeof *variables);
	memcpy(variables, environment.items, environment.count * sizeof *variables);
	struct ifr_recording recording = {.program = path,
	                                  .name = request->program,
	                                  .argv = request->argv,
	                                  .environment = variables,
	                                  .path = request->path,
	                                  .tool = files.tool,
	                                  .plugin = files.plugin,
	                                  .text = ifr_buffer_text(&text),
	                                  .stdin_file = request->stdin_file,
	                                  .output_fd = memfd_create("output", MFD_CLOEXEC),
	                                  .errors_fd = memfd_create("errors", MFD_CLOEXEC),
	                                  .from = request->from,
	                                  .every = request->every,
	                                  .region = request->region,
	                                  .marks = files.marks,
	                                  .objects = files.objects,
	                                  .settings = files.settings,
	                                  .to = request->to,
	                                  .everything = request->everything,
	                                  .cpu = -1,
	                                  .timeout_ns = ifr_recording_time_left(request),
	                                  .plain_ns = request->plain_ns,
	                                  .most_bytes = request->most_bytes,
	                                  .progress = request->progress,
	                                  .stopped = ifr_launch_interrupted};
	if (!result)
		result = ifr_recording_recorder(request, &recording.recorder, err);
	if (!result)
		result = record_program(request, &recording, recorded, err);
	copy_output(recording.output_fd, request->silent ? NULL : stdout);
	copy_output(recording.errors_fd, request->silent ? NULL : stderr);
	if (folder)
		ifr_tree_remove(folder, NULL);
	free(variables);
	free(path);
	free(variant);
	free(folder);
	release_installed_files(&files);
	ifr_buffer_release(&text);
	ifr_strings_release(&environment);
	ifr_context_release(&context);
	return result;
}
