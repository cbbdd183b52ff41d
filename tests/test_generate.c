// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "base/array.h"
#include "base/memory.h"
#include "mesh/quality.h"
#include "mesh/surface_edges.h"
#include "sample_meshes.h"
#include "tet_checks.h"

#include <pliant/generate.h>
#include <stdlib.h>

static const double pi = 3.14159265358979323846;

static pl_vec3 corner(const pl_mesh* mesh, const int* element, int i) {
    return pl_vec3_load(mesh->positions + 3 * (size_t)element[i]);
}

static double triangle_area(pl_vec3 a, pl_vec3 b, pl_vec3 c) {
    return 0.5 * pl_norm(pl_cross(pl_sub(b, a), pl_sub(c, a)));
}

static double tet_volume(const pl_mesh* mesh, int t) {
    pl_vec3 p[4];
    pl_load_corners(mesh->positions, mesh->tets + 4 * (size_t)t, 4, p);
    return pl_det4(p[0], p[1], p[2], p[3]) / 6.0;
}

// 1 for a regular tet or triangle, 0 for a flat one
static double radius_ratio(const pl_mesh* mesh, int element) {
    pl_vec3 p[4];
    if (mesh->tet_count == 0) {
        pl_load_corners(mesh->positions, mesh->triangles + 3 * (size_t)element, 3, p);
        return pl_triangle_radius_ratio(p);
    }
    pl_load_corners(mesh->positions, mesh->tets + 4 * (size_t)element, 4, p);
    return pl_tet_radius_ratio(p);
}

static pl_mesh* generate(const char* name, const char* key, double value) {
    pl_generate_options options;
    pl_error error;
    pl_mesh* mesh;
    CHECK_OK(pl_generate_defaults(name, &options, &error), &error);
    if (key) CHECK_OK(pl_generate_set_number(name, &options, key, value, &error), &error);
    CHECK_OK(pl_generate(name, &options, &mesh, &error), &error);
    return mesh;
}

static double mesh_volume(const pl_mesh* mesh) {
    double volume = 0.0;
    for (int t = 0; t < mesh->tet_count; t++) volume += tet_volume(mesh, t);
    return volume;
}

static void check_quality(const char* name, const pl_mesh* mesh, double least, double median) {
    int count = mesh->tet_count ? mesh->tet_count : mesh->triangle_count;
    double* ratios = PL_ALLOC(double, count);
    for (int t = 0; t < count; t++) ratios[t] = radius_ratio(mesh, t);
    qsort(ratios, (size_t)count, sizeof(double), pl_compare_doubles);
    double found_least = ratios[0], found_median = ratios[count / 2];
    PL_FREE(ratios, double, count);
    if (found_least < least || found_median < median)
        pl_test_fail(__FILE__, __LINE__, "%s: radius ratio at least %.3f, median %.3f", name,
                     found_least, found_median);
}

static double mean_edge(const pl_mesh* mesh) {
    pl_edges edges = sample_edges(mesh);
    double sum = 0.0;
    for (int e = 0; e < edges.count; e++)
        sum += pl_distance(corner(mesh, edges.ends, 2 * e), corner(mesh, edges.ends, 2 * e + 1));
    double mean = sum / edges.count;
    pl_edges_free(&edges);
    return mean;
}

static void check_closed(const pl_mesh* mesh) {
    pl_error error;
    pl_surface_edges edges;
    CHECK_OK(pl_surface_edges_count(mesh->positions, mesh->vertex_count, mesh->triangles,
                                    mesh->triangle_count, &edges, &error),
             &error);
    CHECK_INT(edges.manifold_count, edges.edge_count);
}

static double enclosed_volume(const pl_mesh* mesh) {
    double volume = 0.0;
    for (int t = 0; t < mesh->triangle_count; t++) {
        const int* triangle = mesh->triangles + 3 * (size_t)t;
        volume += pl_dot(corner(mesh, triangle, 0),
                         pl_cross(corner(mesh, triangle, 1), corner(mesh, triangle, 2))) /
                  6.0;
    }
    return volume;
}

