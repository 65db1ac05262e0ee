/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A program whose output shows the four orders that follow from the order of the link: of constructors, of weak
 * definitions, of archive members, and of the elements between __start_ and __stop_. part.c and member.c are
 * compiled several times, under the names PART and MEMBER. */
#ifndef IFR_TESTS_ORDER_H
#define IFR_TESTS_ORDER_H

/* A constructor says that it has run. */
void order_note(const char *name);
/* Prints a line each for the constructors, the weak definition, the archive member and the marks. */
void order_print(void);

/* Weak in every part. */
const char *order_winner(void);
/* In one member of each archive. */
const char *order_pulled(void);

/* Some arithmetic through several functions of its own, in every part. */
unsigned one_run(unsigned value);
unsigned two_run(unsigned value);
unsigned three_run(unsigned value);

#endif
