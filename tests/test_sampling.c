// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Geodesic distance and furthest point sampling, against methods too slow to be wrong.
#include "base/memory.h"
#include "base/random.h"
#include "mesh/sampling.h"
#include "sample_meshes.h"

#include <pliant/generate.h>
#include <time.h>

// of this process, so that a busy machine fails no test
static double cpu_seconds(void) { return (double)clock() / CLOCKS_PER_SEC; }

typedef struct problem {
    pl_adjacency graph;
    double* lengths;
} problem;

static problem make_problem(const char* name, double edge) {
    pl_generate_options options;
    pl_error error;
    pl_mesh* mesh;
    problem p;
    CHECK_OK(pl_generate_defaults(name, &options, &error), &error);
    options.edge = edge;
    CHECK_OK(pl_generate(name, &options, &mesh, &error), &error);
    p.graph = sample_graph(mesh);
    p.lengths = PL_ALLOC(double, p.graph.offsets[p.graph.count]);
    pl_edge_lengths(&p.graph, mesh->positions, p.lengths);
    pl_mesh_destroy(mesh);
    return p;
}

// the graph twice, side by side
static problem double_problem(problem p) {
    int n = p.graph.count, items = p.graph.offsets[n];
    problem twice = {{2 * n, PL_ALLOC(int, 2 * n + 1), PL_ALLOC(int, 2 * items)},
                     PL_ALLOC(double, 2 * items)};
    for (int v = 0; v <= 2 * n; v++)
        twice.graph.offsets[v] = p.graph.offsets[v % n] + (v / n) * items;
    twice.graph.offsets[n] = items, twice.graph.offsets[2 * n] = 2 * items;
    for (int k = 0; k < 2 * items; k++) {
        twice.graph.items[k] = p.graph.items[k % items] + (k / items) * n;
        twice.lengths[k] = p.lengths[k % items];
    }
    return twice;
}

static void free_problem(problem* p) {
    PL_FREE(p->lengths, double, p->graph.offsets[p->graph.count]);
    pl_adjacency_free(&p->graph);
}

// Bellman and Ford: relax every edge until nothing changes
static void slow_distances(const problem* p, const int* sources, int count, double* distances) {
    for (int v = 0; v < p->graph.count; v++) distances[v] = INFINITY;
    for (int i = 0; i < count; i++) distances[sources[i]] = 0.0;
    for (bool changed = true; changed;) {
        changed = false;
        for (int v = 0; v < p->graph.count; v++)
            for (int k = p->graph.offsets[v]; k < p->graph.offsets[v + 1]; k++) {
                double through = distances[p->graph.items[k]] + p->lengths[k];
                if (through < distances[v]) distances[v] = through, changed = true;
            }
    }
}

TEST(geodesic_equals_bellman_ford)
{
    problem p = make_problem("sphere", 0.15);
    int sources[] = {5, 100, 17, 230, 42};
    double* expected = PL_ALLOC(double, p.graph.count);
    pl_geodesic all, added;
    pl_error error;
    CHECK_OK(pl_geodesic_create(&p.graph, p.lengths, &all, &error), &error);
    CHECK_OK(pl_geodesic_create(&p.graph, p.lengths, &added, &error), &error);
    pl_geodesic_add(&all, sources, 5);
    for (int count = 1; count <= 5; count++) {
        pl_geodesic_add(&added, &sources[count - 1], 1);
        slow_distances(&p, sources, count, expected);
        for (int v = 0; v < p.graph.count; v++) {
            CHECK_NEAR(added.distances[v], expected[v], 1e-14);
            CHECK(added.nearest[v] >= 0 && added.nearest[v] < count);
        }
    }
    // the source that is named is the one at that distance
    for (int s = 0; s < 5; s++) {
        slow_distances(&p, &sources[s], 1, expected);
        for (int v = 0; v < p.graph.count; v++) {
            CHECK_NEAR(all.distances[v], added.distances[v], 0.0);
            if (all.nearest[v] == s) CHECK_NEAR(expected[v], all.distances[v], 1e-14);
        }
    }
    pl_geodesic_free(&all);
    pl_geodesic_free(&added);
    PL_FREE(expected, double, p.graph.count);
    free_problem(&p);
}

