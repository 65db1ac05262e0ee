/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sql FILE STATEMENT: runs it and prints each row on a line, with '|' between its fields. */
#include <sqlite3.h>
#include <stdio.h>

static int print_row(void *context, int count, char **values, char **names) {
	(void)context;
	(void)names;
	for (int i = 0; i < count; i++)
		printf("%s%s", i ? "|" : "", values[i] ? values[i] : "");
	printf("\n");
	return 0;
}

int main(int argc, char **argv) {
	sqlite3 *database;
	char *message = NULL;
	if (argc != 3 || sqlite3_open(argv[1], &database) != SQLITE_OK)
		return 2;
	sqlite3_busy_timeout(database, 5000);
	int status = sqlite3_exec(database, argv[2], print_row, NULL, &message);
	if (status != SQLITE_OK)
		fprintf(stderr, "%s\n", message);
	sqlite3_free(message);
	sqlite3_close(database);
	return status != SQLITE_OK;
}
