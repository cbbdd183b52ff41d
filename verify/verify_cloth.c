// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Cloth against theory: moduli of sheets at rest in any direction, the energy of a sheet rolled to
// a cylinder, and a strip that bends under its weight.
#include "verify_cloth.h"
#include "base/memory.h"
#include "fem/fem_build.h"
#include "scene/scene_read.h"
#include "world/world_build.h"

#include <pliant/pliant.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

const char* const verify_sheet_names[VERIFY_SHEET_COUNT] = {"same", "alternating", "oblong",
                                                            "irregular"};

pl_status verify_sheet(verify_sheet_kind kind, double size_x, double size_y, double edge,
                       pl_mesh** out, pl_error* error) {
    const char* shape = kind == VERIFY_SHEET_IRREGULAR ? "cloth_irregular" : "cloth";
    pl_generate_options options;
    pl_status status = pl_generate_defaults(shape, &options, error);
    if (status != PL_OK) return status;
    options.size_x = size_x, options.size_y = size_y, options.edge = edge;
    if (kind != VERIFY_SHEET_IRREGULAR) {
        options.count_x = (int)lround(size_x / edge) + 1;
        options.count_y = (int)lround(size_y / edge / (kind == VERIFY_SHEET_OBLONG ? 2 : 1)) + 1;
        options.diagonals =
            kind == VERIFY_SHEET_SAME ? PL_DIAGONALS_SAME : PL_DIAGONALS_ALTERNATING;
    }
    return pl_generate(shape, &options, out, error);
}

pl_status verify_sheet_parts(const pl_mesh* mesh, const pl_element_material* material,
                             pl_body_parts* out, pl_error* error) {
    pl_element_material* materials = PL_ALLOC(pl_element_material, mesh->triangle_count);
    if (!materials) return pl_fail_memory(error, "materials");
    for (int e = 0; e < mesh->triangle_count; e++) materials[e] = *material;
    pl_body settings;
    memset(&settings, 0, sizeof settings);
    pl_method_body body = {
        .body = &settings, .mesh = mesh, .is_cloth = true, .materials = materials};
    pl_status status = pl_fem_parts_create(&body, 1, mesh->vertex_count, NULL, out, error);
    PL_FREE(materials, pl_element_material, mesh->triangle_count);
    return status;
}

static double sheet_area(const pl_mesh* mesh) {
    double area = 0.0;
    for (int t = 0; t < mesh->triangle_count; t++) {
        const int* v = mesh->triangles + 3 * (size_t)t;
        pl_vec3 a = pl_vec3_load(mesh->positions + 3 * (size_t)v[0]);
        pl_vec3 b = pl_sub(pl_vec3_load(mesh->positions + 3 * (size_t)v[1]), a);
        area += 0.5 * pl_cross(b, pl_sub(pl_vec3_load(mesh->positions + 3 * (size_t)v[2]), a)).z;
    }
    return area;
}

// ---- moduli

// What the stress n n' does to the rim: the sum over triangles of n n' times area and gradient of
// the shape function.
static void load_rim(const pl_mesh* mesh, double nx, double ny, double* force) {
    memset(force, 0, 3 * (size_t)mesh->vertex_count * sizeof(double));
    for (int t = 0; t < mesh->triangle_count; t++)
        for (int i = 0; i < 3; i++) {
            const int* v = mesh->triangles + 3 * (size_t)t;
            const double *a = mesh->positions + 3 * (size_t)v[(i + 1) % 3],
                         *b = mesh->positions + 3 * (size_t)v[(i + 2) % 3];
            double along = 0.5 * (nx * (a[1] - b[1]) + ny * (b[0] - a[0]));
            force[3 * (size_t)v[i]] += along * nx;
            force[3 * (size_t)v[i] + 1] += along * ny;
        }
}

static double dot(const double* a, const double* b, int count) {
    double sum = 0.0;
    for (int i = 0; i < count; i++) sum += a[i] * b[i];
    return sum;
}

