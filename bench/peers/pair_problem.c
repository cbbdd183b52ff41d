// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "pair_problem.h"
#include "../pair_sum.h"
#include "geometry/box.h"
#include "geometry/ccd.h"
#include "mesh/topology.h"
#include "peer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const int EDGE[3][2] = {{0, 1}, {0, 2}, {1, 2}};
static const int EDGES_FLAG = 1 << 30; // in found[.][3]

// ------------------------------------------------------------------ reading

static void* read_array(FILE* file, size_t size, size_t count) {
    void* data = malloc(size * count);
    if (data && fread(data, size, count, file) == count) return data;
    free(data);
    return NULL;
}

// the first triangle that has a vertex or an edge gets it
static int share_features(pair_problem* p) {
    pl_error error;
    pl_edges edges;
    if (pl_edges_create(p->triangles, p->triangle_count, 3, p->vertex_count, &edges, &error) !=
        PL_OK)
        return 0;
    char* taken = calloc((size_t)p->vertex_count + (size_t)edges.count, 1);
    p->features = calloc((size_t)p->triangle_count, 1);
    for (size_t t = 0; taken && p->features && t < (size_t)p->triangle_count; t++)
        for (size_t k = 0; k < 6; k++) {
            char* mine = k < 3 ? taken + p->triangles[3 * t + k]
                               : taken + p->vertex_count + edges.element_edges[3 * t + k - 3];
            if (!*mine) p->features[t] |= (unsigned char)(1 << k);
            *mine = 1;
        }
    const int ok = taken && p->features;
    free(taken);
    pl_edges_free(&edges);
    return ok;
}

pair_problem* pair_problem_read(const char* path) {
    FILE* file = fopen(path, "rb");
    pair_problem* p = calloc(1, sizeof *p);
    int counts[3];
    if (!file || !p || fread(counts, sizeof(int), 3, file) != 3) {
        fprintf(stderr, "%s cannot be read\n", path);
        return NULL;
    }
    p->vertex_count = counts[0], p->triangle_count = counts[1], p->surface_count = counts[2];
    p->firsts = read_array(file, sizeof(int), (size_t)counts[2] + 1);
    p->triangles = read_array(file, sizeof(int), 3 * (size_t)counts[1]);
    const size_t read = fread(&p->reach, sizeof(double), 1, file);
    p->start = read_array(file, sizeof(double), 3 * (size_t)counts[0]);
    p->end = read_array(file, sizeof(double), 3 * (size_t)counts[0]);
    fclose(file);
    if (read == 1 && p->firsts && p->triangles && p->start && p->end && share_features(p)) return p;
    fprintf(stderr, "%s is cut off, or memory is out\n", path);
    return NULL;
}

// ------------------------------------------------------------------ two triangles

static pl_vec3 place(const double* x, int v) { return pl_vec3_load(x + 3 * (size_t)v); }

static pl_box box_of(const pair_problem* p, int v) {
    const pl_vec3 around = {p->reach, p->reach, p->reach};
    pl_box box = pl_box_add_point(pl_box_empty(), place(p->start, v));
    box = pl_box_add_point(box, place(p->end, v));
    return (pl_box){pl_sub(box.low, around), pl_add(box.high, around)};
}

void pair_problem_box(const pair_problem* p, int vertex, double low[3], double high[3]) {
    const pl_box box = box_of(p, vertex);
    pl_vec3_store(low, box.low);
    pl_vec3_store(high, box.high);
}

typedef struct boxes {
    pl_box vertices[3], edges[3], whole;
} boxes;

static boxes boxes_of(const pair_problem* p, const int* v) {
    boxes out;
    for (int i = 0; i < 3; i++) out.vertices[i] = box_of(p, v[i]);
    for (int k = 0; k < 3; k++)
        out.edges[k] = pl_box_add_box(out.vertices[EDGE[k][0]], out.vertices[EDGE[k][1]]);
    out.whole = pl_box_add_box(out.edges[0], out.vertices[2]);
    return out;
}