// the triangles are the boundary of the tets, outward: as many, closed, and of the same volume
static void check_solid(const char* name, const pl_mesh* mesh, int euler) {
    tet_quality quality = check_tets(mesh);
    if (mesh->triangle_count != quality.boundary_triangle_count || quality.part_count != 1 ||
        quality.euler != euler)
        pl_test_fail(__FILE__, __LINE__, "%s: %d triangles of %d, %d parts, Euler number %d", name,
                     mesh->triangle_count, quality.boundary_triangle_count, quality.part_count,
                     quality.euler);
    check_closed(mesh);
    CHECK_NEAR(enclosed_volume(mesh), quality.volume, 1e-9 * quality.volume);
}

// every boundary triangle is in a region, and only in one of the given ones
static void check_regions(const pl_mesh* mesh, int region_count) {
    int total = 0;
    for (int r = 0; r < region_count; r++) {
        CHECK(mesh->regions[r].kind == PL_ELEMENT_TRIANGLE && mesh->regions[r].count > 0);
        total += mesh->regions[r].count;
    }
    CHECK_INT(total, mesh->triangle_count);
}

static const struct {
    const char* name;
    double least, median; // radius ratios at the default size
    double volume;
    int region_count; // that divide the boundary
    int euler;        // of the boundary
} solids[] = {
    {"box", 0.70, 0.94, 1.0, 6, 2},
    {"bar", 0.69, 0.94, 4.0, 6, 2},
    {"cylinder", 0.55, 0.92, 0.25 * 3.14159265358979, 3, 2},
    {"tube", 0.45, 0.91, 0.75 * 3.14159265358979, 4, 0},
    {"sphere", 0.60, 0.90, 3.14159265358979 / 6.0, 1, 2},
    {"shell", 0.57, 0.93, 3.5 / 3.0 * 3.14159265358979, 2, 4},
    {"panel", 0.18, 0.67, 1440.0, 6, 2},
    {"torus", 0.48, 0.89, 0.125 * 3.14159265358979 * 3.14159265358979, 1, 0},
};
enum { SOLID_COUNT = sizeof(solids) / sizeof(solids[0]) };

TEST(generate_solids_are_closed_and_well_shaped)
{
    for (int s = 0; s < SOLID_COUNT; s++) {
        pl_mesh* mesh = generate(solids[s].name, NULL, 0.0);
        check_solid(solids[s].name, mesh, solids[s].euler);
        check_quality(solids[s].name, mesh, solids[s].least, solids[s].median);
        check_regions(mesh, solids[s].region_count);
        pl_generate_options options;
        pl_error error;
        CHECK_OK(pl_generate_defaults(solids[s].name, &options, &error), &error);
        CHECK_NEAR(mean_edge(mesh) / options.edge, 1.0, 0.15);
        pl_mesh_destroy(mesh);
    }
}

LONG_TEST(generate_solids_at_any_edge_length)
{
    const double edges[] = {1.0, 0.7, 0.5, 0.3, 0.23, 0.15, 0.06};
    for (int s = 0; s < SOLID_COUNT; s++)
        for (int e = 0; e < 7; e++) {
            double scale = strcmp(solids[s].name, "panel") == 0 ? 20.0 : 1.0;
            pl_mesh* mesh = generate(solids[s].name, "edge", scale * edges[e]);
            check_solid(solids[s].name, mesh, solids[s].euler);
            pl_mesh_destroy(mesh);
        }
}

// with all vertices of curved boundaries on them, the error falls with the square of the edge
TEST(generate_volume_converges)
{
    for (int s = 0; s < SOLID_COUNT; s++) {
        double scale = strcmp(solids[s].name, "panel") == 0 ? 20.0 : 1.0;
        double errors[2];
        for (int i = 0; i < 2; i++) {
            pl_mesh* mesh = generate(solids[s].name, "edge", scale * (i ? 0.05 : 0.1));
            errors[i] = fabs(mesh_volume(mesh) / solids[s].volume - 1.0);
            pl_mesh_destroy(mesh);
        }
        if (errors[0] > 1e-12 && !(errors[0] / errors[1] > 2.8 && errors[1] < 0.006))
            pl_test_fail(__FILE__, __LINE__, "%s: volume errors %g, %g", solids[s].name, errors[0],
                         errors[1]);
    }
}

