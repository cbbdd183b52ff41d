// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Converts a world to a recording: the head, and the values of a frame.
#ifndef PL_RECORD_RUN_VALUES_H
#define PL_RECORD_RUN_VALUES_H

#include "record/recording.h"
#include "record/run_surface.h"

#include <pliant/embed.h>
#include <pliant/mesh_surface.h>
#include <pliant/world.h>

typedef struct pl_run_body {
    const pl_surface* surface; // the world's; NULL if there is a skin
    float* rest;
    int* triangles; // by all vertices of the mesh, if all are recorded
    pl_run_surface taken;
    const pl_mesh* skin;   // what is recorded in place of the body's own surface, or NULL
    pl_mesh* read_skin;    // the same if it was read from a file
    pl_surface* fine_skin; // what holds it if it was generated
    pl_embedding* embedding;
    double* skin_positions;
    double* weight;       // per vertex of the mesh, while a field is made
    double** fields;      // one array per recorded field, 3 or 1 per vertex of the mesh
    double** skin_fields; // the same at the vertices of the skin, or NULL
} pl_run_body;

typedef struct pl_run_values {
    pl_record_head head;
    pl_record_body* record_bodies;
    pl_run_body* bodies;
    pl_record_values* values; // of the frame, one per body
    int body_count;
    pl_record_field* fields; // the same for every body
    pl_output_field* kinds;
    int field_count;
    const pl_world* world;
} pl_run_values;

pl_status pl_run_values_setup(pl_run_values* values, pl_world* world, const pl_scene* scene,
                              pl_error* error);
void pl_run_values_free(pl_run_values* values);
// The mesh vertex of a recorded vertex, or the one that it follows most.
int pl_run_values_vertex(const pl_run_values* values, int body, int recorded);
// Stores the world's current state in values->values.
void pl_run_values_update(pl_run_values* values, pl_world* world);

#endif