// the longest way of some vertices
static double way_of(const pair_problem* p, const int* v, int count) {
    double most = 0.0;
    for (int i = 0; i < count; i++)
        most = fmax(most, pl_norm2(pl_sub(place(p->end, v[i]), place(p->start, v[i]))));
    return sqrt(most);
}

static void add(pair_problem* p, const int* first, int first_count, const int* second) {
    const int is_edges = first_count == 2;
    int v[4];
    memcpy(v, first, (size_t)first_count * sizeof(int));
    memcpy(v + first_count, second, (size_t)(4 - first_count) * sizeof(int));
    for (int i = 0; i < first_count; i++)
        for (int j = first_count; j < 4; j++)
            if (v[i] == v[j]) return;
    pl_quad at;
    for (int i = 0; i < 4; i++) at.x[i] = place(p->start, v[i]);
    const double way = way_of(p, v, first_count) + way_of(p, v + first_count, 4 - first_count);
    if (pl_quad_distance(&at, is_edges, NULL) > 2.0 * p->reach + way) return;
    if (p->count == p->room) {
        p->room = 2 * p->room + 1024;
        p->found = realloc(p->found, p->room * sizeof *p->found);
        if (!p->found) exit(1);
    }
    memcpy(p->found[p->count], v, sizeof v);
    if (is_edges) p->found[p->count][3] |= EDGES_FLAG;
    p->count++;
}

void pair_problem_compare(pair_problem* p, int first, int second) {
    const int *a = p->triangles + 3 * (size_t)first, *b = p->triangles + 3 * (size_t)second;
    const int of_a = p->features[first], of_b = p->features[second];
    const boxes at_a = boxes_of(p, a), at_b = boxes_of(p, b);
    if (!pl_box_overlaps(at_a.whole, at_b.whole)) return;
    for (int i = 0; i < 3; i++) {
        if ((of_a & (1 << i)) && pl_box_overlaps(at_a.vertices[i], at_b.whole)) add(p, a + i, 1, b);
        if ((of_b & (1 << i)) && pl_box_overlaps(at_b.vertices[i], at_a.whole)) add(p, b + i, 1, a);
    }
    for (int i = 0; i < 3; i++) {
        if (!(of_a & (8 << i)) || !pl_box_overlaps(at_a.edges[i], at_b.whole)) continue;
        for (int j = 0; j < 3; j++) {
            if (!(of_b & (8 << j)) || !pl_box_overlaps(at_a.edges[i], at_b.edges[j])) continue;
            const int e[2] = {a[EDGE[i][0]], a[EDGE[i][1]]}, f[2] = {b[EDGE[j][0]], b[EDGE[j][1]]};
            add(p, e, 2, f);
        }
    }
}

// ------------------------------------------------------------------ measuring

void pair_problem_measure(pair_problem* p, pair_search search, void* user, const char* name,
                          int repeats) {
    double seconds[PEER_MAX_REPEATS];
    for (int k = -1; k < repeats; k++) {
        p->count = 0;
        const double begin = peer_cpu_seconds();
        search(p, user);
        if (k >= 0) seconds[k] = peer_cpu_seconds() - begin;
    }
    uint64_t sum = 0;
    for (size_t k = 0; k < p->count; k++) {
        int v[4];
        memcpy(v, p->found[k], sizeof v);
        const int is_edges = (v[3] & EDGES_FLAG) != 0;
        v[3] &= ~EDGES_FLAG;
        sum += pair_sum(v, is_edges);
    }
    char text[24];
    snprintf(text, sizeof text, "%s", name);
    peer_result(text, peer_median(seconds, repeats));
    snprintf(text, sizeof text, "%s_pairs", name);
    peer_result(text, (double)p->count);
    snprintf(text, sizeof text, "%s_high", name);
    peer_result(text, (double)(sum >> 35));
    snprintf(text, sizeof text, "%s_low", name);
    peer_result(text, (double)(sum & 0x1fffffffu));
}