typedef double (*distance_function)(pl_vec3 p);
static double from_axis(pl_vec3 p) { return hypot(p.x, p.y); }
static double from_origin(pl_vec3 p) { return pl_norm(p); }
static double from_ring(pl_vec3 p) { return hypot(hypot(p.x, p.y) - 1.0, p.z); }
static double along_x(pl_vec3 p) { return p.x; }
static double along_y(pl_vec3 p) { return p.y; }
static double along_z(pl_vec3 p) { return p.z; }

static void check_region_at(const char* name, const char* region, distance_function distance,
                            double expected) {
    pl_mesh* mesh = generate(name, NULL, 0.0);
    const pl_region* r = pl_mesh_region(mesh, PL_ELEMENT_TRIANGLE, region);
    CHECK(r && r->count > 0);
    for (int i = 0; i < r->count; i++)
        for (int k = 0; k < 3; k++) {
            pl_vec3 p = corner(mesh, mesh->triangles + 3 * (size_t)r->items[i], k);
            // two roundings of the coordinates
            CHECK_NEAR(distance(p), expected, 4e-16 * fmax(1.0, pl_norm(p)));
        }
    pl_mesh_destroy(mesh);
}

TEST(generate_boundaries_are_exact)
{
    check_region_at("box", "x_min", along_x, 0.0);
    check_region_at("box", "x_max", along_x, 1.0);
    check_region_at("box", "y_min", along_y, 0.0);
    check_region_at("box", "z_max", along_z, 1.0);
    check_region_at("bar", "x_max", along_x, 4.0);
    check_region_at("panel", "x_max", along_x, 48.0);
    check_region_at("cylinder", "side", from_axis, 0.5);
    check_region_at("cylinder", "bottom", along_z, 0.0);
    check_region_at("cylinder", "top", along_z, 1.0);
    check_region_at("tube", "inner", from_axis, 0.5);
    check_region_at("tube", "outer", from_axis, 1.0);
    check_region_at("tube", "top", along_z, 1.0);
    check_region_at("sphere", "surface", from_origin, 0.5);
    check_region_at("shell", "inner", from_origin, 0.5);
    check_region_at("shell", "outer", from_origin, 1.0);
    check_region_at("torus", "surface", from_ring, 0.25);
}

TEST(generate_shell_layers_grow_evenly)
{
    // the steps between layers of vertices grow by one ratio
    pl_mesh* mesh = generate("shell", "edge", 0.1);
    double radii[256];
    int count = 0;
    for (int v = 0; v < mesh->vertex_count; v++) {
        double radius = pl_norm(pl_vec3_load(mesh->positions + 3 * (size_t)v));
        int i = 0;
        while (i < count && fabs(radii[i] - radius) > 1e-9) i++;
        if (i == count && count < 256) radii[count++] = radius;
    }
    pl_mesh_destroy(mesh);
    qsort(radii, (size_t)count, sizeof(double), pl_compare_doubles);
    CHECK(count > 8 && count < 40);
    for (int i = 2; i < count; i++) CHECK_NEAR(radii[i] / radii[i - 1], radii[1] / radii[0], 1e-9);
}

// ---- no direction is favoured

// the vertex at the image of each vertex of the unit cube, found by its place on a fine lattice
static void find_images(const pl_mesh* mesh, int n, int map, int* images) {
    int side = 2 * n + 1;
    int* at = PL_ALLOC(int, side* side* side);
    for (int round = 0; round < 2; round++)
        for (int v = 0; v < mesh->vertex_count; v++) {
            int c[3];
            for (int d = 0; d < 3; d++)
                c[d] = (int)lround(2.0 * n * mesh->positions[3 * (size_t)v + (size_t)d]);
            if (round == 1 && map < 3) c[map] = 2 * n - c[map];
            if (round == 1 && map >= 3) {
                int keep = c[map - 3];
                c[map - 3] = c[(map - 2) % 3];
                c[(map - 2) % 3] = keep;
            }
            int cell = c[0] + side * (c[1] + side * c[2]);
            if (round == 0) at[cell] = v;
            else images[v] = at[cell];
        }
    PL_FREE(at, int, side* side* side);
}