TEST(geodesic_with_weights_and_bad_lengths)
{
    // a triangle 0 1 2 whose direct edge 0 - 2 is long
    int offsets[] = {0, 2, 4, 6}, items[] = {1, 2, 0, 2, 0, 1};
    double lengths[] = {1.0, 9.0, 1.0, 2.0, 9.0, 2.0};
    pl_adjacency graph = {3, offsets, items};
    pl_geodesic g;
    pl_error error;
    CHECK_OK(pl_geodesic_create(&graph, lengths, &g, &error), &error);
    pl_geodesic_add(&g, (int[]){0}, 1);
    CHECK_NEAR(g.distances[2], 3.0, 0.0);
    pl_geodesic_free(&g);
    const double bad[] = {-1.0, NAN, INFINITY};
    for (int i = 0; i < 3; i++) {
        lengths[1] = bad[i];
        CHECK_INT(pl_geodesic_create(&graph, lengths, &g, &error), PL_ERROR_MESH);
        CHECK_TEXT(error.text, "from vertex 0 to vertex 2");
    }
}

// the furthest vertex from scratch each time
static void check_against_slow(const problem* p, const pl_samples* samples, int start_count) {
    double* distances = PL_ALLOC(double, p->graph.count);
    for (int i = start_count; i < samples->count; i++) {
        slow_distances(p, samples->vertices, i, distances);
        double furthest = 0.0;
        for (int v = 0; v < p->graph.count; v++)
            if (distances[v] > furthest) furthest = distances[v];
        double ours = distances[samples->vertices[i]];
        CHECK(ours == furthest || fabs(ours - furthest) < 1e-13);
        CHECK(samples->radii[i] == ours || fabs(samples->radii[i] - ours) < 1e-13);
    }
    slow_distances(p, samples->vertices, samples->count, distances);
    for (int v = 0; v < p->graph.count; v++) {
        CHECK_NEAR(samples->distances[v], distances[v], 1e-13);
        CHECK(samples->nearest[v] >= 0 && samples->nearest[v] < samples->count);
    }
    for (int i = 0; i < samples->count; i++) CHECK_INT(samples->nearest[samples->vertices[i]], i);
    PL_FREE(distances, double, p->graph.count);
}

TEST(sampling_is_furthest_and_nested)
{
    const char* names[] = {"sphere", "cloth_irregular", "torus"};
    const double edges[] = {0.2, 0.06, 0.25};
    for (int i = 0; i < 3; i++) {
        problem p = make_problem(names[i], edges[i]);
        pl_samples fine, coarse;
        pl_error error;
        int starts[] = {7, 3};
        CHECK_OK(pl_sample_furthest(&p.graph, p.lengths, starts, 2, 40, &fine, &error), &error);
        CHECK_OK(pl_sample_furthest(&p.graph, p.lengths, starts, 2, 12, &coarse, &error), &error);
        CHECK_INT(fine.count, 40);
        CHECK(memcmp(fine.vertices, coarse.vertices, 12 * sizeof(int)) == 0);
        CHECK(fine.vertices[0] == 7 && fine.vertices[1] == 3);
        for (int k = 3; k < 40; k++) CHECK(fine.radii[k] <= fine.radii[k - 1] || k == 2);
        check_against_slow(&p, &fine, 2);
        pl_samples_free(&fine);
        pl_samples_free(&coarse);
        free_problem(&p);
    }
}

TEST(sampling_gives_every_part_a_sample)
{
    problem one = make_problem("sphere", 0.25), p = double_problem(one);
    pl_samples samples;
    pl_error error;
    CHECK_OK(pl_sample_furthest(&p.graph, p.lengths, NULL, 0, 1, &samples, &error), &error);
    CHECK_INT(samples.count, 2);
    CHECK(samples.vertices[0] == 0 && samples.vertices[1] == one.graph.count);
    CHECK(isinf(samples.radii[1]));
    for (int v = 0; v < p.graph.count; v++) CHECK_INT(samples.nearest[v], v >= one.graph.count);
    pl_samples_free(&samples);
    CHECK_OK(pl_sample_furthest(&p.graph, p.lengths, NULL, 0, 20, &samples, &error), &error);
    CHECK_INT(samples.count, 20);
    check_against_slow(&p, &samples, 1);
    pl_samples_free(&samples);
    free_problem(&p);
    free_problem(&one);
}

