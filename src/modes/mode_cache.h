// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Caches modes on disk, in a file named by a hash of the whole eigenvalue problem. A damaged file,
// or one of another version or problem, counts as missing. Failing to write is not an error: the
// modes are just computed again.
#ifndef PL_MODES_MODE_CACHE_H
#define PL_MODES_MODE_CACHE_H

#include "modes/mode_set.h"

// The folder of pliant's caches: the environment variable PLIANT_CACHE_DIR (empty: no cache), else
// pliant/ in XDG_CACHE_HOME, LOCALAPPDATA or HOME/.cache. Returns false if there is none.
bool pl_mode_cache_folder(char* folder, size_t size);

// Like pl_modes_find, but uses a stored result if there is one and stores new results. Creates the
// folder. folder NULL: no cache.
pl_status pl_modes_find_cached(const char* folder, const pl_modes_problem* problem,
                               const pl_modes_settings* settings, pl_pool* pool, pl_mode_set* out,
                               pl_error* error);

#endif