static bool has_edge(const pl_adjacency* neighbours, int a, int b) {
    for (int k = neighbours->offsets[a]; k < neighbours->offsets[a + 1]; k++)
        if (neighbours->items[k] == b) return true;
    return false;
}

// edges that a mirror (map 0 to 2) or an exchange of axes (3 to 5) does not map to edges
static int broken_edges(pl_tet_pattern pattern, int n, int map) {
    pl_generate_options options;
    pl_error error;
    pl_mesh* mesh;
    CHECK_OK(pl_generate_defaults("box", &options, &error), &error);
    options.count_x = options.count_y = options.count_z = n;
    options.pattern = pattern;
    CHECK_OK(pl_generate("box", &options, &mesh, &error), &error);
    pl_edges edges = sample_edges(mesh);
    pl_adjacency neighbours;
    CHECK_OK(pl_vertex_neighbours(&edges, mesh->vertex_count, &neighbours, &error), &error);
    int* images = PL_ALLOC(int, mesh->vertex_count);
    find_images(mesh, n, map, images);
    int broken = 0;
    for (int e = 0; e < edges.count; e++)
        if (!has_edge(&neighbours, images[edges.ends[2 * e]], images[edges.ends[2 * e + 1]]))
            broken++;
    PL_FREE(images, int, mesh->vertex_count);
    pl_adjacency_free(&neighbours);
    pl_edges_free(&edges);
    pl_mesh_destroy(mesh);
    return broken;
}

TEST(generate_box_favours_no_direction)
{
    for (int map = 0; map < 6; map++) {
        CHECK_INT(broken_edges(PL_PATTERN_BCC, 4, map), 0);
        CHECK_INT(broken_edges(PL_PATTERN_BCC, 3, map), 0);
        CHECK_INT(broken_edges(PL_PATTERN_FIVE, 4, map), 0);
    }
    CHECK(broken_edges(PL_PATTERN_KUHN, 4, 0) > 0); // the test can tell
}

// |mean of e^(i k angle)| over the edges of a sheet: 0 without a favoured direction of order k
static double direction_moment(const pl_mesh* mesh, int k) {
    pl_edges edges = sample_edges(mesh);
    double re = 0.0, im = 0.0;
    for (int e = 0; e < edges.count; e++) {
        pl_vec3 d = pl_sub(corner(mesh, edges.ends, 2 * e), corner(mesh, edges.ends, 2 * e + 1));
        double angle = k * atan2(d.y, d.x);
        re += cos(angle), im += sin(angle);
    }
    double moment = hypot(re, im) / edges.count;
    pl_edges_free(&edges);
    return moment;
}

TEST(generate_cloth_regular)
{
    pl_generate_options options;
    pl_error error;
    pl_mesh* mesh;
    CHECK_OK(pl_generate_defaults("cloth", &options, &error), &error);
    options.count_x = options.count_y = 201;
    CHECK_OK(pl_generate("cloth", &options, &mesh, &error), &error);
    CHECK_INT(mesh->vertex_count, 40401);
    CHECK_INT(mesh->triangle_count, 80000);
    CHECK_INT(mesh->uv_count, 40401);
    CHECK_INT(pl_mesh_region(mesh, PL_ELEMENT_VERTEX, "x_max")->count, 201);
    CHECK_INT(pl_mesh_region(mesh, PL_ELEMENT_VERTEX, "corners")->count, 4);
    CHECK_INT(pl_mesh_region(mesh, PL_ELEMENT_VERTEX, "corners")->items[3], 40400);
    CHECK_NEAR(mesh->uvs[2 * 40400], 1.0, 0.0);
    double area = 0.0;
    for (int t = 0; t < mesh->triangle_count; t++) {
        const int* triangle = mesh->triangles + 3 * (size_t)t;
        pl_vec3 a = corner(mesh, triangle, 0);
        area +=
            0.5 *
            pl_cross(pl_sub(corner(mesh, triangle, 1), a), pl_sub(corner(mesh, triangle, 2), a)).z;
        for (int k = 0; k < 3; k++) {
            int uv = mesh->triangle_uvs[3 * t + k];
            CHECK_NEAR(mesh->uvs[2 * uv], mesh->positions[3 * triangle[k]], 0.0);
        }
    }
    CHECK_NEAR(area, 1.0, 1e-12);
    CHECK(direction_moment(mesh, 2) < 0.005);
    pl_mesh_destroy(mesh);
    options.diagonals = PL_DIAGONALS_SAME;
    CHECK_OK(pl_generate("cloth", &options, &mesh, &error), &error);
    CHECK(direction_moment(mesh, 2) > 0.2);
    pl_mesh_destroy(mesh);
}

