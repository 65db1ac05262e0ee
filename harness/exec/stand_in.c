/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/exec/stand_in.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static int write_text(const char *path, const char *text) {
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool done = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
	if (fd >= 0)
		close(fd);
	return done ? 0 : -1;
}

/* Users without privileges get their own mounts in a user namespace in which they stay themselves. */
static int unshare_mounts(void) {
	char users[64], groups[64];
	snprintf(users, sizeof users, "%u %u 1", geteuid(), geteuid());
	snprintf(groups, sizeof groups, "%u %u 1", getegid(), getegid());
	if (!unshare(CLONE_NEWNS))
		return 0;
	if (unshare(CLONE_NEWUSER | CLONE_NEWNS))
		return -1;
	write_text("/proc/self/setgroups", "deny");
	if (write_text("/proc/self/uid_map", users) || write_text("/proc/self/gid_map", groups))
		return -1;
	/* The launcher still attaches its counters. */
	return prctl(PR_SET_DUMPABLE, 1);
}

int ifr_mounts_unshare(void) {
	return unshare_mounts() ? -1 : mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL);
}

int ifr_stand_in_enter(const char *file, const char *place) {
	if (ifr_mounts_unshare())
		return -1;
	return mount(file, place, NULL, MS_BIND, NULL);
}

bool ifr_stand_in_works(const char *place) {
	int status = 0;
	pid_t child = fork();
	if (child == 0)
		_exit(ifr_stand_in_enter(place, place) ? 1 : 0);
	if (child < 0)
		return false;
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

int ifr_stand_in_watch(const char *file) {
	int watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	if (watch >= 0 && inotify_add_watch(watch, file, IN_OPEN) < 0) {
		close(watch);
		return -1;
	}
	return watch;
}

bool ifr_stand_in_was_opened(int watch) {
	char events[4096];
	if (watch < 0)
		return true;
	bool opened = read(watch, events, sizeof events) > 0;
	close(watch);
	return opened;
}
