// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "base/array.h"
#include "base/memory.h"
#include "base/random.h"
#include "mesh/check.h"
#include "mesh/close_vertices.h"
#include "mesh/components.h"
#include "mesh/disjoint_sets.h"
#include "mesh/quality.h"
#include "read_checks.h"
#include "sample_meshes.h"

#include <pliant/parallel.h>
#include <stdlib.h>

static pl_mesh_report report_of(const pl_mesh* mesh) {
    pl_mesh_report report;
    pl_error error;
    CHECK_OK(pl_mesh_check(mesh, NULL, NULL, &report, &error), &error);
    return report;
}

// exactly these defects and no others; kinds end with PL_DEFECT_COUNT
static void check_only(const pl_mesh_report* report, const pl_defect_kind* kinds) {
    for (int kind = 0; kind < PL_DEFECT_COUNT; kind++) {
        bool wanted = false;
        for (int i = 0; kinds[i] != PL_DEFECT_COUNT; i++) wanted |= (int)kinds[i] == kind;
        if (wanted != (report->defects[kind].count > 0))
            pl_test_fail(__FILE__, __LINE__, "%lld %s", (long long)report->defects[kind].count,
                         pl_defect_text((pl_defect_kind)kind));
    }
}
#define CHECK_ONLY(report, ...)                                                                    \
    check_only(&(report), (pl_defect_kind[]){__VA_ARGS__, PL_DEFECT_COUNT})
#define CHECK_SOUND(report) check_only(&(report), (pl_defect_kind[]){PL_DEFECT_COUNT})
#define CHECK_DEFECT(report, kind, n, a, b)                                                        \
    do {                                                                                           \
        CHECK_INT((report).defects[kind].count, n);                                                \
        CHECK_INT((report).defects[kind].first, a);                                                \
        CHECK_INT((report).defects[kind].other, b);                                                \
    } while (0)

TEST(check_a_sound_box)
{
    pl_mesh* box = sample_box(3, 2, 2);
    pl_mesh_report r = report_of(box);
    CHECK_SOUND(r);
    CHECK_NEAR(r.quality.volume, 12.0, 1e-12);
    CHECK_NEAR(r.quality.area, 32.0, 1e-12);
    CHECK_NEAR(r.enclosed_volume, 12.0, 1e-12);
    CHECK(r.high[0] == 3.0 && r.low[1] == 0.0);
    // Kuhn's tets: edges 1, sqrt 2, sqrt 3; angles 45 to 90 degrees
    CHECK_NEAR(r.quality.edge_min, 1.0, 0.0);
    CHECK_NEAR(r.quality.edge_max, sqrt(3.0), 1e-15);
    CHECK_NEAR(r.quality.angle_min, 45.0, 1e-9);
    CHECK_NEAR(r.quality.angle_max, 90.0, 1e-9);
    CHECK_INT(r.component_count, 1);
    CHECK_INT(r.surface_triangle_count, 64);
    CHECK_INT(r.surface_vertex_count, 34);
    CHECK(r.surface_closed && r.surface_manifold && r.genus == 0 && r.hole_count == 0);
    pl_mesh_destroy(box);
}

TEST(check_quality_of_known_shapes)
{
    pl_vec3 regular[4] = {{1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}};
    CHECK_NEAR(pl_tet_radius_ratio(regular), 1.0, 1e-14);
    // the corner of a cube: r = (3 - sqrt 3) / 6, R = sqrt 3 / 2
    pl_vec3 corner[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    CHECK_NEAR(pl_tet_radius_ratio(corner), (3.0 - sqrt(3.0)) / sqrt(3.0), 1e-14);
    pl_vec3 flat[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}};
    CHECK_NEAR(pl_tet_radius_ratio(flat), 0.0, 0.0);
    pl_vec3 even[3] = {{0, 0, 0}, {1, 0, 0}, {0.5, sqrt(0.75), 0}};
    CHECK_NEAR(pl_triangle_radius_ratio(even), 1.0, 1e-14);
    // 3-4-5: r = 1, R = 5 / 2
    pl_vec3 right[3] = {{0, 0, 7}, {3, 0, 7}, {0, 4, 7}};
    CHECK_NEAR(pl_triangle_radius_ratio(right), 0.8, 1e-14);
}

