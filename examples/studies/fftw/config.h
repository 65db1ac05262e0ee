/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Configures FFTW for GCC on x86-64 Linux: double precision, AVX codelets. It stands for the file that FFTW's configure
 * script makes, with the names that its sources ask for. */
#ifndef STUDY_FFTW_CONFIG_H
#define STUDY_FFTW_CONFIG_H

#define PACKAGE "fftw"
#define VERSION "study"
#define PACKAGE_VERSION VERSION
#define FFTW_CC "gcc"
#define CODELET_OPTIM ""
#define FFTW_ENABLE_ALLOCA 1
#define HAVE_ALLOCA 1
#define HAVE_ALLOCA_H 1
#define HAVE_AVX 1
#define HAVE_DECL_COSL 1
#define HAVE_DECL_SINL 1
#define HAVE_DECL_MEMALIGN 1
#define HAVE_MALLOC_H 1
#define HAVE_MEMALIGN 1
#define HAVE_GETTIMEOFDAY 1
#define HAVE_INTTYPES_H 1
#define HAVE_STDDEF_H 1
#define HAVE_STDINT_H 1
#define HAVE_STDLIB_H 1
#define HAVE_STRING_H 1
#define HAVE_SYS_TIME_H 1
#define HAVE_SYS_TYPES_H 1
#define HAVE_UINTPTR_T 1
#define HAVE_UNISTD_H 1
#define SIZEOF_DOUBLE 8
#define SIZEOF_FLOAT 4
#define SIZEOF_INT 4
#define SIZEOF_PTRDIFF_T 8
#define SIZEOF_SIZE_T 8
#define SIZEOF_UNSIGNED_INT 4
#define SIZEOF_UNSIGNED_LONG 8
#define SIZEOF_UNSIGNED_LONG_LONG 8
#define SIZEOF_VOID_P 8

#endif
