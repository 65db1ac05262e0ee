/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Four threads that add up, each for itself, in memory of its own that it gives back, and then together; five
 * times, so that later stacks lie where earlier ones did. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static long sums[4], all;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *add(void *data) {
	long own = (long)data;
	volatile char *room = malloc(200000);
	sums[own] = 0;
	for (long i = 0; i < 20000; i++)
		sums[own] += room[i * 10] = (char)(i & 1);
	free((void *)room);
	pthread_mutex_lock(&lock);
	all += sums[own];
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void) {
	pthread_t threads[4];
	for (int round = 0; round < 5; round++) {
		for (long i = 0; i < 4; i++)
			pthread_create(&threads[i], NULL, add, (void *)i);
		for (int i = 0; i < 4; i++)
			pthread_join(threads[i], NULL);
	}
	printf("%ld\n", all);
	return 0;
}
