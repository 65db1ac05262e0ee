/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions that libinterfero.so interposes on libc. */
#ifndef IFR_RUNTIME_PRELOAD_H
#define IFR_RUNTIME_PRELOAD_H

#define EXPORTED __attribute__((visibility("default")))

#endif