TEST(check_quantiles_against_sorting)
{
    double values[1000], sorted[1000];
    pl_random random = {2};
    for (int count = 1; count <= 1000; count = count * 3 / 2 + 1) {
        for (int i = 0; i < count; i++) // with repetitions
            values[i] = sorted[i] = pl_random_int(&random, count);
        qsort(sorted, (size_t)count, sizeof(double), pl_compare_doubles);
        double fractions[] = {0.0, 0.01, 0.37, 0.5, 1.0};
        for (int k = 0; k < 5; k++) {
            double place = fractions[k] * (count - 1);
            int low = (int)place, high = low + (low + 1 < count);
            double expected = sorted[low] + (place - low) * (sorted[high] - sorted[low]);
            CHECK_NEAR(pl_quantile(values, count, fractions[k]), expected, 1e-12);
        }
    }
    CHECK(isnan(pl_quantile(values, 0, 0.5)));
}

TEST(check_finds_bad_tets)
{
    pl_mesh* box = sample_box(2, 1, 1);
    int* tet = box->tets + 4 * 5;
    int swapped = tet[0];
    tet[0] = tet[1], tet[1] = swapped;
    pl_mesh_report r = report_of(box);
    CHECK_ONLY(r, PL_DEFECT_INVERTED_TETS);
    CHECK_DEFECT(r, PL_DEFECT_INVERTED_TETS, 1, 5, -1);
    CHECK_NEAR(r.quality.volume, 2.0, 1e-12);
    tet[1] = tet[0]; // names a vertex twice
    r = report_of(box);
    CHECK_DEFECT(r, PL_DEFECT_FLAT_TETS, 1, 5, -1);
    CHECK_INT(r.defects[PL_DEFECT_INVERTED_TETS].count, 0);
    memcpy(tet, box->tets + 4 * 2, 4 * sizeof(int)); // the same as another
    swapped = tet[0];
    tet[0] = tet[3], tet[3] = swapped;
    r = report_of(box);
    CHECK_DEFECT(r, PL_DEFECT_EQUAL_TETS, 1, 2, 5);
    CHECK(r.defects[PL_DEFECT_CROWDED_FACES].count > 0);
    pl_mesh_destroy(box);
    // flat by rounding only
    double positions[] = {0.1, 0.1, 0.3, 1.1, 0.2, 0.4, 0.3, 1.7, 0.9, 0.7, 0.95, 0.0};
    for (int k = 0; k < 3; k++)
        positions[9 + k] = positions[k] + 0.3 * (positions[3 + k] - positions[k]) +
                           0.5 * (positions[6 + k] - positions[k]);
    pl_mesh* flat = sample_mesh(positions, 4, (int[]){0, 1, 2, 3}, 1, NULL, 0);
    r = report_of(flat);
    CHECK_DEFECT(r, PL_DEFECT_FLAT_TETS, 1, 0, -1);
    pl_mesh_destroy(flat);
}

TEST(check_finds_bad_vertices)
{
    pl_mesh* box = sample_box(2, 2, 2);
    pl_mesh* loose = sample_mesh((double[]){9, 9, 9, 1e-10, 0, 0, 2, 2, 2}, 3, NULL, 0, NULL, 0);
    pl_mesh* mesh = sample_join(box, loose, 0.0);
    pl_mesh_report r = report_of(mesh);
    CHECK_ONLY(r, PL_DEFECT_UNUSED_VERTICES, PL_DEFECT_EQUAL_VERTICES, PL_DEFECT_CLOSE_VERTICES);
    CHECK_DEFECT(r, PL_DEFECT_UNUSED_VERTICES, 3, 27, -1);
    CHECK_DEFECT(r, PL_DEFECT_CLOSE_VERTICES, 1, 0, 28);
    CHECK_DEFECT(r, PL_DEFECT_EQUAL_VERTICES, 1, 26, 29);
    CHECK(r.high[0] == 2.0); // vertices in use only
    mesh->positions[3 * 4 + 1] = NAN;
    mesh->positions[3 * 6 + 1] = -INFINITY;
    r = report_of(mesh);
    CHECK_DEFECT(r, PL_DEFECT_NON_FINITE, 2, 4, -1);
    CHECK(isfinite(r.quality.volume) && isfinite(r.quality.radius_ratio_min));
    pl_mesh_destroy(mesh);
    pl_mesh_destroy(loose);
    pl_mesh_destroy(box);
}

