/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How marks.c in the program speaks to the recorder around it. */
#ifndef IFR_MODEL_MARKS_H
#define IFR_MODEL_MARKS_H

/* With a region's name when it begins, with a null pointer when one ends. */
#define MARK_CALL 0x49465201L

#endif
