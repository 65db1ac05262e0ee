/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Four threads that add up, each for itself and then together. */
#include <pthread.h>
#include <stdio.h>

static long sums[4], all;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *add(void *data) {
	long own = (long)data;
	for (long i = 0; i < 100000; i++)
		sums[own] += i;
	pthread_mutex_lock(&lock);
	all += sums[own];
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void) {
	pthread_t threads[4];
	for (long i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, add, (void *)i);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	printf("%ld\n", all);
	return 0;
}
