/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/exec/keeper.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* The keeper's answer: to its start, then to the order to fork. */
struct answer {
	char what[64]; /* the purpose of what failed, or "" */
	int error;
	pid_t child;
};

static void send_answer(int socket, const struct answer *answer) {
	if (send(socket, answer, sizeof *answer, MSG_NOSIGNAL) != sizeof *answer)
		_exit(1);
}

/* Also false where the other side has ended. */
static bool receive(int socket, void *message, size_t size) {
	ssize_t got;
	do
		got = recv(socket, message, size, MSG_WAITALL);
	while (got < 0 && errno == EINTR);
	return got == (ssize_t)size;
}

/* Forks a child of the keeper's parent. */
static pid_t fork_sibling(void) {
	return (pid_t)syscall(SYS_clone, CLONE_PARENT | SIGCHLD, NULL, NULL, NULL, NULL);
}

static void keep(const struct ifr_keeper_work *work, int socket) {
	struct answer answer = {0};
	char order;
	setpgid(0, 0);
	const char *what = work->mount(work->data);
	answer.error = errno;
	if (what)
		snprintf(answer.what, sizeof answer.what, "%s", what);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	send_answer(socket, &answer);
	if (what || !receive(socket, &order, 1))
		_exit(0);
	answer.child = fork_sibling();
	if (answer.child == 0) {
		close(socket);
		work->start(work->data);
		_exit(126);
	}
	answer.error = errno;
	work->leave(work->data);
	send_answer(socket, &answer);
	receive(socket, &order, 1);
	_exit(0);
}

int ifr_keeper_start(struct ifr_keeper *keeper, const struct ifr_keeper_work *work, const char *program,
                     struct ifr_error *err) {
	struct answer answer = {.what = "keep its mounts", .error = ECHILD};
	int pair[2];
	*keeper = (struct ifr_keeper){.socket = -1};
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
		return ifr_fail_errno(err, IFR_E_ENVIRONMENT, "cannot prepare a run");
	keeper->socket = pair[0];
	keeper->pid = fork();
	if (keeper->pid == 0) {
		close(pair[0]);
		keep(work, pair[1]);
	}
	close(pair[1]);
	if (keeper->pid < 0) {
		keeper->pid = 0;
		return ifr_fail_errno(err, IFR_E_ENVIRONMENT, "cannot start a process");
	}
	if (receive(keeper->socket, &answer, sizeof answer) && !*answer.what)
		return 0;
	errno = answer.error;
	return ifr_fail_errno(err, IFR_E_ENVIRONMENT, "%s: cannot %s", program, answer.what);
}

pid_t ifr_keeper_fork(const struct ifr_keeper *keeper) {
	struct answer answer = {.error = ECHILD, .child = -1};
	const char order = 0;
	if (send(keeper->socket, &order, 1, MSG_NOSIGNAL) == 1)
		receive(keeper->socket, &answer, sizeof answer);
	errno = answer.error;
	return answer.child;
}

void ifr_keeper_end(struct ifr_keeper *keeper) {
	if (keeper->socket >= 0)
		close(keeper->socket);
	if (keeper->pid > 0) {
		kill(keeper->pid, SIGKILL);
		while (waitpid(keeper->pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	*keeper = (struct ifr_keeper){.socket = -1};
}
