// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// How far the lattice is from a known answer (Zhu 2010, sections 9.2 and 9.3, Fig. 13 to 18): a
// sphere in a lattice, in the paper a disc; against linear tets of our fem that fit the sphere, and
// against the lattice's cells cut into tets. Cells that the surface cuts in the two held quadrants
// are Dirichlet cells, whose faces take the known answer as in the paper; the rest of the surface
// carries the known traction. The error is the largest one over the vertices of the surface and the
// faces inside, the order the slope of its logarithm over that of the cell.
//
// Rows order_*: traction as stress of the lattice's sides (s4_traction.h). Rows spread_*: forces
// on vertices go to faces by the transpose of interpolation.
#include "base/memory.h"
#include "base/timer.h"
#include "bench.h"
#include "grid/grid_embedding.h"
#include "s4_fem.h"
#include "s4_folds.h"
#include "s4_lattice.h"
#include "s4_sphere.h"
#include "s4_traction.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const pl_vec3 CENTRE = {0.5, 0.5, 0.5};

typedef struct problem {
    pl_mesh* surface;
    pl_grid_frame frame;
    s4_lattice lattice;
    pl_grid_embedding_map map;
    double* force; // on vertices of the surface
    double lambda;
    bool spreads; // forces of vertices over faces; else they are stresses of the lattice's sides
} problem;

static pl_vec3 face_position(const problem* p, int a, const int at[3]) {
    double x[3];
    for (int d = 0; d < 3; d++)
        x[d] = p->frame.origin[d] + p->frame.cell * (at[d] + (d == a ? 0.0 : 0.5));
    return pl_vec3_load(x);
}

typedef void (*face_visit)(problem* p, int a, const int at[3], int index, bool own);
static void visit_faces(problem* p, face_visit visit) {
    const pl_grid_level* l = &p->lattice.levels.levels[0];
    for (int s = 0; s < l->segment_count; s++) {
        const pl_grid_segment* g = &l->segments[s];
        for (int i = 0; i < g->count * PL_GRID_CHUNK; i++)
            for (int a = 0; a < 3; a++) {
                const int at[3] = {g->x + i, g->y, g->z};
                int index = g->begin + i;
                visit(p, a, at, index, pl_grid_bit(l->masks[index / PL_GRID_CHUNK].face[a], index));
            }
    }
}

static double component(pl_vec3 v, int a) { return a == 0 ? v.x : a == 1 ? v.y : v.z; }

// given values, and the force of the volume
static void set_face(problem* p, int a, const int at[3], int index, bool own) {
    pl_grid_state* s = &p->lattice.state;
    const pl_grid_cells* c = &p->lattice.cells;
    pl_vec3 X = face_position(p, a, at);
    double cell = p->frame.cell;
    int low[3] = {at[0], at[1], at[2]};
    low[a]--;
    bool held = pl_grid_cell(c, at[0], at[1], at[2]) == PL_CELL_DIRICHLET ||
                pl_grid_cell(c, low[0], low[1], low[2]) == PL_CELL_DIRICHLET;
    s->u[a][index] = held ? component(s4_displacement(X), a) : 0.0;
    if (own)
        s->f[a][index] = cell * cell * component(s4_force(X, p->lambda), a) - s->f[a][index] / cell;
}

static pl_status make_problem(int across, int padding, double nu, bool spreads, problem* p,
                              pl_error* error) {
    *p = (problem){.lambda = 2.0 * nu / (1.0 - 2.0 * nu), .spreads = spreads};
    pl_grid_cells cells = {0};
    pl_status status = s4_sphere_surface(2 * across, &p->surface, error);
    if (status == PL_OK)
        status = s4_sphere_cells(p->surface, across, padding, &p->frame, &cells, error);
    if (status == PL_OK) status = s4_lattice_create(&cells, &p->lattice, error);
    if (status != PL_OK) return status;
    p->force = PL_ALLOC(double, 3 * (size_t)p->surface->vertex_count);
    if (!p->force) return pl_fail_memory(error, "forces");
    status = pl_grid_embed(&p->lattice.levels.levels[0], &p->lattice.cells, &p->frame,
                           p->surface->positions, p->surface->vertex_count, &p->map, error);
    if (status != PL_OK) return status;
    s4_set_material(&p->lattice, nu, 0.0);
    s4_load_surface(p->surface, p->lambda, p->force);
    if (p->spreads) {
        s4_unload_held(p->surface, &p->lattice.cells, &p->frame, p->force);
        pl_grid_spread(&p->map, p->force, p->lattice.state.f);
    }
    visit_faces(p, set_face);
    pl_grid_substitute(&p->lattice.levels.levels[0], &p->lattice.state);
    return PL_OK;
}