TEST(check_close_vertices_against_brute_force)
{
    enum { COUNT = 1500 };
    double* positions = malloc(3 * COUNT * sizeof(double));
    int first[COUNT];
    pl_random random = {4};
    for (int i = 0; i < 3 * COUNT; i++) positions[i] = pl_random_int(&random, 40) * 0.25 - 3.0;
    positions[3] = -0.0, positions[4] = 0.0, positions[5] = 0.0;
    positions[6] = 0.0, positions[7] = -0.0, positions[8] = 0.0; // one place, other bits
    double tolerances[] = {0.0, 0.1, 0.25, 0.3, 1.0};
    for (int k = 0; k < 5; k++) {
        pl_error error;
        CHECK_OK(pl_first_of_close_vertices(positions, COUNT, tolerances[k], first, &error),
                 &error);
        for (int v = 0; v < COUNT; v++) {
            int expected = v;
            for (int w = 0; w < v && expected == v; w++)
                if (first[w] == w && pl_distance(pl_vec3_load(positions + 3 * v),
                                                 pl_vec3_load(positions + 3 * w)) <= tolerances[k])
                    expected = w;
            CHECK_INT(first[v], expected);
        }
    }
    free(positions);
}

TEST(check_closed_and_open_sphere)
{
    pl_mesh* sphere = sample_sphere(2);
    pl_mesh_report r = report_of(sphere);
    CHECK_SOUND(r);
    CHECK(r.surface_closed && r.genus == 0 && r.enclosed_volume > 3.5);
    CHECK_NEAR(r.quality.volume, 0.0, 0.0);
    sphere->triangle_count -= 1;
    r = report_of(sphere);
    sphere->triangle_count += 1;
    CHECK_ONLY(r, PL_DEFECT_OPEN_EDGES);
    CHECK_INT(r.defects[PL_DEFECT_OPEN_EDGES].count, 3);
    CHECK(r.hole_count == 1 && !r.surface_closed && r.genus == -1);
    pl_mesh_destroy(sphere);
}

TEST(check_counts_holes)
{
    pl_mesh* sheet = sample_sheet(7, 7);
    pl_mesh_report r = report_of(sheet);
    CHECK_ONLY(r, PL_DEFECT_OPEN_EDGES);
    CHECK_DEFECT(r, PL_DEFECT_OPEN_EDGES, 28, 0, 1);
    CHECK_INT(r.hole_count, 1);
    CHECK(!r.surface_closed && r.surface_manifold && isnan(r.enclosed_volume));
    // take out quad 1,1 and quad 2,2, which touch in a vertex, and quad 5,5: a vertex with two fans
    int kept = 0;
    for (int t = 0; t < sheet->triangle_count; t++) {
        int quad = t / 2;
        if (quad == 8 || quad == 16 || quad == 40) continue;
        memmove(sheet->triangles + 3 * kept++, sheet->triangles + 3 * t, 3 * sizeof(int));
    }
    int count = sheet->triangle_count;
    sheet->triangle_count = kept;
    r = report_of(sheet);
    sheet->triangle_count = count;
    CHECK_ONLY(r, PL_DEFECT_OPEN_EDGES, PL_DEFECT_NON_MANIFOLD_VERTICES);
    CHECK_DEFECT(r, PL_DEFECT_NON_MANIFOLD_VERTICES, 1, 2 * 8 + 2, -1);
    CHECK_INT(r.defects[PL_DEFECT_OPEN_EDGES].count, 28 + 12);
    // the outer rim, the one that passes the common vertex of two quads twice, and the third quad's
    CHECK_INT(r.hole_count, 3);
    pl_mesh_destroy(sheet);
}

