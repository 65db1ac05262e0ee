/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>

#include "order.h"

int main(void) {
	order_print();
	printf("sums: %u %u %u\n", one_run(1), two_run(2), three_run(3));
	return 0;
}
