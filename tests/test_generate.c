// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "base/memory.h"
#include "math/vec3.h"
#include "mesh/surface.h"
#include "test.h"

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
    const int* tet = mesh->tets + 4 * (size_t)t;
    return pl_det4(corner(mesh, tet, 0), corner(mesh, tet, 1), corner(mesh, tet, 2),
                   corner(mesh, tet, 3)) /
           6.0;
}

// three times the inscribed over the circumscribed radius: 1 for a regular tet
static double radius_ratio(const pl_mesh* mesh, int t) {
    pl_vec3 p[4];
    for (int i = 0; i < 4; i++) p[i] = corner(mesh, mesh->tets + 4 * (size_t)t, i);
    double volume = tet_volume(mesh, t), area = 0.0;
    for (int i = 0; i < 4; i++) area += triangle_area(p[i], p[(i + 1) % 4], p[(i + 2) % 4]);
    pl_vec3 a = pl_sub(p[1], p[0]), b = pl_sub(p[2], p[0]), c = pl_sub(p[3], p[0]);
    pl_vec3 centre = pl_scale(pl_norm2(a), pl_cross(b, c));
    centre = pl_madd(centre, pl_norm2(b), pl_cross(c, a));
    centre = pl_madd(centre, pl_norm2(c), pl_cross(a, b));
    return 9.0 * volume / area / (pl_norm(centre) / (12.0 * volume));
}

// twice the inscribed over the circumscribed radius: 1 for an equilateral triangle
static double triangle_ratio(const pl_mesh* mesh, int t) {
    const int* triangle = mesh->triangles + 3 * (size_t)t;
    pl_vec3 p = corner(mesh, triangle, 0), q = corner(mesh, triangle, 1);
    pl_vec3 r = corner(mesh, triangle, 2);
    double a = pl_distance(p, q), b = pl_distance(q, r), c = pl_distance(r, p);
    double area = triangle_area(p, q, r);
    return 16.0 * area * area / ((a + b + c) * a * b * c);
}

static int compare_doubles(const void* a, const void* b) {
    double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
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
    bool solid = mesh->tet_count > 0;
    int count = solid ? mesh->tet_count : mesh->triangle_count;
    double* ratios = PL_ALLOC(double, count);
    for (int t = 0; t < count; t++)
        ratios[t] = solid ? radius_ratio(mesh, t) : triangle_ratio(mesh, t);
    qsort(ratios, (size_t)count, sizeof(double), compare_doubles);
    double found_least = ratios[0], found_median = ratios[count / 2];
    PL_FREE(ratios, double, count);
    if (found_least < least || found_median < median)
        pl_test_fail(__FILE__, __LINE__, "%s: radius ratio at least %.3f, median %.3f", name,
                     found_least, found_median);
}

static double mean_edge(const pl_mesh* mesh) {
    pl_edges edges;
    pl_error error;
    bool solid = mesh->tet_count > 0;
    CHECK_OK(pl_edges_create(solid ? mesh->tets : mesh->triangles,
                             solid ? mesh->tet_count : mesh->triangle_count, solid ? 4 : 3,
                             mesh->vertex_count, &edges, &error),
             &error);
    double sum = 0.0;
    for (int e = 0; e < edges.count; e++)
        sum += pl_distance(corner(mesh, edges.ends, 2 * e), corner(mesh, edges.ends, 2 * e + 1));
    double mean = sum / edges.count;
    pl_edges_free(&edges);
    return mean;
}

// every side of a triangle belongs to one other triangle, the other way round
static void check_closed(const pl_mesh* mesh) {
    pl_side_groups sides;
    pl_error error;
    CHECK_OK(pl_side_groups_create(mesh->triangles, mesh->triangle_count, 3, mesh->vertex_count,
                                   &sides, &error),
             &error);
    for (int g = 0; g < sides.groups.count; g++) {
        const int* at = sides.groups.items + sides.groups.offsets[g];
        CHECK_INT(sides.groups.offsets[g + 1] - sides.groups.offsets[g], 2);
        CHECK(pl_sides_agree(mesh->triangles, 3, at[0], at[1]));
    }
    pl_side_groups_free(&sides);
}

