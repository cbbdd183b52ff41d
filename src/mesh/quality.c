// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Shapes are measured in blocks of elements, whose partial results are joined in order.
#include "mesh/quality.h"
#include "base/memory.h"
#include "base/pool.h"
#include "base/random.h"

enum { BLOCK = 4096 };

// With the corner a at the origin and b, c, d from it: inradius r = 3 V / A, circumradius
// R = |b^2 (c x d) + c^2 (d x b) + d^2 (b x c)| / 12 V, so 3 r / R = 3 det^2 / (A |...|).
double pl_tet_radius_ratio(const pl_vec3 p[4]) {
    pl_vec3 b = pl_sub(p[1], p[0]), c = pl_sub(p[2], p[0]), d = pl_sub(p[3], p[0]);
    pl_vec3 cd = pl_cross(c, d), db = pl_cross(d, b), bc = pl_cross(b, c);
    double det = pl_dot(b, cd);
    double area =
        0.5 * (pl_norm(cd) + pl_norm(db) + pl_norm(bc) + pl_norm(pl_add(pl_add(cd, db), bc)));
    pl_vec3 w = pl_madd(pl_madd(pl_scale(pl_norm2(b), cd), pl_norm2(c), db), pl_norm2(d), bc);
    double below = area * pl_norm(w);
    return below > 0.0 ? 3.0 * det * det / below : 0.0;
}

// r = 2 A / (a + b + c), R = a b c / 4 A
double pl_triangle_radius_ratio(const pl_vec3 p[3]) {
    double a = pl_distance(p[1], p[2]), b = pl_distance(p[2], p[0]), c = pl_distance(p[0], p[1]);
    double twice_area = pl_norm(pl_cross(pl_sub(p[1], p[0]), pl_sub(p[2], p[0])));
    double below = (a + b + c) * a * b * c;
    return below > 0.0 ? 4.0 * twice_area * twice_area / below : 0.0;
}

// What a block of elements found.
typedef struct partial {
    double measure;          // volume or area
    double cos_min, cos_max; // of the angles
} partial;

typedef struct measuring {
    const double* positions;
    const int* elements;
    int corners;
    double* ratios; // per element, NAN if left out
    partial* partials;
} measuring;

static void see_cosine(partial* out, pl_vec3 u, pl_vec3 v, double sign) {
    double length2 = pl_norm2(u) * pl_norm2(v);
    if (!(length2 > 0.0)) return;
    double cosine = sign * pl_dot(u, v) / sqrt(length2);
    if (cosine < out->cos_min) out->cos_min = cosine;
    if (cosine > out->cos_max) out->cos_max = cosine;
}

static double measure_tet(const pl_vec3 p[4], partial* out) {
    pl_vec3 b = pl_sub(p[1], p[0]), c = pl_sub(p[2], p[0]), d = pl_sub(p[3], p[0]);
    // normals of the faces, all outward or all inward
    pl_vec3 n[4] = {{0}, pl_cross(d, c), pl_cross(b, d), pl_cross(c, b)};
    n[0] = pl_scale(-1.0, pl_add(pl_add(n[1], n[2]), n[3]));
    for (int i = 1; i < 4; i++)
        for (int j = 0; j < i; j++) see_cosine(out, n[i], n[j], -1.0);
    out->measure += fabs(pl_dot(b, n[1])) / 6.0;
    return pl_tet_radius_ratio(p);
}

static double measure_triangle(const pl_vec3 p[3], partial* out) {
    for (int i = 0; i < 3; i++)
        see_cosine(out, pl_sub(p[(i + 1) % 3], p[i]), pl_sub(p[(i + 2) % 3], p[i]), 1.0);
    out->measure += 0.5 * pl_norm(pl_cross(pl_sub(p[1], p[0]), pl_sub(p[2], p[0])));
    return pl_triangle_radius_ratio(p);
}

static bool is_finite(const pl_vec3* p, int count) {
    double sum = 0.0; // 0 times a number that is not finite is NAN
    for (int i = 0; i < count; i++) sum += 0.0 * p[i].x + 0.0 * p[i].y + 0.0 * p[i].z;
    return sum == 0.0;
}

static void measure_task(int begin, int end, int worker, void* user) {
    (void)worker;
    measuring* m = user;
    partial out = {.cos_min = INFINITY, .cos_max = -INFINITY};
    for (int e = begin; e < end; e++) {
        pl_vec3 p[4];
        pl_load_corners(m->positions, m->elements + (size_t)e * (size_t)m->corners, m->corners, p);
        m->ratios[e] = !is_finite(p, m->corners) ? NAN
                       : m->corners == 4         ? measure_tet(p, &out)
                                                 : measure_triangle(p, &out);
    }
    m->partials[begin / BLOCK] = out;
}

