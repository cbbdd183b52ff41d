// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// With k the stiffness of a spring, L its length and a its angle in the tangent plane of a vertex,
// the equations of a vertex of area A for the stretch modulus 1 are
//     sum k L exp(i a)     = -3/2 g      g: sum over triangles of area times grad(shape function)
//     sum k L exp(3 i a)   = 0           (forces under any uniform strain)
//     sum k L^2 / 2        = 3 A
//     sum k L^2 exp(2 i a) = 0
//     sum k L^2 exp(4 i a) = 0           (fourth moment of an isotropic sheet)
// Nine rows per vertex, each spring in the rows of its two ends. Coordinate descent solves them:
// one spring at a time takes its best stiffness, or 0.
#include "mesh/spring_net.h"
#include "base/memory.h"
#include "math/vec3.h"

#include <string.h>

enum { ROWS = 9, SWEEPS = 40 };

// Weights of the rows of forces, and of a spring's own row, which keeps it near its initial guess
// (1 along edges, 0 across) where the others do not determine it.
static const double FORCE_WEIGHT = 2.0, GUESS_WEIGHT = 0.01;
// smallest weight of a spring along an edge, so that every edge has one
static const double MIN_EDGE = 0.05;
// area over squared length, for triangles of zero area
static const double MIN_REFERENCE = 1e-3;
// stop when a sweep changes all springs by less than this
static const double MIN_CHANGE = 1e-3;

typedef struct spring {
    int ends[2];
    double angle[2][2];               // cosine and sine at each end
    double length, reference, weight; // reference: stiffness that weight multiplies
    double guess, least;              // of weight
} spring;

typedef struct fitting {
    const double* positions;
    const int* triangles;
    int vertex_count, triangle_count, spring_count;
    double* areas;    // per vertex
    pl_vec3* frames;  // 2 per vertex, in the tangent plane
    double* residual; // ROWS per vertex
    spring* springs;  // along edges, then across
} fitting;

static pl_vec3 place(const fitting* f, int v) { return pl_vec3_load(f->positions + 3 * (size_t)v); }

static pl_vec3 area_vector(const fitting* f, int t) {
    const int* v = f->triangles + 3 * (size_t)t;
    pl_vec3 a = place(f, v[0]);
    return pl_scale(0.5, pl_cross(pl_sub(place(f, v[1]), a), pl_sub(place(f, v[2]), a)));
}

static double area_of(const fitting* f, int t) { return pl_norm(area_vector(f, t)); }

// two directions orthogonal to the normal n; arbitrary if n vanishes
static void make_frame(pl_vec3 n, pl_vec3 out[2]) {
    n = pl_normalize(n);
    pl_vec3 axis = fabs(n.x) < 0.6 ? (pl_vec3){1, 0, 0} : (pl_vec3){0, 1, 0};
    out[0] = pl_normalize(pl_sub(axis, pl_scale(pl_dot(n, axis), n)));
    out[1] = pl_cross(n, out[0]);
    if (pl_norm2(n) == 0.0) out[0] = (pl_vec3){1, 0, 0}, out[1] = (pl_vec3){0, 1, 0};
}

// Areas and tangent planes. Triangles that are turned over count with the sign of the first.
static void find_planes(fitting* f) {
    for (int t = 0; t < f->triangle_count; t++) {
        pl_vec3 n = area_vector(f, t);
        for (int i = 0; i < 3; i++) {
            int v = f->triangles[3 * (size_t)t + (size_t)i];
            pl_vec3* sum = &f->frames[2 * (size_t)v];
            *sum = pl_madd(*sum, pl_dot(*sum, n) < 0.0 ? -1.0 : 1.0, n);
            f->areas[v] += pl_norm(n) / 3.0;
        }
    }
    for (int v = 0; v < f->vertex_count; v++)
        make_frame(f->frames[2 * (size_t)v], f->frames + 2 * (size_t)v);
}

