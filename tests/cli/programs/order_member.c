/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compiled once an archive, with -DMEMBER=first and so on. */
#include "order.h"

#define TEXT_OF(member) #member
#define TEXT(member) TEXT_OF(member)

const char *order_pulled(void) {
	return TEXT(MEMBER);
}