static void free_problem(problem* p) {
    if (p->surface) PL_FREE(p->force, double, 3 * (size_t)p->surface->vertex_count);
    pl_grid_embedding_free(&p->map);
    s4_lattice_free(&p->lattice);
    pl_mesh_destroy(p->surface);
    *p = (problem){0};
}

typedef struct errors {
    double inside, surface, rough; // rough: root mean square of the surface's error off its mean
} errors;

static pl_status find_errors(problem* p, errors* out, pl_error* error) {
    int count = p->surface->vertex_count;
    double* moved = PL_ALLOC(double, 3 * (size_t)count);
    if (!moved) return pl_fail_memory(error, "positions");
    const pl_grid_level* l = &p->lattice.levels.levels[0];
    *out = (errors){0};
    for (int s = 0; s < l->segment_count; s++)
        for (int i = 0; i < l->segments[s].count * PL_GRID_CHUNK; i++)
            for (int a = 0; a < 3; a++) {
                const int at[3] = {l->segments[s].x + i, l->segments[s].y, l->segments[s].z};
                int n = l->segments[s].begin + i;
                pl_vec3 X = face_position(p, a, at);
                if (!pl_grid_bit(l->masks[n / PL_GRID_CHUNK].face[a], n) ||
                    pl_norm(pl_sub(X, CENTRE)) > S4_RADIUS)
                    continue;
                double off = fabs(p->lattice.state.u[a][n] - component(s4_displacement(X), a));
                out->inside = fmax(out->inside, off);
            }
    pl_grid_extend(&p->map, p->lattice.state.u);
    pl_grid_interpolate(&p->map, p->lattice.state.u, moved, p->lattice.pool);
    for (int v = 0; v < count; v++) {
        pl_vec3 exact = s4_displacement(pl_vec3_load(p->surface->positions + 3 * (size_t)v));
        double off = pl_norm(pl_sub(pl_vec3_load(moved + 3 * (size_t)v), exact));
        out->surface = fmax(out->surface, off);
        out->rough += off * off / count;
    }
    out->rough = sqrt(out->rough);
    PL_FREE(moved, double, 3 * (size_t)count);
    return PL_OK;
}

// force on vertices to force per area, by a third of the triangles around them
static void divide_by_areas(const pl_mesh* m, double* areas, double* force) {
    for (int k = 0; k < 3 * m->triangle_count; k++) {
        pl_vec3 x[3];
        for (int i = 0; i < 3; i++)
            x[i] = pl_vec3_load(m->positions + 3 * (size_t)m->triangles[k / 3 * 3 + i]);
        areas[m->triangles[k]] += pl_norm(pl_cross(pl_sub(x[1], x[0]), pl_sub(x[2], x[0]))) / 6.0;
    }
    for (int i = 0; i < 3 * m->vertex_count; i++) force[i] /= areas[i / 3];
}

// Rounds of cycles, each with the stresses of the lattice's sides that follow from the answer of
// the one before. Returns the residual that a round starts with at the end.
static double run_rounds(problem* p, const s4_traction* traction, double* const volume[3]) {
    enum { ROUNDS = 12, CYCLES = 6 };
    const pl_grid_level* l = &p->lattice.levels.levels[0];
    pl_grid_state* s = &p->lattice.state;
    size_t size = (size_t)l->field_size * sizeof(double);
    double residuals[CYCLES + 1], first = 0.0;
    for (int a = 0; a < 3; a++) memcpy(volume[a], s->f[a], size);
    for (int round = 0; round < ROUNDS; round++) {
        for (int a = 0; a < 3; a++) memcpy(s->f[a], volume[a], size);
        memset(s->g, 0, size);
        s4_traction_add(traction, l, p->force, round > 0, s);
        s4_run_cycles(&p->lattice, CYCLES, true, residuals);
        if (round == 0) first = residuals[0];
    }
    return residuals[0] / first;
}