// cosine and sine of a direction in the tangent plane of v
static void set_angle(const fitting* f, int v, pl_vec3 d, double out[2]) {
    double x = pl_dot(f->frames[2 * (size_t)v], d), y = pl_dot(f->frames[2 * (size_t)v + 1], d);
    double r = sqrt(x * x + y * y);
    out[0] = r > 0.0 ? x / r : 1.0, out[1] = r > 0.0 ? y / r : 0.0;
}

static void set_spring(const fitting* f, spring* s, int a, int b, double area, double guess,
                       double least) {
    pl_vec3 d = pl_sub(place(f, b), place(f, a));
    *s = (spring){.ends = {a, b}, .length = pl_norm(d), .weight = guess};
    s->least = least;
    set_angle(f, a, d, s->angle[0]);
    set_angle(f, b, pl_scale(-1.0, d), s->angle[1]);
    s->reference = s->length > 0.0 ? fmax(area / (s->length * s->length), MIN_REFERENCE) : 1.0;
    s->guess = guess;
}

static void list_springs(fitting* f, const pl_side_groups* sides) {
    spring *edge = f->springs, *across = f->springs + sides->groups.count;
    for (int g = 0; g < sides->groups.count; g++, edge++) {
        pl_edge_pairs pairs = pl_edge_pairs_of(sides, g);
        int ends[2], pair[2];
        double area = 0.0;
        for (int k = 0; k < pairs.count; k++) area += area_of(f, pairs.sides[k] / 3);
        pl_triangle_edge(f->triangles + 3 * (size_t)(pairs.sides[0] / 3), pairs.sides[0] % 3, ends);
        set_spring(f, edge, ends[0], ends[1], area, 1.0, MIN_EDGE);
        for (; pl_edge_pairs_next(&pairs, pair); across++) {
            area = area_of(f, pair[0] / 3) + area_of(f, pair[1] / 3);
            set_spring(f, across, f->triangles[pair[0]], f->triangles[pair[1]],
                       area * pl_edge_pairs_weight(&pairs), 0.0, 0.0);
        }
    }
}

// The coefficients of a spring in the rows of one of its ends, for weight 1.
static void make_column(const fitting* f, const spring* s, int end, double column[ROWS]) {
    double area = f->areas[s->ends[end]], scale = area > 0.0 ? 1.0 / (3.0 * area) : 0.0;
    double c = s->angle[end][0], z = s->angle[end][1];
    double c2 = c * c - z * z, z2 = 2.0 * c * z, k = s->reference * scale;
    double force = FORCE_WEIGHT * k * s->length * sqrt(area),
           moment = 0.5 * k * s->length * s->length;
    column[0] = force * c, column[1] = force * z;
    column[2] = force * (c2 * c - z2 * z), column[3] = force * (z2 * c + c2 * z);
    column[4] = moment;
    column[5] = moment * c2, column[6] = moment * z2;
    column[7] = moment * (c2 * c2 - z2 * z2), column[8] = moment * 2.0 * c2 * z2;
}

static void add_column(fitting* f, const spring* s, double change) {
    for (int end = 0; end < 2; end++) {
        double column[ROWS], *r = f->residual + ROWS * (size_t)s->ends[end];
        make_column(f, s, end, column);
        for (int i = 0; i < ROWS; i++) r[i] += change * column[i];
    }
}

// the right-hand sides, with the minus sign
static void start_residual(fitting* f) {
    for (int t = 0; t < f->triangle_count; t++) {
        const int* v = f->triangles + 3 * (size_t)t;
        pl_vec3 n = pl_normalize(area_vector(f, t));
        for (int i = 0; i < 3; i++) {
            // area times gradient of the shape function: half the opposite edge, turned inwards
            pl_vec3 opposite = pl_sub(place(f, v[(i + 2) % 3]), place(f, v[(i + 1) % 3]));
            pl_vec3 g = pl_scale(0.5, pl_cross(n, opposite));
            const pl_vec3* frame = f->frames + 2 * (size_t)v[i];
            double area = f->areas[v[i]];
            double scale = area > 0.0 ? 1.5 * FORCE_WEIGHT * sqrt(area) / (3.0 * area) : 0.0;
            f->residual[ROWS * (size_t)v[i]] += scale * pl_dot(frame[0], g);
            f->residual[ROWS * (size_t)v[i] + 1] += scale * pl_dot(frame[1], g);
        }
    }
    for (int v = 0; v < f->vertex_count; v++) f->residual[ROWS * (size_t)v + 4] -= 1.0;
    for (int k = 0; k < f->spring_count; k++) add_column(f, &f->springs[k], f->springs[k].weight);
}

