/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two threads that ask for memory. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static void *ask(void *last) {
	for (size_t i = 1; i < 100; i++) {
		char *memory = malloc(16 * i);
		if (memory)
			memory[i] = 1;
		free(i % 3 ? memory : NULL);
	}
	return last;
}

int main(void) {
	pthread_t thread;
	if (pthread_create(&thread, NULL, ask, NULL))
		return 1;
	ask(NULL);
	pthread_join(thread, NULL);
	puts("asked");
	return 0;
}