TEST(generate_cloth_irregular)
{
    pl_mesh* mesh = generate("cloth_irregular", NULL, 0.0);
    check_quality("cloth_irregular", mesh, 0.45, 0.93);
    CHECK_NEAR(mean_edge(mesh) / 0.02, 1.0, 0.05);
    CHECK(direction_moment(mesh, 2) < 0.02);
    CHECK(direction_moment(mesh, 4) < 0.04);
    CHECK(direction_moment(mesh, 6) < 0.04);
    double area = 0.0;
    for (int t = 0; t < mesh->triangle_count; t++) {
        const int* triangle = mesh->triangles + 3 * (size_t)t;
        pl_vec3 a = corner(mesh, triangle, 0);
        double part =
            0.5 *
            pl_cross(pl_sub(corner(mesh, triangle, 1), a), pl_sub(corner(mesh, triangle, 2), a)).z;
        CHECK(part > 0.0);
        area += part;
    }
    CHECK_NEAR(area, 1.0, 1e-12);
    // the seed decides, and nothing else
    pl_mesh* again = generate("cloth_irregular", NULL, 0.0);
    pl_mesh* other = generate("cloth_irregular", "seed", 2);
    size_t size = 3 * (size_t)mesh->vertex_count * sizeof(double);
    CHECK_INT(mesh->vertex_count, other->vertex_count);
    CHECK(memcmp(mesh->positions, again->positions, size) == 0);
    CHECK(memcmp(mesh->positions, other->positions, size) != 0);
    pl_mesh_destroy(mesh);
    pl_mesh_destroy(again);
    pl_mesh_destroy(other);
}

LONG_TEST(generate_cloth_irregular_for_any_seed)
{
    for (int seed = 0; seed < 8; seed++) {
        pl_mesh* mesh = generate("cloth_irregular", "seed", seed);
        check_quality("cloth_irregular", mesh, 0.35, 0.93);
        pl_mesh_destroy(mesh);
    }
}

TEST(generate_cloth_irregular_at_extreme_shapes)
{
    const double sizes[][2] = {{1.0, 0.001}, {0.02, 1.0}, {0.03, 0.03}, {5.0, 0.1}};
    for (int i = 0; i < 4; i++) {
        pl_generate_options options;
        pl_error error;
        pl_mesh* mesh;
        CHECK_OK(pl_generate_defaults("cloth_irregular", &options, &error), &error);
        options.size_x = sizes[i][0], options.size_y = sizes[i][1];
        CHECK_OK(pl_generate("cloth_irregular", &options, &mesh, &error), &error);
        for (int t = 0; t < mesh->triangle_count; t++) {
            const int* triangle = mesh->triangles + 3 * (size_t)t;
            pl_vec3 a = corner(mesh, triangle, 0);
            CHECK(
                pl_cross(pl_sub(corner(mesh, triangle, 1), a), pl_sub(corner(mesh, triangle, 2), a))
                    .z > 0.0);
        }
        pl_mesh_destroy(mesh);
    }
}

TEST(generate_icosphere)
{
    for (int f = 1; f <= 12; f++) {
        pl_mesh* mesh = generate("icosphere", "frequency", f);
        CHECK_INT(mesh->vertex_count, 10 * f * f + 2);
        CHECK_INT(mesh->triangle_count, 20 * f * f);
        check_closed(mesh);
        check_quality("icosphere", mesh, 0.96, 0.98);
        for (int v = 0; v < mesh->vertex_count; v++)
            CHECK_NEAR(pl_norm(pl_vec3_load(mesh->positions + 3 * (size_t)v)), 0.5, 2e-16);
        const int* triangle = mesh->triangles;
        CHECK(pl_dot(corner(mesh, triangle, 0),
                     pl_cross(corner(mesh, triangle, 1), corner(mesh, triangle, 2))) > 0.0);
        pl_mesh_destroy(mesh);
    }
    pl_mesh* mesh = generate("icosphere", NULL, 0.0);
    CHECK_NEAR(mean_edge(mesh) / 0.1, 1.0, 0.1);
    double area = 0.0;
    for (int t = 0; t < mesh->triangle_count; t++) {
        const int* triangle = mesh->triangles + 3 * (size_t)t;
        area += triangle_area(corner(mesh, triangle, 0), corner(mesh, triangle, 1),
                              corner(mesh, triangle, 2));
    }
    CHECK_NEAR(area, pi, 0.01 * pi);
    pl_mesh_destroy(mesh);
}