// Sets one spring to its best weight; returns the change.
static double improve(fitting* f, spring* s) {
    if (s->ends[0] == s->ends[1] || !(s->length > 0.0)) return 0.0;
    double slope = GUESS_WEIGHT * (s->weight - s->guess), curve = GUESS_WEIGHT;
    for (int end = 0; end < 2; end++) {
        double column[ROWS];
        const double* r = f->residual + ROWS * (size_t)s->ends[end];
        make_column(f, s, end, column);
        for (int i = 0; i < ROWS; i++) slope += column[i] * r[i], curve += column[i] * column[i];
    }
    double better = fmax(s->least, s->weight - slope / curve), change = better - s->weight;
    add_column(f, s, change);
    s->weight = better;
    return fabs(change);
}

static void descend(fitting* f) {
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        double change = 0.0, size = 0.0;
        for (int k = 0; k < f->spring_count; k++) {
            change += improve(f, &f->springs[k]);
            size += f->springs[k].weight;
        }
        if (change <= MIN_CHANGE * size) return;
    }
}

static void free_fitting(fitting* f) {
    PL_FREE(f->areas, double, f->vertex_count);
    PL_FREE(f->frames, pl_vec3, 2 * (size_t)f->vertex_count);
    PL_FREE(f->residual, double, ROWS*(size_t)f->vertex_count);
    PL_FREE(f->springs, spring, f->spring_count);
}

void pl_spring_net_free(pl_spring_net* net) {
    PL_FREE(net->edges, double, net->edge_count);
    PL_FREE(net->across, double, net->pair_count);
    *net = (pl_spring_net){0};
}

static double stiffness_of(const spring* s) {
    return s->ends[0] == s->ends[1] ? 0.0 : s->weight * s->reference;
}

pl_status pl_spring_net_create(const double* positions, int vertex_count, const int* triangles,
                               int triangle_count, const pl_side_groups* sides, pl_spring_net* out,
                               pl_error* error) {
    int edges = sides->groups.count, pairs = pl_edge_pair_count(sides);
    *out = (pl_spring_net){edges, PL_ALLOC(double, edges), pairs, PL_ALLOC(double, pairs)};
    fitting f = {positions,
                 triangles,
                 vertex_count,
                 triangle_count,
                 edges + pairs,
                 .areas = PL_ALLOC(double, vertex_count),
                 .frames = PL_ALLOC(pl_vec3, 2 * (size_t)vertex_count),
                 .residual = PL_ALLOC(double, ROWS*(size_t)vertex_count),
                 .springs = PL_ALLOC(spring, edges + pairs)};
    bool ok = (out->edges || !edges) && (out->across || !pairs) &&
              (f.springs || !(edges + pairs)) &&
              (vertex_count == 0 || (f.areas && f.frames && f.residual));
    if (ok) {
        find_planes(&f);
        list_springs(&f, sides);
        start_residual(&f);
        descend(&f);
        for (int k = 0; k < edges; k++) out->edges[k] = stiffness_of(&f.springs[k]);
        for (int k = 0; k < pairs; k++) out->across[k] = stiffness_of(&f.springs[edges + k]);
    }
    free_fitting(&f);
    if (ok) return PL_OK;
    pl_spring_net_free(out);
    return pl_fail_memory(error, "the springs of a cloth");
}
