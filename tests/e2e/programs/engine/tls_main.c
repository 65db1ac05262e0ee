/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Thread-local variables: global, static, of another object. */
#include <pthread.h>
#include <stdio.h>

__thread int mine = 5;
static __thread int hidden = 6;
extern __thread int theirs;
int *place_of_mine(void);
int *place_of_hidden(void);
int *place_of_theirs(void);
int sum(void);

__attribute__((noinline)) int *place_of_mine(void) {
	return &mine;
}

__attribute__((noinline)) int *place_of_hidden(void) {
	return &hidden;
}

__attribute__((noinline)) int *place_of_theirs(void) {
	return &theirs;
}

static void *run(void *argument) {
	++*place_of_mine();
	++*place_of_hidden();
	*place_of_theirs() += 2;
	printf("%d %d %d %d\n", mine, hidden, theirs, sum());
	return argument;
}

int main(void) {
	pthread_t thread;
	pthread_create(&thread, NULL, run, NULL);
	pthread_join(thread, NULL);
	run(NULL);
	return 0;
}
