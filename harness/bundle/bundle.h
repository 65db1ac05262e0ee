/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bundles: an experiment with all that its campaign needs to run again, as a zstd-compressed tar file.
 *
 *     interfero-bundle        "interfero-bundle 1"
 *     experiment              the experiment file
 *     kits/KEY                each program's kit, as "interfero kit export" writes it
 *     programs/N/NAME         the programs as they ship, N from 0; programs/user/NAME, the one that loads a library
 *     plans/NAME.plan         each layout's plan, for readers: running again makes them from the seed
 *     libraries/NAME          the programs' own libraries
 *     files/PATH              standard input, and files that the command names, at their paths below its folder
 *     given/SHA               files that a campaign was given instead of kits and plans, by their digests
 *     replay/NAME             of a replay on a cluster, instead of an experiment: its recording, request and machines
 *
 * Regular files alone. A bundle from elsewhere is unpacked below one folder: other names, links, paths that leave it,
 * and sizes beyond the limits are refused. */
#ifndef IFR_HARNESS_BUNDLE_H
#define IFR_HARNESS_BUNDLE_H

#include <stdbool.h>

#include "common/error.h"
#include "common/strings.h"
#include "kit/kit.h"

/* Packs an experiment of bench or compare into file. left_out gets a sentence for each file that the command names and
 * that the bundle does not hold. Errors: IFR_E_USAGE for an experiment that no campaign of programs made, or one with a
 * driver, and for a program that is no longer the measured one. */
int ifr_bundle_pack(const char *experiment, const char *file, struct ifr_strings *left_out, struct ifr_error *err);

/* Packs files (name in the bundle, path) and a kit (NULL: none) for a replay. */
int ifr_bundle_pack_replay(const struct ifr_strings *names, const struct ifr_strings *paths,
                           const struct ifr_kit *kit, const char *file, struct ifr_error *err);

/* Whether a file is compressed by zstd, as bundles are; an experiment is not. */
bool ifr_bundle_is(const char *file);

/* Unpacks a bundle into a folder, which is made. Errors: IFR_E_ENVIRONMENT for what is no bundle, or a damaged or
 * hostile one; the folder may then hold a part of it. */
int ifr_bundle_unpack(const char *file, const char *folder, struct ifr_error *err);

/* Whether unpacking takes an entry of this name. */
bool ifr_bundle_takes(const char *name);

#endif
