/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Leaves a daemon in a session of its own, which starts a child, and a process in its own group; each writes its number
 * into the file "left". With the word "threads", it runs a thread for 200 ms instead; with "moment", one that does
 * nothing. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void *rest(void *data) {
	(void)data;
	usleep(200000);
	return NULL;
}

static void *rest_not(void *data) {
	return data;
}

static void note(void) {
	FILE *left = fopen("left", "a");
	if (!left || fprintf(left, "%d\n", getpid()) < 0 || fclose(left))
		exit(1);
}

/* Stays until it is ended, for a minute at most, without the descriptors of others. */
static void stay(void) {
	for (int fd = 0; fd < 256; fd++)
		close(fd);
	sleep(60);
	_exit(0);
}

static void leave(void) {
	int told[2];
	char byte;
	if (pipe(told))
		exit(1);
	for (int i = 0; i < 2; i++)
		if (!fork()) {
			if (i)
				setsid();
			if (i && !fork()) {
				note();
				close(told[1]);
				stay();
			}
			note();
			close(told[1]);
			stay();
		}
	/* All have written their numbers when the pipe has no writer left. */
	close(told[1]);
	if (read(told[0], &byte, 1))
		exit(1);
}

int main(int argc, char **argv) {
	pthread_t thread;
	if (argc > 1 && !strcmp(argv[1], "threads"))
		return pthread_create(&thread, NULL, rest, NULL) || pthread_join(thread, NULL);
	if (argc > 1 && !strcmp(argv[1], "moment"))
		return pthread_create(&thread, NULL, rest_not, NULL) || pthread_join(thread, NULL);
	if (argc > 1 && !strcmp(argv[1], "leave"))
		leave();
	puts("done");
	return 0;
}
