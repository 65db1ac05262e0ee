/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The functions that libinterfero.so puts in place of libc's. */
#ifndef IFR_RUNTIME_PRELOAD_H
#define IFR_RUNTIME_PRELOAD_H

#define EXPORTED __attribute__((visibility("default")))

#endif