static void check_solid(const char* name, const pl_mesh* mesh) {
    pl_error error;
    double* used = PL_ALLOC(double, mesh->vertex_count);
    for (int t = 0; t < mesh->tet_count; t++) {
        if (!(tet_volume(mesh, t) > 0.0))
            pl_test_fail(__FILE__, __LINE__, "%s: tet %d has volume %g", name, t,
                         tet_volume(mesh, t));
        for (int i = 0; i < 4; i++) used[mesh->tets[4 * t + i]] = 1.0;
    }
    for (int v = 0; v < mesh->vertex_count; v++) CHECK(used[v] == 1.0);
    PL_FREE(used, double, mesh->vertex_count);
    // the triangles are the boundary of the tets, outward: as many, and of the same volume
    pl_boundary boundary;
    CHECK_OK(pl_boundary_create(mesh, &boundary, &error), &error);
    CHECK_INT(mesh->triangle_count, boundary.count);
    pl_boundary_free(&boundary);
    check_closed(mesh);
    double volume = 0.0;
    for (int t = 0; t < mesh->triangle_count; t++) {
        const int* triangle = mesh->triangles + 3 * (size_t)t;
        volume += pl_dot(corner(mesh, triangle, 0),
                         pl_cross(corner(mesh, triangle, 1), corner(mesh, triangle, 2))) /
                  6.0;
    }
    CHECK_NEAR(volume, mesh_volume(mesh), 1e-9 * volume);
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
} solids[] = {
    {"box", 0.70, 0.94, 1.0, 6},
    {"bar", 0.69, 0.94, 4.0, 6},
    {"cylinder", 0.55, 0.92, 0.25 * 3.14159265358979, 3},
    {"tube", 0.45, 0.91, 0.75 * 3.14159265358979, 4},
    {"sphere", 0.60, 0.90, 3.14159265358979 / 6.0, 1},
    {"shell", 0.57, 0.93, 3.5 / 3.0 * 3.14159265358979, 2},
    {"panel", 0.18, 0.67, 1440.0, 6},
    {"torus", 0.48, 0.89, 0.125 * 3.14159265358979 * 3.14159265358979, 1},
};
enum { SOLID_COUNT = sizeof(solids) / sizeof(solids[0]) };

TEST(generate_solids_are_closed_and_well_shaped)
{
    for (int s = 0; s < SOLID_COUNT; s++) {
        pl_mesh* mesh = generate(solids[s].name, NULL, 0.0);
        check_solid(solids[s].name, mesh);
        check_quality(solids[s].name, mesh, solids[s].least, solids[s].median);
        check_regions(mesh, solids[s].region_count);
        pl_generate_options options;
        pl_error error;
        CHECK_OK(pl_generate_defaults(solids[s].name, &options, &error), &error);
        CHECK_NEAR(mean_edge(mesh) / options.edge, 1.0, 0.15);
        pl_mesh_destroy(mesh);
    }
}

