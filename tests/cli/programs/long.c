/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs for minutes, in procedures that are entered rarely, often, and very often; prints a line for each round.
 * With an argument it ends after so many rounds; with a second one, a letter, it misbehaves: t a thread, r another
 * output in every run, f a round in which no procedure is entered. Pauses keep its instructions few. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void farewell(void) {
	puts("exit handlers ran");
}

static void *idle(void *nothing) {
	pause();
	return nothing;
}

__attribute__((noinline)) static uint64_t inner(uint64_t x) {
	for (int i = 0; i < 4; i++)
		__builtin_ia32_pause();
	return UINT64_MAX / (x | 1) * 2654435761u + x;
}

__attribute__((noinline)) static uint64_t middle(uint64_t x) {
	for (int i = 0; i < 1000; i++)
		x = inner(x);
	return x;
}

__attribute__((noinline)) static uint64_t round_of(uint64_t x) {
	for (int i = 0; i < 100; i++)
		x = middle(x);
	return x;
}

int main(int argc, char **argv) {
	long rounds = argc > 1 ? atol(argv[1]) : 1000000;
	char fault = argc > 2 ? *argv[2] : '-';
	pthread_t thread;
	uint64_t x = 1;
	atexit(farewell);
	if (fault == 't')
		pthread_create(&thread, NULL, idle, NULL);
	if (fault == 'r')
		x = (uint64_t)getpid();
	for (volatile uint64_t i = 0; fault == 'f' && i < UINT64_MAX;)
		i++;
	for (long i = 0; i < rounds; i++) {
		x = round_of(x);
		printf("%ld %016llx\n", i, (unsigned long long)x);
	}
	return 0;
}
