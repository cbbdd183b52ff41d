// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Collects which elements carry which group number while a file is read, as runs of elements, and
// makes regions of them. Files write groups in few long runs, so this costs next to nothing.
#ifndef PL_REGION_RUNS_H
#define PL_REGION_RUNS_H

#include "base/array.h"
#include "base/notes.h"
#include "mesh/mesh_object.h"

typedef struct pl_region_run {
    int tag, first, count;
} pl_region_run;

typedef struct pl_region_runs {
    pl_array runs; // pl_region_run
    bool lost;     // an allocation failed
} pl_region_runs;

pl_region_runs pl_region_runs_begin(void);
void pl_region_runs_free(pl_region_runs* runs);
// Tags the elements [first, first + count). A failure is reported when the regions are made.
void pl_region_runs_add(pl_region_runs* runs, int tag, int first, int count);

// How many different tags there are. Sorts the runs.
int pl_region_runs_tag_count(pl_region_runs* runs);

// The name of a group, or NULL for "prefix_N".
typedef const char* (*pl_region_name)(int tag, void* user);

typedef struct pl_region_making {
    const char* path; // for messages
    const char* prefix;
    pl_element_kind kind;
    const int* corners; // if given, the items are the vertices of the elements: corner_count each
    int corner_count;
    pl_region_name name_of; // or NULL
    void* user;
} pl_region_making;

// One region per tag, in ascending order of the tags. Too many groups to be meaningful are dropped,
// with a note.
pl_status pl_region_runs_make(pl_region_runs* runs, const pl_region_making* making, pl_mesh* mesh,
                              pl_notes* notes, pl_error* error);

#endif