// Moves the value of the given rank to its index, with lower ones before it and higher ones after
// it.
static void select_rank(double* values, int count, int rank) {
    pl_random random = {(uint64_t)count};
    int low = 0, high = count - 1;
    while (low < high) {
        double pivot = values[low + pl_random_int(&random, high - low + 1)];
        int i = low, j = high;
        while (i <= j) {
            while (values[i] < pivot) i++;
            while (values[j] > pivot) j--;
            if (i > j) break;
            double swapped = values[i];
            values[i++] = values[j];
            values[j--] = swapped;
        }
        if (rank <= j) high = j;
        else if (rank >= i) low = i;
        else return;
    }
}

double pl_quantile(double* values, int count, double fraction) {
    if (count == 0) return NAN;
    double place = fraction * (count - 1);
    int rank = (int)place;
    select_rank(values, count, rank);
    if (rank + 1 == count) return values[rank];
    double next = values[rank + 1];
    for (int i = rank + 2; i < count; i++) next = fmin(next, values[i]);
    return values[rank] + (place - rank) * (next - values[rank]);
}

static void measure_edges(const double* positions, const pl_edges* edges, pl_mesh_quality* out) {
    double sum = 0.0, min = INFINITY, max = 0.0;
    int count = 0;
    for (int i = 0; i < edges->count; i++) {
        const int* ends = edges->ends + 2 * (size_t)i;
        double length = pl_distance(pl_vec3_load(positions + 3 * (size_t)ends[0]),
                                    pl_vec3_load(positions + 3 * (size_t)ends[1]));
        if (!isfinite(length)) continue;
        count++;
        sum += length;
        min = fmin(min, length);
        max = fmax(max, length);
    }
    out->edge_count = edges->count;
    out->edge_min = count ? min : NAN;
    out->edge_mean = count ? sum / count : NAN;
    out->edge_max = count ? max : NAN;
}

static double degrees(double cosine) { return acos(fmax(-1.0, fmin(1.0, cosine))) * 180.0 / PL_PI; }

// Ratios are reordered.
static void collect(const measuring* m, int element_count, pl_mesh_quality* out) {
    partial all = {0.0, INFINITY, -INFINITY};
    for (int i = 0; i * BLOCK < element_count; i++) {
        all.measure += m->partials[i].measure;
        all.cos_min = fmin(all.cos_min, m->partials[i].cos_min);
        all.cos_max = fmax(all.cos_max, m->partials[i].cos_max);
    }
    *(m->corners == 4 ? &out->volume : &out->area) = all.measure;
    if (all.cos_min <= all.cos_max) {
        out->angle_min = degrees(all.cos_max);
        out->angle_max = degrees(all.cos_min);
    }
    int count = 0;
    double worst = INFINITY;
    for (int e = 0; e < element_count; e++) {
        if (isnan(m->ratios[e])) continue;
        if (m->ratios[e] < worst) worst = m->ratios[e], out->worst_element = e;
        m->ratios[count++] = m->ratios[e];
    }
    out->radius_ratio_min = count ? worst : NAN;
    out->radius_ratio_1_percent = pl_quantile(m->ratios, count, 0.01);
    out->radius_ratio_median = pl_quantile(m->ratios, count, 0.5);
}

pl_status pl_measure_elements(const double* positions, const int* elements, int element_count,
                              int corners, const pl_edges* edges, pl_pool* pool,
                              pl_mesh_quality* out, pl_error* error) {
    *out = (pl_mesh_quality){.worst_element = -1, .angle_min = NAN, .angle_max = NAN};
    int partial_count = (element_count + BLOCK - 1) / BLOCK;
    measuring m = {positions, elements, corners, NULL, NULL};
    m.ratios = PL_ALLOC(double, element_count);
    m.partials = PL_ALLOC(partial, partial_count);
    bool ready = element_count == 0 || (m.ratios && m.partials);
    if (ready) {
        pl_parallel_for(pool, measure_task, element_count, BLOCK, &m);
        collect(&m, element_count, out);
        measure_edges(positions, edges, out);
    }
    PL_FREE(m.ratios, double, element_count);
    PL_FREE(m.partials, partial, partial_count);
    return ready ? PL_OK : pl_fail_memory(error, "the quality of a mesh");
}
