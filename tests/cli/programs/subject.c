/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A program to be measured, well-behaved or not, by its first argument. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static __attribute__((noinline)) int early(int value) {
	return value + 1;
}

static __attribute__((noinline)) int late(int value) {
	return value + 2;
}

/* Whether the two functions lie in another order than they were compiled in (without optimization, as written). */
static int is_moved(void) {
	return (uintptr_t)&early > (uintptr_t)&late;
}

/* Misbehaves in the layouts that swap early and late. */
static int depend_on_layout(const char *how) {
	volatile int forever = is_moved() && !strcmp(how, "loop");
	if (is_moved() && !strcmp(how, "abort"))
		abort();
	while (forever)
		usleep(10000);
	if (is_moved() && !strcmp(how, "exit"))
		return 9;
	puts(is_moved() && !strcmp(how, "print") ? "moved" : "in place");
	return 0;
}

static int read_input(void) {
	long bytes = 0;
	while (getchar() != EOF)
		bytes++;
	printf("%ld bytes\n", bytes);
	return 0;
}

static int print_time(void) {
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	printf("%lld.%09ld\n", (long long)now.tv_sec, now.tv_nsec);
	return 0;
}

/* Appends which file this is and where its stack, heap and libraries lie. */
static int note_places(const char *file) {
	char self[4096] = "";
	FILE *notes = fopen(file, "a");
	if (!notes || readlink("/proc/self/exe", self, sizeof self - 1) < 0)
		return 1;
	void *heap = malloc(100);
	fprintf(notes, "%s stack %p heap %p library %p\n", strrchr(self, '/') + 1, (void *)self, heap,
	        (void *)(uintptr_t)&puts);
	free(heap);
	return fclose(notes) != 0;
}

int main(int argc, char **argv) {
	const char *mode = argc > 1 ? argv[1] : "", *argument = argc > 2 ? argv[2] : "";
	if (!strcmp(mode, "fail"))
		return fputs("no luck today\n", stderr), 7;
	if (!strcmp(mode, "stdin"))
		return read_input();
	if (!strcmp(mode, "time"))
		return print_time();
	if (!strcmp(mode, "sleep"))
		usleep((useconds_t)atoi(argument) * 1000);
	if (!strcmp(mode, "layout"))
		return depend_on_layout(argument);
	if (!strcmp(mode, "places"))
		return note_places(argument);
	printf("%d\n", early(late(argc)));
	return 0;
}
