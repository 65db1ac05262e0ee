/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/simulate/heap_objects.h"

#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/file.h"
#include "harness/simulate/installed_files.h"
#include "runtime/runtime.h"

/* Generous: a million requests take a tenth of a second. */
enum { PLAYER_TIMEOUT_MS = 600000 };

unsigned ifr_object_axes(void) {
	return 1u << IFR_AXIS_HEAP | 1u << IFR_AXIS_BLOCKS;
}

bool ifr_plan_places_objects(const struct ifr_plan *plan) {
	return ifr_plan_axes(plan) & ifr_object_axes();
}

/* --- the player ---------------------------------------------------------------------------------------------- */

static void exec_player(const char *player, char *settings, int file) {
	char name[] = "player", *argv[] = {name, NULL}, *environment[] = {settings, NULL};
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	personality(ADDR_NO_RANDOMIZE);
	if (dup2(file, 0) == 0)
		execve(player, argv, environment);
	_exit(127);
}

/* Waits for the player until the timeout. Returns its exit status; -1 if it was killed. */
static int wait_for_player(pid_t child) {
	struct pollfd end = {.fd = (int)syscall(SYS_pidfd_open, child, 0), .events = POLLIN};
	int status = 0;
	if (end.fd < 0 || poll(&end, 1, PLAYER_TIMEOUT_MS) < 1)
		kill(child, SIGKILL);
	waitpid(child, &status, 0);
	if (end.fd >= 0)
		close(end.fd);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int run_player(char *settings, int file, struct ifr_error *err) {
	char *player = NULL;
	int result = ifr_installed_file_find("player", &player, err);
	if (!result) {
		pid_t child = fork();
		if (!child)
			exec_player(player, settings, file);
		if (child < 0 || wait_for_player(child))
			result = ifr_fail(err, IFR_E_ENVIRONMENT,
			                  "the allocator could not answer what the recorded program asked it for: it needs "
			                  "about as much memory as the program");
	}
	free(player);
	return result;
}

/* --- requests ------------------------------------------------------------------------------------------------ */

int ifr_objects_refuse_threads(struct ifr_error *err) {
	return ifr_fail(
		err, IFR_E_USAGE,
		"several threads of the recorded program ask for memory, and a recording does not say which thread has "
		"which heap: measure the axes heap and blocks instead (interfero bench)");
}

/* Whether requests were recorded, though there may be none. */
static bool has_allocator(const struct ifr_trace *trace) {
	char *fact = ifr_trace_fact(trace, "allocator");
	const bool has = fact != NULL;
	free(fact);
	return has;
}

int ifr_objects_check(const struct ifr_trace *trace, struct ifr_error *err) {
	const struct ifr_trace_request *recorded;
	const size_t count = ifr_trace_requests(trace, &recorded);
	if (!count && !has_allocator(trace))
		return ifr_fail(
			err, IFR_E_USAGE,
			"the trace says nothing of the heap's objects, which the axes heap and blocks move: record the "
			"program with \"interfero record --objects\" (a static program's cannot be recorded)");
	for (size_t i = 0; i < count; i++)
		if (recorded[i].thread)
			return ifr_objects_refuse_threads(err);
	return 0;
}

static void fill_requests(const struct ifr_trace_request *recorded, size_t count,
                          struct ifr_play_request *requests) {
	for (size_t i = 0; i < count; i++)
		requests[i] = (struct ifr_play_request){.bytes = recorded[i].bytes,
		                                        .alignment = UINT64_C(1) << recorded[i].alignment_shift,
		                                        .old = recorded[i].old,
		                                        .request = recorded[i].request};
}

static struct ifr_object_place *read_places(const struct ifr_play_request *requests, size_t count) {
	static const enum ifr_object_home homes[] = {[IFR_PLAY_FIXED] = IFR_OBJECT_AT_ADDRESS,
	                                             [IFR_PLAY_HEAP] = IFR_OBJECT_IN_HEAP,
	                                             [IFR_PLAY_MAPPING] = IFR_OBJECT_IN_MAPPING};
	struct ifr_object_place *places = ifr_alloc(count * sizeof *places);
	for (size_t i = 0; i < count; i++)
		places[i] = (struct ifr_object_place){.home = homes[requests[i].home],
		                                      .offset = requests[i].home == IFR_PLAY_FIXED ? requests[i].address
		                                                                                   : requests[i].offset,
		                                      .mapping_bytes = requests[i].mapping_bytes};
	return places;
}

int ifr_objects_place(const struct ifr_trace *trace, const struct ifr_context *context,
                      struct ifr_object_place **places, struct ifr_error *err) {
	const struct ifr_trace_request *recorded;
	const size_t count = ifr_trace_requests(trace, &recorded);
	char *settings = ifr_format("Q=%s", context->runtime);
	struct ifr_play_request *requests = MAP_FAILED;
	*places = NULL;
	int result = ifr_objects_check(trace, err);
	if (result || !count) {
		free(settings);
		return result;
	}
	int file = memfd_create("requests", MFD_CLOEXEC);
	if (file >= 0 && !ftruncate(file, (off_t)(count * sizeof *requests)))
		requests = mmap(NULL, count * sizeof *requests, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	if (!result && requests == MAP_FAILED)
		result = ifr_fail_errno(err, IFR_E_ENVIRONMENT, "cannot make memory to share with the allocator");
	if (!result) {
		fill_requests(recorded, count, requests);
		result = run_player(settings, file, err);
	}
	if (!result)
		*places = read_places(requests, count);
	if (requests != MAP_FAILED)
		munmap(requests, count * sizeof *requests);
	if (file >= 0)
		close(file);
	free(settings);
	return result;
}
