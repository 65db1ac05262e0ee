/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/exec/foreground.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/personality.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/exec/directory.h"
#include "harness/exec/runtime_settings.h"

/* A program about to start. */
struct start {
	const struct ifr_context *context;
	char *path, **argv, *folder;
	struct ifr_strings environment;
	int report; /* the runtime's page; -1: none */
};

/* The child's side of the pipe tells an errno; a successful exec closes it. */
static void exec_program(const struct start *start, int failure) {
	int error = 0;
	if (ifr_directory_enter(start->context, start->folder) || personality(ADDR_NO_RANDOMIZE) < 0 ||
	    ifr_context_enter(start->context) || (start->report >= 0 && fcntl(start->report, F_SETFD, 0)))
		error = errno;
	if (!error) {
		execve(start->path, start->argv, start->environment.items);
		error = errno;
	}
	ssize_t written = write(failure, &error, sizeof error);
	_exit(written == sizeof error ? 127 : 126);
}

/* The terminal's Ctrl-C is the program's, which shares our process group. */
static int await(pid_t child) {
	struct sigaction ignore = {.sa_handler = SIG_IGN}, interrupt, quit;
	int status = 0;
	sigaction(SIGINT, &ignore, &interrupt);
	sigaction(SIGQUIT, &ignore, &quit);
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	sigaction(SIGINT, &interrupt, NULL);
	sigaction(SIGQUIT, &quit, NULL);
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static int start_and_await(const struct start *start, int *status, struct ifr_error *err) {
	int failure[2], error = 0;
	if (pipe2(failure, O_CLOEXEC))
		return ifr_fail_errno(err, IFR_E_ENVIRONMENT, "cannot prepare a run");
	pid_t child = fork();
	if (!child)
		exec_program(start, failure[1]);
	close(failure[1]);
	if (child > 0) {
		bool failed = read(failure[0], &error, sizeof error) == sizeof error;
		*status = await(child);
		errno = failed ? error : 0;
		error = failed;
	}
	close(failure[0]);
	return child < 0 || error ? ifr_fail_errno(err, IFR_E_ENVIRONMENT, "%s: cannot start it", start->argv[0]) : 0;
}

static int prepare_start(const char *path, char *const *argv, struct start *start, struct ifr_error *err) {
	const struct ifr_context *context = start->context;
	int result = ifr_context_check(context, path, err);
	if (!result)
		result = ifr_context_program(context, path, &start->path, err);
	if (!result)
		result = ifr_context_arguments(context, argv, &start->argv, err);
	if (!result)
		result = ifr_directory_check(context, argv, err);
	if (!result)
		result = ifr_directory_make(context, &start->folder, err);
	if (!result && ifr_runtime_wanted(context->runtime))
		result = ifr_runtime_page(&start->report, err);
	ifr_context_environment(context, &start->environment);
	if (context->runtime)
		ifr_runtime_environment(&start->environment, context->runtime, 1, 0, start->report);
	return result;
}

int ifr_foreground_run(const char *path, char *const *argv, const struct ifr_context *context, int *status,
                       char **refused, struct ifr_error *err) {
	struct start start = {.context = context, .report = -1};
	struct ifr_runtime_report runtime;
	char why[256] = "";
	int result = prepare_start(path, argv, &start, err);
	*refused = NULL;
	if (!result)
		result = start_and_await(&start, status, err);
	if (!result && start.report >= 0)
		ifr_runtime_check(start.report, context->runtime, &runtime, why, sizeof why);
	if (*why)
		*refused = ifr_strdup(why);
	if (start.report >= 0)
		close(start.report);
	ifr_directory_remove(start.folder);
	ifr_strings_release(&start.environment);
	free(start.argv);
	free(start.path);
	return result;
}