// u = K^-1 f by conjugate gradients. K is singular, but f has no part in its null space.
static bool solve_free(const pl_block_matrix* K, const double* f, double* u) {
    int n = 3 * K->row_count, most = 40 * n;
    double* work = PL_ALLOC(double, 3 * (size_t)n);
    if (!work) return false;
    double *r = work, *d = work + n, *q = work + 2 * n;
    memset(u, 0, (size_t)n * sizeof(double));
    memcpy(r, f, (size_t)n * sizeof(double));
    memcpy(d, f, (size_t)n * sizeof(double));
    double square = dot(r, r, n), least = 1e-26 * square;
    for (int k = 0; k < most && square > least; k++) {
        pl_block_matrix_apply(K, NULL, 1, d, q);
        double step = square / dot(d, q, n), before = square;
        for (int i = 0; i < n; i++) u[i] += step * d[i], r[i] -= step * q[i];
        square = dot(r, r, n);
        for (int i = 0; i < n; i++) d[i] = r[i] + square / before * d[i];
    }
    PL_FREE(work, double, 3 * (size_t)n);
    return true;
}

static pl_status stiffness_at_rest(pl_body_parts* parts, pl_block_matrix* K, pl_error* error) {
    pl_status status = pl_block_matrix_setup(K, parts->vertex_count, 3, parts->neighbour_offsets,
                                             parts->neighbours, error);
    for (int k = 0; status == PL_OK && k < parts->set_count; k++) {
        status = pl_element_set_locate(&parts->sets[k], K, error);
        if (status == PL_OK)
            pl_element_set_hessian(&parts->sets[k], NULL, parts->positions, false, 1.0, K);
    }
    return status;
}

pl_status verify_sheet_moduli(const pl_mesh* mesh, const pl_element_material* material,
                              double degrees, double* modulus, double* poisson, pl_error* error) {
    double c = cos(degrees * 0.017453292519943295), s = sin(degrees * 0.017453292519943295);
    size_t n = 3 * (size_t)mesh->vertex_count;
    pl_body_parts parts;
    pl_block_matrix K = {0};
    pl_status status = verify_sheet_parts(mesh, material, &parts, error);
    if (status != PL_OK) return status;
    status = stiffness_at_rest(&parts, &K, error);
    double *force = PL_ALLOC(double, n), *u = PL_ALLOC(double, n);
    if (status == PL_OK && (!force || !u)) status = pl_fail_memory(error, "a sheet");
    if (status == PL_OK) {
        load_rim(mesh, c, s, force);
        if (!solve_free(&K, force, u)) status = pl_fail_memory(error, "a sheet");
    }
    if (status == PL_OK) {
        // work of a unit stress over area: the mean strain along its direction
        double along = dot(force, u, (int)n) / sheet_area(mesh);
        load_rim(mesh, -s, c, force);
        *modulus = 1.0 / along;
        *poisson = -dot(force, u, (int)n) / sheet_area(mesh) / along;
    }
    PL_FREE(force, double, n);
    PL_FREE(u, double, n);
    pl_block_matrix_free(&K);
    pl_body_parts_free(&parts);
    return status;
}

pl_status verify_membrane_material(double young, double poisson, double thickness,
                                   pl_element_material* out, pl_error* error) {
    pl_body body = pl_default_body();
    body.material.law = PL_LAW_MEMBRANE;
    body.material.young = young, body.material.poisson = poisson;
    body.material.thickness = thickness, body.material.bend = 0.0;
    pl_mesh* mesh;
    pl_status status = verify_sheet(VERIFY_SHEET_SAME, 1.0, 1.0, 1.0, &mesh, error);
    if (status != PL_OK) return status;
    pl_material_maps* maps;
    pl_element_material materials[2];
    status = pl_material_maps_create(&body, mesh, true, &maps, error);
    if (status == PL_OK) status = pl_body_materials(maps, NULL, materials, error);
    pl_material_maps_destroy(maps);
    pl_mesh_destroy(mesh);
    *out = materials[0];
    return status;
}

// ---- bending

pl_status verify_sheet_cylinder(const pl_mesh* mesh, double degrees, double curvature,
                                verify_answer* answer, pl_error* error) {
    const pl_element_material material = {.law = PL_LAW_SPRINGS, .density = 1.0, .bend = 1.0};
    double c = cos(degrees * 0.017453292519943295), s = sin(degrees * 0.017453292519943295);
    size_t n = 3 * (size_t)mesh->vertex_count;
    pl_body_parts parts;
    pl_status status = verify_sheet_parts(mesh, &material, &parts, error);
    if (status != PL_OK) return status;
    double* x = PL_ALLOC(double, n);
    if (!x) status = pl_fail_memory(error, "a sheet");
    for (size_t v = 0; x && v < n; v += 3) {
        const double* p = mesh->positions + v;
        double along = curvature * (c * p[0] + s * p[1]), across = c * p[1] - s * p[0];
        double bent = sin(along) / curvature;
        x[v] = c * bent - s * across, x[v + 1] = s * bent + c * across;
        x[v + 2] = (1.0 - cos(along)) / curvature;
    }
    if (x) {
        answer->value = 0.0;
        answer->reference = 0.5 * curvature * curvature * sheet_area(mesh);
        for (int k = 0; k < parts.set_count; k++)
            answer->value += pl_element_set_energy(&parts.sets[k], NULL, x);
    }
    PL_FREE(x, double, n);
    pl_body_parts_free(&parts);
    return status;
}

