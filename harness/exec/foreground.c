/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/exec/foreground.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/personality.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/exec/runtime_settings.h"

/* The child's side of the pipe tells an errno; a successful exec closes it. */
static void exec_program(const char *path, char *const *argv, const struct ifr_context *context,
                         char *const *environment, int report, int failure) {
	int error = 0;
	if (personality(ADDR_NO_RANDOMIZE) < 0 || ifr_context_enter(context) ||
	    (report >= 0 && fcntl(report, F_SETFD, 0)))
		error = errno;
	if (!error) {
		execve(path, argv, environment);
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

static int start_and_await(const char *path, char *const *argv, const struct ifr_context *context,
                           char *const *environment, int report, int *status, struct ifr_error *err) {
	int failure[2], error = 0;
	if (pipe2(failure, O_CLOEXEC))
		return ifr_fail_errno(err, IFR_E_ENVIRONMENT, "cannot prepare a run");
	pid_t child = fork();
	if (!child)
		exec_program(path, argv, context, environment, report, failure[1]);
	close(failure[1]);
	if (child > 0) {
		bool failed = read(failure[0], &error, sizeof error) == sizeof error;
		*status = await(child);
		errno = failed ? error : 0;
		error = failed;
	}
	close(failure[0]);
	return child < 0 || error ? ifr_fail_errno(err, IFR_E_ENVIRONMENT, "%s: cannot start it", argv[0]) : 0;
}

int ifr_foreground_run(const char *path, char *const *argv, const struct ifr_context *context, int *status,
                       char **refused, struct ifr_error *err) {
	struct ifr_strings environment = {0};
	struct ifr_runtime_report runtime;
	char *padded = NULL, **arguments = NULL, why[256] = "";
	int report = -1, result = ifr_context_program(context, path, &padded, err);
	const bool wanted = ifr_runtime_wanted(context->runtime);
	*refused = NULL;
	if (!result)
		result = ifr_context_arguments(context, argv, &arguments, err);
	if (!result && wanted)
		result = ifr_runtime_page(&report, err);
	ifr_context_environment(context, &environment);
	if (context->runtime)
		ifr_runtime_environment(&environment, context->runtime, 1, 0, report);
	if (!result)
		result = start_and_await(padded, arguments, context, environment.items, report, status, err);
	if (!result && wanted)
		ifr_runtime_check(report, context->runtime, &runtime, why, sizeof why);
	if (*why)
		*refused = ifr_strdup(why);
	if (report >= 0)
		close(report);
	ifr_strings_release(&environment);
	free(arguments);
	free(padded);
	return result;
}