static pl_status solve_sides(problem* p, double* residual, pl_error* error) {
    const pl_grid_level* l = &p->lattice.levels.levels[0];
    s4_traction traction;
    double *volume[3], *areas = PL_ALLOC(double, p->surface->vertex_count);
    for (int a = 0; a < 3; a++) volume[a] = PL_ALLOC(double, l->field_size);
    pl_status status =
        areas && volume[0] && volume[1] && volume[2]
            ? s4_traction_create(l, &p->lattice.cells, &p->frame, p->surface, &traction, error)
            : pl_fail_memory(error, "loads");
    if (status == PL_OK) {
        divide_by_areas(p->surface, areas, p->force);
        *residual = run_rounds(p, &traction, volume);
        s4_traction_free(&traction);
    }
    PL_FREE(areas, double, p->surface->vertex_count);
    for (int a = 0; a < 3; a++) PL_FREE(volume[a], double, l->field_size);
    return status;
}

static pl_status solve_spread(problem* p, double* residual) {
    enum { CYCLES = 40 };
    double residuals[CYCLES + 1];
    s4_run_cycles(&p->lattice, CYCLES, true, residuals);
    *residual = residuals[CYCLES] / residuals[0];
    return PL_OK;
}

static pl_status lattice_errors(int across, int padding, double nu, bool spreads, errors* out,
                                pl_error* error) {
    problem p;
    double residual = 0.0;
    pl_status status = make_problem(across, padding, nu, spreads, &p, error);
    if (status == PL_OK)
        status = spreads ? solve_spread(&p, &residual) : solve_sides(&p, &residual, error);
    if (status == PL_OK) status = find_errors(&p, out, error);
    if (status == PL_OK)
        printf("nu %g, %d cells across, padding %d, %s: error %.3e inside, %.3e at the surface "
               "(rms %.3e), residual %.1e\n",
               nu, across, padding, spreads ? "spread forces" : "stressed sides", out->inside,
               out->surface, out->rough, residual);
    free_problem(&p);
    return status;
}

// slope of log(error) over log(cell), by least squares
static double slope(const double* error, int count) {
    double sx = 0.0, sy = 0.0, sxx = 0.0, sxy = 0.0;
    for (int k = 0; k < count; k++) {
        double x = -k * log(2.0), y = log(error[k]);
        sx += x, sy += y, sxx += x * x, sxy += x * y;
    }
    return (count * sxy - sx * sy) / (count * sxx - sx * sx);
}

static bool orders(bench* b, double nu, bool spreads, const char* name) {
    enum { SIZES = 4 };
    int count = bench_quick(b) ? 3 : SIZES;
    double largest[SIZES], inside[SIZES];
    for (int k = 0; k < count; k++) {
        errors e;
        pl_error error;
        if (lattice_errors(8 << k, 0, nu, spreads, &e, &error) != PL_OK) {
            printf("%s: %s\n", name, error.text);
            return false;
        }
        largest[k] = fmax(e.inside, e.surface), inside[k] = e.inside;
    }
    printf("%s: %.3f of the faces inside alone\n", name, slope(inside, count));
    bench_result(b, name, slope(largest, count), "", spreads ? NAN : 1.2);
    return true;
}

static bool tet_orders(bench* b, double nu, bool fitted, const char* name) {
    int count = bench_quick(b) ? 2 : 3;
    double found[3];
    for (int k = 0; k < count; k++) {
        pl_error error;
        pl_status status = fitted ? s4_fitted_error(S4_RADIUS / (2 << k), nu, &found[k], &error)
                                  : s4_embedded_error(8 << k, nu, &found[k], &error);
        if (status != PL_OK) {
            printf("%s: %s\n", name, error.text);
            return false;
        }
    }
    bench_result(b, name, slope(found, count), "", 1.2);
    return true;
}

// ------------------------------------------------------------------ surfaces