TEST(check_finds_non_manifold_surfaces)
{
    // three triangles on one edge
    double positions[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, -1, 0, 0, 0, 1};
    int book[] = {0, 1, 2, 1, 0, 3, 0, 1, 4};
    pl_mesh* mesh = sample_mesh(positions, 5, NULL, 0, book, 3);
    pl_mesh_report r = report_of(mesh);
    CHECK_ONLY(r, PL_DEFECT_NON_MANIFOLD_EDGES, PL_DEFECT_OPEN_EDGES);
    CHECK_DEFECT(r, PL_DEFECT_NON_MANIFOLD_EDGES, 1, 0, 1);
    CHECK(!r.surface_manifold);
    pl_mesh_destroy(mesh);
    // two tets that meet in a vertex: closed, but one vertex has two fans
    double two[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, -1, 0, 0, 0, -1, 0, 0, 0, -1};
    int tets[] = {0, 1, 2, 3, 0, 5, 4, 6};
    mesh = sample_mesh(two, 7, tets, 2, NULL, 0);
    r = report_of(mesh);
    CHECK_ONLY(r, PL_DEFECT_NON_MANIFOLD_VERTICES);
    CHECK_DEFECT(r, PL_DEFECT_NON_MANIFOLD_VERTICES, 1, 0, -1);
    CHECK(r.surface_closed && r.surface_component_count == 2 && r.component_count == 1);
    pl_mesh_destroy(mesh);
}

TEST(check_finds_duplicate_and_degenerate_triangles)
{
    pl_mesh* sheet = sample_sheet(2, 1);
    int* t = sheet->triangles;
    t[3 * 3] = t[3 * 2 + 1], t[3 * 3 + 1] = t[3 * 2], t[3 * 3 + 2] = t[3 * 2 + 2];
    pl_mesh_report r = report_of(sheet);
    CHECK_DEFECT(r, PL_DEFECT_EQUAL_TRIANGLES, 1, 2, 3);
    CHECK_DEFECT(r, PL_DEFECT_INTERSECTIONS, 1, 2, 3);
    t[3 * 3] = 0, t[3 * 3 + 1] = 1, t[3 * 3 + 2] = 2; // on a line
    r = report_of(sheet);
    CHECK_DEFECT(r, PL_DEFECT_FLAT_TRIANGLES, 1, 3, -1);
    t[3 * 3] = t[3 * 3 + 1] = 0; // a vertex twice
    r = report_of(sheet);
    CHECK_DEFECT(r, PL_DEFECT_FLAT_TRIANGLES, 1, 3, -1);
    pl_mesh_destroy(sheet);
}

static void turn_all(pl_mesh* mesh, int from, int to) {
    for (int t = from; t < to; t++) {
        int swapped = mesh->triangles[3 * t];
        mesh->triangles[3 * t] = mesh->triangles[3 * t + 1];
        mesh->triangles[3 * t + 1] = swapped;
    }
}

static void scale_vertices(pl_mesh* mesh, int from, int to, double s) {
    for (int i = 3 * from; i < 3 * to; i++) mesh->positions[i] *= s;
}

TEST(check_finds_wrong_winding)
{
    pl_mesh* sphere = sample_sphere(2);
    int n = sphere->triangle_count;
    turn_all(sphere, 7, 8);
    pl_mesh_report r = report_of(sphere);
    CHECK_ONLY(r, PL_DEFECT_UNEVEN_EDGES);
    CHECK_INT(r.defects[PL_DEFECT_UNEVEN_EDGES].count, 3);
    turn_all(sphere, 7, 8);
    turn_all(sphere, 0, n);
    r = report_of(sphere);
    CHECK_ONLY(r, PL_DEFECT_INSIDE_OUT);
    CHECK_DEFECT(r, PL_DEFECT_INSIDE_OUT, 1, 0, -1);
    CHECK(r.enclosed_volume < 0.0);

    // a hollow ball: the inner sphere must look inward, and is right as it is
    turn_all(sphere, 0, n);
    pl_mesh* ball = sample_join(sphere, sphere, 0.0);
    scale_vertices(ball, sphere->vertex_count, ball->vertex_count, 0.5);
    turn_all(ball, n, 2 * n);
    r = report_of(ball);
    CHECK_SOUND(r);
    CHECK_INT(r.component_count, 2);
    // the whole of it inside out
    turn_all(ball, 0, 2 * n);
    r = report_of(ball);
    CHECK_DEFECT(r, PL_DEFECT_INSIDE_OUT, 2, 0, -1);
    pl_mesh_destroy(ball);

    // side by side, one inside out
    ball = sample_join(sphere, sphere, 3.0);
    turn_all(ball, n, 2 * n);
    r = report_of(ball);
    CHECK_DEFECT(r, PL_DEFECT_INSIDE_OUT, 1, n, -1);
    pl_mesh_destroy(ball);
    pl_mesh_destroy(sphere);
}

