// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Modes that are kept on disk, in a file whose name is a hash of the whole eigenvalue problem. A
// file that is damaged, of another version or of another problem counts as missing, and a file that
// cannot be written is left out: the modes are found again, that is all.
#ifndef PL_MODES_MODE_CACHE_H
#define PL_MODES_MODE_CACHE_H

#include "modes/mode_set.h"

// The folder of pliant's caches: what the environment variable PLIANT_CACHE_DIR names (empty:
// none), else pliant/ in XDG_CACHE_HOME, LOCALAPPDATA or HOME/.cache. False if there is none.
bool pl_mode_cache_folder(char* folder, size_t size);

// pl_modes_find, or the result of an earlier one from the folder, which is made if it is missing.
// folder NULL: without a cache.
pl_status pl_modes_find_cached(const char* folder, const pl_modes_problem* problem,
                               const pl_modes_settings* settings, pl_pool* pool, pl_mode_set* out,
                               pl_error* error);

#endif