TEST(sampling_of_all_vertices_and_of_coincident_ones)
{
    problem p = make_problem("cloth", 0.3);
    pl_samples samples;
    pl_error error;
    int n = p.graph.count;
    for (int round = 0; round < 2; round++) {
        CHECK_OK(pl_sample_furthest(&p.graph, p.lengths, NULL, 0, n, &samples, &error), &error);
        CHECK_INT(samples.count, n);
        unsigned char* seen = PL_ALLOC(unsigned char, n);
        for (int i = 0; i < n; i++) CHECK(seen[samples.vertices[i]]++ == 0);
        PL_FREE(seen, unsigned char, n);
        pl_samples_free(&samples);
        // once more with all vertices in one place
        for (int k = 0; k < p.graph.offsets[n]; k++) p.lengths[k] = 0.0;
    }
    free_problem(&p);
}

TEST(sampling_refuses_bad_arguments)
{
    problem p = make_problem("cloth", 0.3);
    pl_samples samples;
    pl_error error;
    int n = p.graph.count, twice[] = {1, 1}, outside[] = {n};
    CHECK_INT(pl_sample_furthest(&p.graph, p.lengths, NULL, 0, 0, &samples, &error),
              PL_ERROR_ARGUMENT);
    CHECK_INT(pl_sample_furthest(&p.graph, p.lengths, NULL, 0, n + 1, &samples, &error),
              PL_ERROR_ARGUMENT);
    CHECK_INT(pl_sample_furthest(&p.graph, p.lengths, twice, 2, 3, &samples, &error),
              PL_ERROR_ARGUMENT);
    CHECK_TEXT(error.text, "given twice");
    CHECK_INT(pl_sample_furthest(&p.graph, p.lengths, outside, 1, 3, &samples, &error),
              PL_ERROR_ARGUMENT);
    free_problem(&p);
}

LONG_TEST(sampling_a_thousand_of_two_hundred_thousand)
{
    problem p = make_problem("sphere", 0.0162);
    CHECK(p.graph.count > 180000);
    pl_samples samples;
    pl_error error;
    double start = cpu_seconds();
    CHECK_OK(pl_sample_furthest(&p.graph, p.lengths, NULL, 0, 1000, &samples, &error), &error);
    double seconds = cpu_seconds() - start;
    printf("  1000 samples of %d vertices: %.3f s\n", p.graph.count, seconds);
    CHECK_INT(samples.count, 1000);
    pl_samples_free(&samples);
    free_problem(&p);
}

TEST(sampling_survives_every_failing_allocation)
{
    problem p = make_problem("cloth", 0.2);
    pl_samples samples;
    pl_error error;
    size_t before = pl_byte_count();
    for (int64_t nth = 1;; nth++) {
        pl_inject_failure(nth);
        pl_status status = pl_sample_furthest(&p.graph, p.lengths, NULL, 0, 20, &samples, &error);
        pl_inject_failure(0);
        if (status == PL_OK) break;
        CHECK_INT(status, PL_ERROR_MEMORY);
        CHECK_INT(pl_byte_count(), before);
    }
    pl_samples_free(&samples);
    free_problem(&p);
}

// What sampling leaves at its stops is what a search from that many samples finds.
TEST(sampling_stops_hold_the_nearest_of_so_many_samples)
{
    enum { STOPS = 3 };
    problem p = make_problem("sphere", 0.12), twice = double_problem(p);
    const int counts[STOPS] = {1, 7, 20};
    int* nearest[STOPS];
    pl_samples samples;
    pl_geodesic g;
    pl_error error;
    for (int k = 0; k < STOPS; k++) nearest[k] = PL_ALLOC(int, twice.graph.count);
    CHECK_OK(pl_sample_with_stops(&twice.graph, twice.lengths, NULL, 0, 40,
                                  &(pl_sample_stops){STOPS, counts, nearest}, &samples, &error),
             &error);
    for (int k = 0; k < STOPS; k++) {
        CHECK_OK(pl_geodesic_create(&twice.graph, twice.lengths, &g, &error), &error);
        pl_geodesic_add(&g, samples.vertices, counts[k]);
        for (int v = 0; v < twice.graph.count; v++) CHECK_INT(nearest[k][v], g.nearest[v]);
        pl_geodesic_free(&g);
        PL_FREE(nearest[k], int, twice.graph.count);
    }
    pl_samples_free(&samples);
    free_problem(&twice);
    free_problem(&p);
}