// triangles that share vertices, in random places
static pl_mesh* random_soup(int vertex_count, int triangle_count, uint64_t seed) {
    double* positions = malloc(3 * sizeof(double) * (size_t)vertex_count);
    int* triangles = malloc(3 * sizeof(int) * (size_t)triangle_count);
    pl_random random = {seed};
    for (int i = 0; i < 3 * vertex_count; i++) positions[i] = pl_random_uniform(&random, 0.0, 1.0);
    for (int t = 0; t < triangle_count; t++) {
        int* v = triangles + 3 * t;
        do
            for (int k = 0; k < 3; k++) v[k] = pl_random_int(&random, vertex_count);
        while (v[0] == v[1] || v[1] == v[2] || v[2] == v[0]);
    }
    pl_mesh* mesh = sample_mesh(positions, vertex_count, NULL, 0, triangles, triangle_count);
    free(positions);
    free(triangles);
    return mesh;
}

// In general position two triangles intersect if and only if an edge passes through the other's
// inside; edges that share a vertex with the other triangle do so only at that vertex.
static bool edge_pierces(const pl_mesh* m, int a, int b, const int* t) {
    if (a == t[0] || a == t[1] || a == t[2] || b == t[0] || b == t[1] || b == t[2]) return false;
    pl_vec3 p = pl_vec3_load(m->positions + 3 * a), q = pl_vec3_load(m->positions + 3 * b), v[3];
    for (int k = 0; k < 3; k++) v[k] = pl_vec3_load(m->positions + 3 * t[k]);
    double sp = pl_det4(v[0], v[1], v[2], p), sq = pl_det4(v[0], v[1], v[2], q);
    if (sp * sq > 0.0) return false;
    pl_vec3 x = pl_lerp(p, q, sp / (sp - sq)), n = pl_cross(pl_sub(v[1], v[0]), pl_sub(v[2], v[0]));
    for (int k = 0; k < 3; k++)
        if (pl_dot(n, pl_cross(pl_sub(v[(k + 1) % 3], v[k]), pl_sub(x, v[k]))) < 0.0) return false;
    return true;
}

static int brute_force_intersections(const pl_mesh* m) {
    int count = 0;
    for (int i = 0; i < m->triangle_count; i++)
        for (int j = i + 1; j < m->triangle_count; j++) {
            const int *s = m->triangles + 3 * i, *t = m->triangles + 3 * j;
            bool meet = true; // if it is the same triangle
            for (int k = 0; k < 3; k++) meet &= s[k] == t[0] || s[k] == t[1] || s[k] == t[2];
            for (int k = 0; k < 3 && !meet; k++)
                meet = edge_pierces(m, s[k], s[(k + 1) % 3], t) ||
                       edge_pierces(m, t[k], t[(k + 1) % 3], s);
            count += meet;
        }
    return count;
}

TEST(check_self_intersections_against_brute_force)
{
    for (uint64_t seed = 1; seed <= 3; seed++) {
        pl_mesh* soup = random_soup(90, 220, seed);
        int expected = brute_force_intersections(soup);
        CHECK(expected > 100);
        CHECK_INT(report_of(soup).defects[PL_DEFECT_INTERSECTIONS].count, expected);
        pl_mesh_destroy(soup);
    }
}

