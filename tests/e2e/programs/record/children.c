/* SPDX-License-Identifier: GPL-3.0-or-later */
/* children fork|spawn|exec ROUNDS: a child that counts so many rounds, a program started beside this one, or in
 * place of it when it has counted so many. */
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile long counted;

static void count(long rounds) {
	for (; counted < rounds; counted++) {
	}
}

static int fork_one(long rounds) {
	int status;
	pid_t child = fork();
	if (!child)
		count(rounds);
	if (!child)
		_exit(7);
	return waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 7 ? 0 : 1;
}

static int spawn_one(void) {
	int status;
	pid_t child;
	char *argv[] = {"echo", "spawned", NULL}, *environment[] = {NULL};
	if (posix_spawn(&child, "/bin/echo", NULL, NULL, argv, environment))
		return 1;
	return waitpid(child, &status, 0) == child && !status ? 0 : 1;
}

int main(int argc, char **argv) {
	if (argc != 3)
		return 2;
	if (!strcmp(argv[1], "exec")) {
		count(atol(argv[2]));
		execl("/bin/echo", "echo", "replaced", (char *)NULL);
	}
	return !strcmp(argv[1], "fork") ? fork_one(atol(argv[2])) : spawn_one();
}
