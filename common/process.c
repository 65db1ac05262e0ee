/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/process.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/file.h"
#include "common/strings.h"

/* The child's message to the parent when it could not exec the program. */
enum { FAILED_CWD = 1, FAILED_EXEC };
struct failure {
	int call, error;
};

static void apply_environment(const char *const *set_env) {
	for (; set_env && *set_env; set_env++) {
		if (strchr(*set_env, '='))
			putenv((char *)*set_env);
		else
			unsetenv(*set_env);
	}
}

static void exec_child(const struct ifr_process *process, int out, int errors, int report) {
	struct failure failure = {FAILED_CWD, 0};
	if (out >= 0) {
		int null = open("/dev/null", O_RDONLY);
		if (null >= 0)
			dup2(null, 0);
		dup2(out, 1);
	}
	if (errors >= 0)
		dup2(errors, 2);
	if (!process->cwd || !chdir(process->cwd)) {
		apply_environment(process->set_env);
		failure.call = FAILED_EXEC;
		execvp(process->argv[0], (char *const *)process->argv);
	}
	failure.error = errno;
	ssize_t done = write(report, &failure, sizeof failure);
	_exit(done == sizeof failure ? 127 : 126);
}

static int collect_output(int fd, struct ifr_buffer *into, struct ifr_error *err) {
	char path[64];
	if (fd < 0 || !into)
		return 0;
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	return ifr_file_read(path, 0, into, err);
}

static int fail_start(const struct ifr_process *process, struct failure failure, struct ifr_error *err) {
	errno = failure.error;
	if (failure.call == FAILED_CWD)
		return ifr_fail_errno(err, IFR_E_ENVIRONMENT, "cannot enter %s", process->cwd);
	return ifr_fail_errno(err, IFR_E_ENVIRONMENT, "cannot run %s", process->argv[0]);
}

int ifr_process_run(const struct ifr_process *process, int *exit_status, struct ifr_error *err) {
	int report[2], out = -1, errors = -1, result = 0;
	if (pipe2(report, O_CLOEXEC))
		return ifr_fail_errno(err, IFR_E_ENVIRONMENT, "cannot make a pipe");
	if (process->out)
		out = memfd_create("out", MFD_CLOEXEC);
	if (process->errors)
		errors = process->errors == process->out ? out : memfd_create("errors", MFD_CLOEXEC);
	pid_t child = fork();
	if (child == 0)
		exec_child(process, out, errors, report[1]);
	close(report[1]);
	if (child < 0) {
		result = ifr_fail_errno(err, IFR_E_ENVIRONMENT, "cannot start %s", process->argv[0]);
	} else {
		struct failure failure;
		bool failed = read(report[0], &failure, sizeof failure) == sizeof failure;
		int status = 0;
		while (waitpid(child, &status, 0) < 0 && errno == EINTR)
			;
		*exit_status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
		result = failed ? fail_start(process, failure, err) : collect_output(out, process->out, err);
		if (!result && errors != out)
			result = collect_output(errors, process->errors, err);
	}
	close(report[0]);
	if (errors >= 0 && errors != out)
		close(errors);
	if (out >= 0)
		close(out);
	return result;
}

static bool same_as_any(const struct stat *status, const char *const *paths) {
	for (; paths && *paths; paths++) {
		struct stat other;
		if (!stat(*paths, &other) && other.st_dev == status->st_dev && other.st_ino == status->st_ino)
			return true;
	}
	return false;
}

static bool is_usable(const char *path, const char *const *excluded) {
	struct stat status;
	return !stat(path, &status) && S_ISREG(status.st_mode) && !access(path, X_OK) &&
	       !same_as_any(&status, excluded);
}

char *ifr_program_find(const char *name, const char *const *excluded) {
	if (strchr(name, '/'))
		return is_usable(name, excluded) ? ifr_strdup(name) : NULL;
	const char *path = getenv("PATH");
	struct ifr_strings folders = {0};
	ifr_strings_split(&folders, path ? path : "/usr/local/bin:/usr/bin:/bin", ":");
	char *found = NULL;
	for (size_t i = 0; i < folders.count && !found; i++) {
		found = ifr_format("%s/%s", folders.items[i], name);
		if (!is_usable(found, excluded)) {
			free(found);
			found = NULL;
		}
	}
	ifr_strings_release(&folders);
	return found;
}