// one more layer of cells around the body (Fig. 17)
static bool padding_rows(bench* b) {
    errors e[2];
    pl_error error;
    for (int layers = 0; layers < 2; layers++)
        if (lattice_errors(16, layers, 0.475, true, &e[layers], &error) != PL_OK) {
            printf("padding: %s\n", error.text);
            return false;
        }
    bench_result(b, "surface_error_padding0", e[0].surface, "m", NAN);
    bench_result(b, "surface_error_padding1", e[1].surface, "m", NAN);
    return true;
}

// a finer surface in the lattice of a problem, in both ways, and where it is moved to
typedef struct skin {
    problem* p;
    pl_mesh* mesh;
    pl_grid_tricubic cubic;
    double* moved;
} skin;

static pl_status make_skin(problem* p, int frequency, skin* out, pl_error* error) {
    *out = (skin){.p = p};
    pl_status status = s4_sphere_surface(frequency, &out->mesh, error);
    if (status != PL_OK) return status;
    int count = out->mesh->vertex_count;
    const pl_grid_level* fine = &p->lattice.levels.levels[0];
    pl_grid_embedding_free(&p->map);
    status = pl_grid_embed(fine, &p->lattice.cells, &p->frame, out->mesh->positions, count, &p->map,
                           error);
    if (status == PL_OK)
        status = pl_grid_tricubic_create(fine, &p->lattice.cells, &p->frame, out->mesh->positions,
                                         count, &out->cubic, error);
    if (status != PL_OK) return status;
    out->moved = PL_ALLOC(double, 3 * (size_t)count);
    if (!out->moved) return pl_fail_memory(error, "positions");
    pl_grid_extend(&p->map, p->lattice.state.u);
    return PL_OK;
}

static void free_skin(skin* s) {
    if (s->mesh) PL_FREE(s->moved, double, 3 * (size_t)s->mesh->vertex_count);
    pl_grid_tricubic_free(&s->cubic);
    pl_mesh_destroy(s->mesh);
}

static void move_linear(void* user) {
    skin* s = user;
    pl_grid_interpolate(&s->p->map, s->p->lattice.state.u, s->moved, s->p->lattice.pool);
}

static void move_cubic(void* user) {
    skin* s = user;
    pl_grid_tricubic_interpolate(&s->cubic, s->p->lattice.state.u, s->moved, s->p->lattice.pool);
}

static void move_exact(void* user) {
    skin* s = user;
    for (int v = 0; v < s->mesh->vertex_count; v++)
        pl_vec3_store(s->moved + 3 * (size_t)v,
                      s4_displacement(pl_vec3_load(s->mesh->positions + 3 * (size_t)v)));
}

static pl_vec3 moved_area(const skin* s, int t) {
    pl_vec3 x[3];
    for (int i = 0; i < 3; i++) {
        size_t v = 3 * (size_t)s->mesh->triangles[3 * t + i];
        x[i] = pl_add(pl_vec3_load(s->mesh->positions + v), pl_vec3_load(s->moved + v));
    }
    return pl_cross(pl_sub(x[1], x[0]), pl_sub(x[2], x[0]));
}

// the largest angle between a triangle and the mean of those around one of its corners [deg]
static double normal_jump(const skin* s, double* normals) {
    double least = 1.0;
    const pl_mesh* m = s->mesh;
    memset(normals, 0, 3 * (size_t)m->vertex_count * sizeof(double));
    for (int k = 0; k < 3 * m->triangle_count; k++) {
        double* n = normals + 3 * (size_t)m->triangles[k];
        pl_vec3_store(n, pl_add(pl_vec3_load(n), moved_area(s, k / 3)));
    }
    for (int k = 0; k < 3 * m->triangle_count; k++) {
        pl_vec3 mean = pl_normalize(pl_vec3_load(normals + 3 * (size_t)m->triangles[k]));
        least = fmin(least, pl_dot(mean, pl_normalize(moved_area(s, k / 3))));
    }
    return acos(least) * 180.0 / PL_PI;
}

// the known answer at the faces that are variables; the given ones have it already
static void set_exact(problem* p, int a, const int at[3], int index, bool own) {
    if (own) p->lattice.state.u[a][index] = component(s4_displacement(face_position(p, a, at)), a);
}

