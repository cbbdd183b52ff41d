// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "scene/scene_starter.h"
#include "base/platform.h"
#include "geometry/box.h"
#include "mesh/mesh_format.h"
#include "mesh/surface_edges.h"

#include <math.h>
#include <pliant/mesh.h>

// Meshes above the first size are assumed to be in centimetres, above the second in millimetres
// [m].
static const double LARGEST_IN_METRES = 20.0, LARGEST_IN_CENTIMETRES = 500.0;
// The height from which a solid falls, and the height of hanging cloth above the ground, in heights
// of the body.
static const double FALL = 0.3;
// Young's modulus over the weight per area: the body's own weight shortens it by about a twentieth.
static const double STIFFNESS = 20.0, DENSITY = 1000.0, GRAVITY = 9.81;
// Cloth is flat if its height is a smaller part of its length than this. A ball below it has this
// radius, in lengths of the cloth.
static const double FLAT = 0.1, BALL = 0.2;
// The fraction of the height of hanging cloth that is held.
static const double HELD = 0.05;

typedef struct starter {
    double scale;   // to metres
    pl_vec3 middle; // scaled
    double bottom, height, length;
    bool is_cloth;
} starter;

bool pl_path_is_mesh(const char* path) { return pl_mesh_format_of(path) != PL_MESH_AUTO; }

static double scale_of(double longest) {
    if (longest <= LARGEST_IN_METRES) return 1.0;
    return longest <= LARGEST_IN_CENTIMETRES ? 0.01 : 0.001;
}

// The box of the vertices that elements use: files may have others.
static pl_box box_of_elements(const pl_mesh* mesh) {
    const size_t corners =
        mesh->tet_count ? 4 * (size_t)mesh->tet_count : 3 * (size_t)mesh->triangle_count;
    const int* elements = mesh->tet_count ? mesh->tets : mesh->triangles;
    pl_box box = pl_box_empty();
    for (size_t i = 0; i < corners; i++)
        box = pl_box_add_point(box, pl_vec3_load(mesh->positions + 3 * (size_t)elements[i]));
    return box;
}

static pl_status measure(const char* path, const pl_mesh* mesh, starter* s, pl_error* error) {
    const pl_box box = box_of_elements(mesh);
    const pl_vec3 size = pl_box_size(box);
    const double longest = fmax(size.x, fmax(size.y, size.z));
    if (!pl_box_is_finite(box) || !(longest > 0.0))
        return pl_fail(error, PL_ERROR_MESH, "%s: has no size, so there is nothing to simulate",
                       path);
    s->scale = scale_of(longest);
    s->middle = pl_scale(s->scale, pl_box_center(box));
    // a body that is centred up to rounding is not moved
    if (fabs(s->middle.x) < 1e-9 * s->scale * longest) s->middle.x = 0.0;
    if (fabs(s->middle.z) < 1e-9 * s->scale * longest) s->middle.z = 0.0;
    s->bottom = s->scale * box.low.y;
    s->height = s->scale * size.y;
    s->length = s->scale * longest;
    if (mesh->tet_count) return PL_OK;
    pl_surface_edges edges;
    pl_status status = pl_surface_edges_count(mesh->positions, mesh->vertex_count, mesh->triangles,
                                              mesh->triangle_count, &edges, error);
    if (status == PL_OK) s->is_cloth = pl_surface_is_open(&edges);
    return status;
}

// to two digits
static double rounded(double value) {
    const double unit = pow(10.0, floor(log10(value)) - 1.0);
    return unit * round(value / unit);
}

// A body whose lowest point is at the given height, above the origin.
static void add_body(const starter* s, const char* name, double height, pl_text* text) {
    pl_text_add(text,
                "{\"pliant\": 1, \"frames\": 120, \"bodies\": [{\"name\": \"body\", \"mesh\": ");
    pl_text_quote(text, name);
    pl_text_format(text, ", \"transform\": {\"scale\": %g, \"translate\": [%.9g, %.9g, %.9g]}",
                   s->scale, 0.0 - s->middle.x, height - s->bottom, 0.0 - s->middle.z);
    if (s->is_cloth) pl_text_add(text, ", \"kind\": \"cloth\"}]");
    else
        pl_text_format(text, ", \"material\": {\"young\": %g, \"density\": %g}}]",
                       rounded(STIFFNESS * DENSITY * GRAVITY * s->height), DENSITY);
}

static void add_solid(const starter* s, const char* name, pl_text* text) {
    add_body(s, name, FALL * s->height, text);
    pl_text_add(text, ", \"colliders\": [{\"plane\": {}}]}");
}

static void add_cloth_over_ball(const starter* s, const char* name, pl_text* text) {
    const double radius = BALL * s->length;
    add_body(s, name, 2.2 * radius, text);
    pl_text_format(text,
                   ", \"colliders\": [{\"plane\": {}}, {\"sphere\": {\"center\": [0, %.9g, 0], "
                   "\"radius\": %.9g}}]}",
                   radius, radius);
}

static void add_hanging_cloth(const starter* s, const char* name, pl_text* text) {
    const double top = (1.0 + FALL) * s->height;
    add_body(s, name, FALL * s->height, text);
    pl_text_format(text,
                   ", \"attachments\": [{\"body\": \"body\", \"where\": {\"box\": {\"min\": [%.9g, "
                   "%.9g, %.9g], \"max\": [%.9g, %.9g, %.9g]}}}], \"colliders\": [{\"plane\": "
                   "{}}]}",
                   -s->length, top - HELD * s->height, -s->length, s->length,
                   top + HELD * s->height, s->length);
}

pl_status pl_scene_starter(const char* mesh_path, pl_text* text, pl_error* error) {
    pl_mesh* mesh;
    starter s = {0};
    pl_status status = pl_mesh_read(mesh_path, NULL, &mesh, NULL, error);
    if (status != PL_OK) return status;
    status = measure(mesh_path, mesh, &s, error);
    pl_mesh_destroy(mesh);
    if (status != PL_OK) return status;
    const char* slash = pl_path_last_separator(mesh_path);
    const char* name = slash ? slash + 1 : mesh_path;
    if (!s.is_cloth) add_solid(&s, name, text);
    else if (s.height < FLAT * s.length) add_cloth_over_ball(&s, name, text);
    else add_hanging_cloth(&s, name, text);
    return text->failed ? pl_fail_memory(error, "the scene of a mesh") : PL_OK;
}