TEST(generate_patterns_and_jitter)
{
    for (int pattern = 0; pattern < 3; pattern++) {
        pl_generate_options options;
        pl_error error;
        pl_mesh *mesh, *plain;
        CHECK_OK(pl_generate_defaults("box", &options, &error), &error);
        options.pattern = pattern;
        CHECK_OK(pl_generate("box", &options, &plain, &error), &error);
        CHECK_NEAR(mean_edge(plain) / options.edge, 1.0, 0.06);
        options.jitter = 0.2;
        CHECK_OK(pl_generate("box", &options, &mesh, &error), &error);
        check_solid("jittered box", mesh, 2);
        CHECK_NEAR(mesh_volume(mesh), 1.0, 1e-12);
        int moved = 0;
        for (int i = 0; i < 3 * mesh->vertex_count; i++)
            moved += mesh->positions[i] != plain->positions[i];
        CHECK(moved > mesh->vertex_count);
        pl_mesh_destroy(mesh);
        pl_mesh_destroy(plain);
    }
}

TEST(generate_bar_ends)
{
    pl_generate_options options;
    pl_error error;
    pl_mesh* mesh;
    CHECK_OK(pl_generate_defaults("bar", &options, &error), &error);
    options.count_x = 8, options.count_y = 2, options.count_z = 3;
    options.end_length = 0.5;
    CHECK_OK(pl_generate("bar", &options, &mesh, &error), &error);
    const pl_region* left = pl_mesh_region(mesh, PL_ELEMENT_VERTEX, "left");
    const pl_region* right = pl_mesh_region(mesh, PL_ELEMENT_VERTEX, "right");
    // two layers of 3 x 4 corners, 2 x 3 centres between them, and the centres of the cells'
    // boundary faces: 6 at the end, 10 around
    CHECK_INT(left->count, 2 * 12 + 6 + 6 + 10);
    CHECK_INT(right->count, left->count);
    for (int i = 0; i < right->count; i++)
        CHECK(mesh->positions[3 * right->items[i]] >= 3.5 - 1e-8);
    pl_mesh_destroy(mesh);
}

static double usual_edge(const pl_generator* generator) {
    const pl_generator_parameter* p = generator->parameters;
    while (p->field && strcmp(p->field->key, "edge") != 0) p++;
    return p->field ? p->preset : 0.0;
}

TEST(generate_survives_every_failing_allocation)
{
    bool had_creature = false;
    for (int g = 0; g < pl_generator_count(); g++) {
        const char* name = pl_generator_at(g)->name;
        pl_generate_options options;
        pl_error error;
        pl_mesh* mesh;
        CHECK_OK(pl_generate_defaults(name, &options, &error), &error);
        // creatures share their code, and their default edges are short: allocations of the first
        // one fail one by one, those of the others here and there
        bool is_creature = strstr(pl_generator_at(g)->regions, "parts") != NULL;
        options.edge = (is_creature ? 5.0 : 3.0) * usual_edge(pl_generator_at(g));
        int64_t stride = is_creature && had_creature ? 29 : 1;
        had_creature = had_creature || is_creature;
        size_t before = pl_byte_count();
        for (int64_t nth = 1;; nth += stride) {
            pl_inject_failure(nth);
            pl_status status = pl_generate(name, &options, &mesh, &error);
            pl_inject_failure(0);
            if (status == PL_OK) break;
            CHECK_INT(status, PL_ERROR_MEMORY);
            CHECK(!mesh);
            CHECK_INT(pl_byte_count(), before);
        }
        pl_mesh_destroy(mesh);
    }
}