TEST(check_intersections_beyond_what_is_shared)
{
    double p[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, -1, 0, 0, 0.5, 0.5, 1, 0.5, 0.5, -1, 0.2, 0.2, 0};
    struct {
        int triangles[6];
        int expected;
    } cases[] = {
        {{0, 1, 2, 0, 3, 5}, 0}, // a vertex in common, nothing else
        {{0, 1, 2, 0, 4, 5}, 1}, // the edge opposite to it touches the other's edge
        {{0, 1, 2, 0, 2, 3}, 0}, // an edge in common, in one plane, side by side
        {{0, 1, 2, 0, 1, 6}, 1}, // the same, one upon the other
        {{0, 1, 2, 2, 1, 0}, 1}, // the same triangle
        {{0, 1, 2, 0, 1, 4}, 0}, // an edge in common, at an angle
        {{0, 1, 2, 3, 6, 4}, 1}, // no vertex in common; a corner inside the other
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        pl_mesh* mesh = sample_mesh(p, 7, NULL, 0, cases[i].triangles, 2);
        pl_mesh_report r = report_of(mesh);
        CHECK_INT(r.defects[PL_DEFECT_INTERSECTIONS].count, cases[i].expected);
        pl_mesh_destroy(mesh);
    }
}

TEST(check_intersections_stop_at_their_limit)
{
    pl_mesh* soup = random_soup(90, 220, 9);
    pl_mesh_report r;
    pl_error error;
    pl_mesh_check_options few = {.intersection_limit = 100}, skip = {.skip_intersections = true};
    CHECK_OK(pl_mesh_check(soup, &few, NULL, &r, &error), &error);
    CHECK(!r.intersections_complete && r.defects[PL_DEFECT_INTERSECTIONS].count <= 100);
    CHECK_OK(pl_mesh_check(soup, &skip, NULL, &r, &error), &error);
    CHECK(!r.intersections_complete && r.defects[PL_DEFECT_INTERSECTIONS].count == 0);
    pl_mesh_check_options wrong = {.tolerance = NAN};
    CHECK_INT(pl_mesh_check(soup, &wrong, NULL, &r, &error), PL_ERROR_ARGUMENT);
    pl_mesh_destroy(soup);
}

TEST(check_is_the_same_on_four_threads)
{
    pl_mesh* soup = random_soup(4000, 8000, 1);
    for (int i = 0; i < 3 * soup->vertex_count; i++) soup->positions[i] *= 100.0;
    pl_pool* pool;
    pl_mesh_report one, four;
    pl_error error;
    memset(&one, 0, sizeof one);
    memset(&four, 0, sizeof four);
    CHECK_OK(pl_pool_create(4, &pool, &error), &error);
    pl_mesh_check_options options = {.intersection_limit = 300000};
    CHECK_OK(pl_mesh_check(soup, &options, NULL, &one, &error), &error);
    CHECK_OK(pl_mesh_check(soup, &options, pool, &four, &error), &error);
    CHECK(memcmp(&one.quality, &four.quality, sizeof one.quality) == 0);
    CHECK(one.defects[PL_DEFECT_INTERSECTIONS].count > 1000);
    for (int i = 0; i < PL_DEFECT_COUNT; i++)
        CHECK(one.defects[i].count == four.defects[i].count &&
              one.defects[i].first == four.defects[i].first &&
              one.defects[i].other == four.defects[i].other);
    pl_pool_destroy(pool);
    pl_mesh_destroy(soup);
}

TEST(check_of_nothing_and_of_points)
{
    pl_mesh empty = {0};
    pl_mesh_report r = report_of(&empty);
    CHECK_SOUND(r);
    CHECK(isnan(r.low[0]) && isnan(r.quality.radius_ratio_min) && r.quality.worst_element == -1);
    pl_mesh* points = sample_mesh((double[]){0, 0, 0, 1, 1, 1}, 2, NULL, 0, NULL, 0);
    r = report_of(points);
    CHECK_ONLY(r, PL_DEFECT_UNUSED_VERTICES);
    pl_mesh_destroy(points);
}

