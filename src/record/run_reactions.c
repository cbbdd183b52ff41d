// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "record/run_reactions.h"

#include <string.h>

// A field of CSV: names with commas, quotes or line breaks are quoted (RFC 4180).
static void add_column(pl_text* row, const char* kind, const char* name, const char* what) {
    bool plain = strpbrk(name, ",\"\r\n") == NULL;
    pl_text_format(row, ",%s%s.", plain ? "" : "\"", kind);
    for (const char* c = name; *c; c++) {
        const char text[3] = {*c, *c == '"' ? '"' : '\0', '\0'};
        pl_text_add(row, text);
    }
    pl_text_format(row, ".%s%s", what, plain ? "" : "\"");
}

static const char* const columns[6] = {"fx", "fy", "fz", "tx", "ty", "tz"};

void pl_run_reaction_columns(const pl_world* world, const pl_scene* scene, pl_text* row) {
    for (int k = 0; k < pl_world_attachment_count(world); k++)
        for (int i = 0; i < 6; i++)
            add_column(row, "attachment", scene->attachments[k].name, columns[i]);
    for (int k = 0; k < pl_world_collider_count(world); k++)
        for (int i = 0; i < 3; i++)
            add_column(row, "collider", scene->colliders[k].name, columns[i]);
}

static void add_values(pl_text* row, const double v[3]) {
    for (int i = 0; i < 3; i++) pl_text_format(row, ",%.17g", v[i]);
}

// Both calls fail for numbers out of range only.
void pl_run_reaction_values(const pl_world* world, pl_text* row) {
    for (int k = 0; k < pl_world_attachment_count(world); k++) {
        pl_reaction reaction;
        pl_world_attachment_reaction(world, k, &reaction, NULL);
        add_values(row, reaction.force);
        add_values(row, reaction.torque);
    }
    for (int k = 0; k < pl_world_collider_count(world); k++) {
        double force[3];
        pl_world_collider_force(world, k, force, NULL);
        add_values(row, force);
    }
}