// A fine surface in a coarse lattice (Fig. 18): where does it show the cells? The lattice has the
// known answer, so that all that shows comes from interpolation.
static bool normal_rows(bench* b) {
    problem p;
    skin s = {0};
    double* normals = NULL;
    pl_error error;
    pl_status status = make_problem(16, 0, 0.475, true, &p, &error);
    if (status == PL_OK) {
        visit_faces(&p, set_exact);
        status = make_skin(&p, bench_quick(b) ? 100 : 200, &s, &error);
    }
    if (status == PL_OK) {
        normals = PL_ALLOC(double, 3 * (size_t)s.mesh->vertex_count);
        if (!normals) status = pl_fail_memory(&error, "normals");
    }
    if (status == PL_OK) {
        move_exact(&s);
        printf(
            "%d triangles in a lattice of %d cells; without a lattice normals jump by %.3f deg\n",
            s.mesh->triangle_count, p.lattice.levels.levels[0].cell_count,
            normal_jump(&s, normals));
        move_linear(&s);
        bench_result(b, "normal_jump_trilinear", normal_jump(&s, normals), "deg", NAN);
        move_cubic(&s);
        bench_result(b, "normal_jump_tricubic", normal_jump(&s, normals), "deg", NAN);
        PL_FREE(normals, double, 3 * (size_t)s.mesh->vertex_count);
    } else printf("normals: %s\n", error.text);
    free_skin(&s);
    free_problem(&p);
    return status == PL_OK;
}

// The same on a simulation: a box of 10 x 4 x 4 cells, turned at one end by 90 degrees.
static bool fold_rows(bench* b) {
    static const char* const ways[] = {"trilinear", "tricubic"};
    double edge = bench_quick(b) ? 0.025 : 0.0125, cell = 0.1;
    for (int k = 0; k < 2; k++) {
        s4_folds folds;
        pl_error error;
        if (s4_scene_folds(PL_BENCH_SOURCE_DIR "/scenes/grid_twist.json", ways[k], edge, cell, 10,
                           &folds, &error) != PL_OK) {
            printf("folds: %s\n", error.text);
            return false;
        }
        printf("box of %d triangles in cells of %g m, %s: angles changed by %.2f deg in the mean, "
               "all but one in fifty by less than %.2f deg\n",
               folds.triangle_count, cell, ways[k], folds.mean, folds.most);
        bench_result(b, k ? "folds_tricubic" : "folds_trilinear", folds.most, "deg", NAN);
    }
    return true;
}

// a surface of millions of triangles in a lattice of 32 cells across
static bool many_triangles(bench* b) {
    problem p;
    skin s = {0};
    pl_error error;
    pl_status status = make_problem(32, 0, 0.475, true, &p, &error);
    if (status == PL_OK) status = make_skin(&p, bench_quick(b) ? 200 : 500, &s, &error);
    if (status == PL_OK) {
        printf("%d triangles, %d vertices moved\n", s.mesh->triangle_count, s.mesh->vertex_count);
        bench_result(b, "surface_triangles", s.mesh->triangle_count, "", NAN);
        bench_result(b, "surface_moved_ms", 1e3 * bench_seconds(move_linear, &s, 5), "ms", NAN);
        bench_result(b, "surface_moved_tricubic_ms", 1e3 * bench_seconds(move_cubic, &s, 5), "ms",
                     NAN);
    } else printf("surface: %s\n", error.text);
    free_skin(&s);
    free_problem(&p);
    return status == PL_OK;
}

bool bench_s4_accuracy(bench* b) {
    return orders(b, 0.2, false, "order_nu0.2") && orders(b, 0.49, false, "order_nu0.49") &&
           orders(b, 0.2, true, "spread_order_nu0.2") &&
           orders(b, 0.49, true, "spread_order_nu0.49") &&
           tet_orders(b, 0.2, false, "embedded_order_nu0.2") &&
           tet_orders(b, 0.49, false, "embedded_order_nu0.49") &&
           tet_orders(b, 0.2, true, "fitted_order_nu0.2") &&
           tet_orders(b, 0.49, true, "fitted_order_nu0.49") && padding_rows(b) && normal_rows(b) &&
           fold_rows(b) && many_triangles(b);
}