TEST(check_survives_every_failing_allocation)
{
    pl_mesh *sphere = sample_sphere(1), *box = sample_box(1, 1, 1);
    pl_mesh *two = sample_join(sphere, sphere, 3.0), *meshes[] = {two, box};
    size_t before = pl_byte_count();
    for (int m = 0; m < 2; m++) {
        int64_t nth = 1;
        for (;; nth++) {
            pl_mesh_report report;
            pl_error error;
            pl_inject_failure(nth);
            pl_status status = pl_mesh_check(meshes[m], NULL, NULL, &report, &error);
            pl_inject_failure(0);
            CHECK_INT(pl_byte_count(), before);
            if (status == PL_OK) break;
            CHECK_INT(status, PL_ERROR_MEMORY);
        }
        CHECK(nth > 25);
    }
    pl_mesh_destroy(two);
    pl_mesh_destroy(box);
    pl_mesh_destroy(sphere);
}

// A vertex of its own for every fan of triangles joined across regular edges: what makes an indexed
// surface a manifold for libraries that know no other.
static pl_mesh* split_fans(const pl_mesh* mesh) {
    int sides_count = 3 * mesh->triangle_count, vertex_count = 0;
    int* neighbours = malloc((size_t)sides_count * sizeof(int));
    int *fan = malloc((size_t)sides_count * sizeof(int)),
        *number = malloc((size_t)sides_count * sizeof(int));
    double* positions = malloc((size_t)sides_count * 3 * sizeof(double));
    pl_side_groups sides;
    pl_error error;
    CHECK_OK(pl_side_groups_create(mesh->triangles, mesh->triangle_count, 3, mesh->vertex_count,
                                   &sides, &error),
             &error);
    pl_side_neighbours(&sides, neighbours);
    pl_side_groups_free(&sides);
    for (int i = 0; i < sides_count; i++) fan[i] = i, number[i] = -1;
    for (int side = 0; side < sides_count; side++) {
        int across = neighbours[side];
        for (int i = 1; across >= 0 && i < 3; i++)
            for (int j = 1; j < 3; j++) {
                int a = side / 3 * 3 + (side + i) % 3, b = across / 3 * 3 + (across + j) % 3;
                if (mesh->triangles[a] == mesh->triangles[b]) pl_set_join(fan, a, b);
            }
    }
    for (int i = 0; i < sides_count; i++) {
        int root = pl_set_root(fan, i);
        if (number[root] < 0) {
            memcpy(positions + 3 * vertex_count, mesh->positions + 3 * mesh->triangles[i],
                   3 * sizeof(double));
            number[root] = vertex_count++;
        }
        neighbours[i] = number[root]; // no longer needed: now the triangles
    }
    pl_mesh* split =
        sample_mesh(positions, vertex_count, NULL, 0, neighbours, mesh->triangle_count);
    free(neighbours);
    free(fan);
    free(number);
    free(positions);
    return split;
}

// The numbers that CGAL 5.5 found in these files. As it wants manifolds, duplicate faces were
// dropped and vertices that join two fans split before; the fans then touch one another there, and
// that counts.
static void compare_with_cgal(const char* name, int64_t expected) {
    pl_mesh* mesh = pl_test_read_file(pl_test_data(name), NULL);
    pl_error error;
    CHECK_OK(pl_mesh_repair(mesh, NULL, NULL, &error), &error);
    pl_mesh* split = split_fans(mesh);
    CHECK_INT(report_of(split).defects[PL_DEFECT_INTERSECTIONS].count, expected);
    pl_mesh_destroy(split);
    pl_mesh_destroy(mesh);
}

REAL_MESH_TEST(check_intersections_of_dragon_as_cgal)
{ compare_with_cgal("surfaces/dragon_50k.obj.gz", 27); }
REAL_MESH_TEST(check_intersections_of_octopus_as_cgal)
{ compare_with_cgal("surfaces/octopus_5k.obj", 503); }
REAL_MESH_TEST(check_intersections_of_cow_as_cgal)
{ compare_with_cgal("surfaces/cow_3k.obj", 101); }
REAL_MESH_TEST(check_intersections_of_asian_dragon_as_cgal)
{ compare_with_cgal("surfaces/asian_dragon_25k.obj.gz", 43); }
