/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IFR_RUNTIME_SYMBOLS_H
#define IFR_RUNTIME_SYMBOLS_H

/* Finds allocation sites (runtime/sites.h) of the program by the names in the setting `sites`, such as
 * "read_grid,main+0x5a": a function, or a function and the distance at which a call in it returns. A site that the
 * program does not have is reported. Nothing here allocates. */
void symbols_find_sites(void);

#endif