TEST(generate_solids_at_any_edge_length)
{
    const double edges[] = {1.0, 0.7, 0.5, 0.3, 0.23, 0.15, 0.06};
    for (int s = 0; s < SOLID_COUNT; s++)
        for (int e = 0; e < 7; e++) {
            double scale = strcmp(solids[s].name, "panel") == 0 ? 20.0 : 1.0;
            pl_mesh* mesh = generate(solids[s].name, "edge", scale * edges[e]);
            check_solid(solids[s].name, mesh);
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
        for (int k = 0; k < 3; k++)
            CHECK_NEAR(distance(corner(mesh, mesh->triangles + 3 * (size_t)r->items[i], k)),
                       expected, 4e-16 * fmax(1.0, expected));
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
    qsort(radii, (size_t)count, sizeof(double), compare_doubles);
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
    pl_edges edges;
    pl_adjacency neighbours;
    CHECK_OK(pl_edges_create(mesh->tets, mesh->tet_count, 4, mesh->vertex_count, &edges, &error),
             &error);
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
    pl_edges edges;
    pl_error error;
    CHECK_OK(pl_edges_create(mesh->triangles, mesh->triangle_count, 3, mesh->vertex_count, &edges,
                             &error),
             &error);
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
    check_quality("cloth_irregular", mesh, 0.5, 0.93);
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
        check_solid("jittered box", mesh);
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

// ---- parameters

TEST(generate_refuses_absurd_parameters)
{
    static const struct {
        const char *name, *key, *value, *text;
        pl_status status;
    } cases[] = {
        {"box", "edge", "-1", "edge is -1 m", PL_ERROR_ARGUMENT},
        {"box", "edge", "0", "must lie between", PL_ERROR_ARGUMENT},
        {"box", "edge", "nan", "edge is", PL_ERROR_ARGUMENT},
        {"box", "edge", "inf", "edge is inf", PL_ERROR_ARGUMENT},
        {"box", "edge", "1,5", "not a number", PL_ERROR_ARGUMENT},
        {"box", "edge", "", "not a number", PL_ERROR_ARGUMENT},
        {"box", "edge", "3", "longer than the whole object", PL_ERROR_ARGUMENT},
        {"box", "edge", "1e-6", "more than the limit", PL_ERROR_LIMIT},
        {"box", "count_x", "100000000", "more than the limit", PL_ERROR_LIMIT},
        {"box", "count_x", "2.5", "whole number", PL_ERROR_ARGUMENT},
        {"box", "pattern", "hex", "must be one of: bcc five kuhn", PL_ERROR_ARGUMENT},
        {"box", "pattern", "", "must be one of", PL_ERROR_ARGUMENT},
        {"box", "radius", "1", "box has no parameter \"radius\"; it takes: edge, size_x",
         PL_ERROR_ARGUMENT},
        {"cube", "edge", "1", "there is no generator \"cube\"; there are: box, bar",
         PL_ERROR_ARGUMENT},
        {"bar", "end_length", "2", "ends of a bar", PL_ERROR_ARGUMENT},
        {"tube", "inner_radius", "1", "not below outer_radius", PL_ERROR_ARGUMENT},
        {"shell", "inner_radius", "2", "not below outer_radius", PL_ERROR_ARGUMENT},
        {"shell", "inner_radius", "0.9999999999", "more than the limit", PL_ERROR_LIMIT},
        {"torus", "radius", "1", "meet itself", PL_ERROR_ARGUMENT},
        {"torus", "edge", "1e-4", "more than the limit", PL_ERROR_LIMIT},
        {"panel", "right_low", "60", "not above right_low", PL_ERROR_ARGUMENT},
        {"sphere", "edge", "1.1", "longer than the whole object", PL_ERROR_ARGUMENT},
        {"sphere", "edge", "1e-9", "more than the limit", PL_ERROR_LIMIT},
        {"cloth", "count_x", "1", "no area", PL_ERROR_ARGUMENT},
        {"cloth", "count_x", "100000000", "more than the limit", PL_ERROR_LIMIT},
        {"cloth_irregular", "edge", "1e-8", "more than the limit", PL_ERROR_LIMIT},
        {"icosphere", "frequency", "100000000", "more than the limit", PL_ERROR_LIMIT},
        {"icosphere", "edge", "2", "longer than the whole object", PL_ERROR_ARGUMENT},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        pl_generate_options options;
        pl_error error = {0};
        pl_mesh* mesh = NULL;
        pl_status status = pl_generate_defaults(cases[i].name, &options, &error);
        if (status == PL_OK)
            status =
                pl_generate_set_text(cases[i].name, &options, cases[i].key, cases[i].value, &error);
        if (status == PL_OK) status = pl_generate(cases[i].name, &options, &mesh, &error);
        CHECK_INT(status, cases[i].status);
        CHECK_TEXT(error.text, cases[i].text);
        CHECK(!mesh);
    }
}

TEST(generate_table_is_sound)
{
    pl_error error;
    for (int g = 0; g < pl_generator_count(); g++) {
        const pl_generator *generator = pl_generator_at(g), *found;
        CHECK_OK(pl_generator_find(generator->name, &found, &error), &error);
        CHECK(found == generator);
        pl_generate_options options;
        CHECK_OK(pl_generate_defaults(generator->name, &options, &error), &error);
        for (const pl_generator_parameter* p = generator->parameters; p->field; p++) {
            CHECK(p->low <= p->preset && p->preset <= p->high);
            CHECK(*p->field->help);
            CHECK_OK(
                pl_generate_set_number(generator->name, &options, p->field->key, p->preset, &error),
                &error);
        }
        // regions are what the text says, each word a name
        pl_mesh* mesh;
        CHECK_OK(pl_generate(generator->name, NULL, &mesh, &error), &error);
        char text[256];
        int count = 0;
        pl_element_kind kind = PL_ELEMENT_TRIANGLE;
        snprintf(text, sizeof(text), "%s", generator->regions);
        for (char* word = strtok(text, " ;"); word; word = strtok(NULL, " ;")) {
            if (strcmp(word, "none") == 0) continue;
            if (strcmp(word, "vertices") == 0) kind = PL_ELEMENT_VERTEX;
            else if (strcmp(word, "triangles") == 0) kind = PL_ELEMENT_TRIANGLE;
            else if (pl_mesh_region(mesh, kind, word)) count++;
            else pl_test_fail(__FILE__, __LINE__, "%s lacks %s", generator->name, word);
        }
        CHECK_INT(mesh->region_count, count);
        pl_mesh_destroy(mesh);
    }
    CHECK(!pl_generator_at(-1) && !pl_generator_at(pl_generator_count()));
}

TEST(generate_set_text_reads_choices_and_numbers)
{
    pl_generate_options options;
    pl_error error;
    CHECK_OK(pl_generate_defaults("box", &options, &error), &error);
    CHECK_OK(pl_generate_set_text("box", &options, "pattern", "kuhn", &error), &error);
    CHECK_INT(options.pattern, PL_PATTERN_KUHN);
    CHECK_OK(pl_generate_set_text("box", &options, "size_y", "2.5e-1", &error), &error);
    CHECK_NEAR(options.size_y, 0.25, 0.0);
    CHECK_OK(pl_generate_set_text("box", &options, "count_z", "7", &error), &error);
    CHECK_INT(options.count_z, 7);
}

TEST(generate_survives_every_failing_allocation)
{
    for (int g = 0; g < pl_generator_count(); g++) {
        const char* name = pl_generator_at(g)->name;
        pl_generate_options options;
        pl_error error;
        pl_mesh* mesh;
        CHECK_OK(pl_generate_defaults(name, &options, &error), &error);
        options.edge *= 3.0;
        for (int64_t nth = 1;; nth++) {
            pl_inject_failure(nth);
            pl_status status = pl_generate(name, &options, &mesh, &error);
            pl_inject_failure(0);
            if (status == PL_OK) break;
            CHECK_INT(status, PL_ERROR_MEMORY);
            CHECK(!mesh);
            CHECK_INT(pl_byte_count(), 0);
        }
        pl_mesh_destroy(mesh);
    }
}