// A strip along x of which the first columns are held. The load grows, then the last frame is
// repeated until it has converged.
static const char cantilever_scene[] =
    "{\"pliant\": 1, \"bodies\": [{\"name\": \"c\", \"generate\": {\"shape\": \"%s\", \"size_x\": "
    "%.17g, \"size_y\": %.17g, %s}, \"transform\": {\"rotate\": [-90, 0, 0]}, \"method\": \"fem\", "
    "\"linear\": \"direct\", \"integrator\": \"quasistatic\", \"tolerance\": 1e-6, \"iterations\": "
    "200, \"material\": {\"law\": \"membrane\", \"area_density\": 0.2, \"young\": 2e6, "
    "\"poisson\": 0, \"thickness\": 0.001, \"bend\": %.17g}}], \"attachments\": [{\"body\": \"c\", "
    "\"where\": {\"box\": {\"min\": [-1, -1, -9], \"max\": [%.17g, 1, 9]}}}], \"colliders\": []}";

static void describe_mesh(const verify_strip* c, double edge, char* out, size_t size) {
    if (c->kind == VERIFY_SHEET_IRREGULAR) snprintf(out, size, "\"edge\": %.17g", edge);
    else
        snprintf(out, size, "\"count_x\": %d, \"count_y\": %d, \"diagonals\": \"%s\"",
                 c->cells_along + 2, c->cells_across + 1,
                 c->kind == VERIFY_SHEET_SAME ? "same" : "alternating");
}

static pl_status make_strip(const verify_strip* c, pl_world** out, pl_error* error) {
    // The first two columns are held. The clamp is half way between: the first hinge that bends
    // stands for half a cell to either side. The free length is 1.
    double edge = 1.0 / (c->cells_along + 0.5), bend = 0.2 * 9.81 / c->gamma;
    char text[2048], mesh[128];
    describe_mesh(c, edge, mesh, sizeof mesh);
    snprintf(text, sizeof text, cantilever_scene,
             c->kind == VERIFY_SHEET_IRREGULAR ? "cloth_irregular" : "cloth", 1.0 + 0.5 * edge,
             edge * c->cells_across, mesh, bend, 1.001 * edge);
    pl_scene* scene;
    pl_status status =
        pl_scene_read_memory(text, strlen(text), "strip.json", NULL, 0, &scene, NULL, error);
    if (status != PL_OK) return status;
    status = pl_world_create(scene, out, NULL, error);
    pl_scene_destroy(scene);
    return status;
}

pl_status verify_strip_droop(const verify_strip* c, verify_answer* answer, pl_error* error) {
    enum { STEPS = 12, MAX_REPEATS = 20 };
    pl_world* world;
    pl_status status = make_strip(c, &world, error);
    if (status != PL_OK) return status;
    pl_frame_info info = {.unconverged_count = 1};
    for (int k = 1; status == PL_OK && (k <= STEPS || info.unconverged_count); k++) {
        if (k > STEPS + MAX_REPEATS)
            status = pl_fail(error, PL_ERROR_DIVERGED, "the strip does not come to rest");
        if (status == PL_OK)
            status = pl_world_set(world, "gravity[1]", -9.81 * fmin(1.0, (double)k / STEPS), error);
        if (status == PL_OK) status = pl_world_step(world, &info, error);
    }
    const double *rest = pl_world_mesh(world, 0)->positions, *x = pl_world_positions(world, 0);
    double edge = 1.0 / (c->cells_along + 0.5), height = 0.0, width = 0.0;
    for (int v = 0; v < pl_world_mesh(world, 0)->vertex_count; v++)
        if (rest[3 * v] > 1.0 + 0.499 * edge)
            height -= x[3 * v + 1], width += x[3 * v] - 0.5 * edge;
    *answer = (verify_answer){height / width, verify_elastica(c->gamma)};
    pl_world_destroy(world);
    return status;
}
