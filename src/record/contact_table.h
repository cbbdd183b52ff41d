// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// contacts.csv of a run: a row for each contact of each recorded frame (pl_contact_point).
#ifndef PL_RECORD_CONTACT_TABLE_H
#define PL_RECORD_CONTACT_TABLE_H

#include "scene/scene_text.h"

#include <pliant/world.h>

// Appends the header line, or the rows of the world's last frame.
void pl_contact_table_head(pl_text* text);
void pl_contact_table_rows(const pl_world* world, pl_text* text);

typedef struct pl_contact_row {
    int frame;
    double time; // [s]
    pl_contact_point contact;
} pl_contact_row;

// Reads a table into an array of pl_contact_row, sorted by time. An incomplete last line is left
// out.
pl_status pl_contact_table_read(const char* path, pl_array* rows, pl_error* error);
// The number of rows at a time; *first: the index of the first one.
int pl_contact_table_find(const pl_array* rows, double time, int* first);
// Size in bytes of the table up to the end of a frame; 0 if there is no such table.
int64_t pl_contact_table_size(const char* path, int frame);

// Force of the second side on the first one [N].
static inline void pl_contact_force(const pl_contact_point* c, double out[3]) {
    for (int i = 0; i < 3; i++) out[i] = c->normal_force * c->normal[i] + c->friction[i];
}

#endif
