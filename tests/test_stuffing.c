// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Isosurface stuffing: the paper's angles for every function, however wild, manifolds, known
// volumes, the same bits for all threads.
#include "base/memory.h"
#include "base/random.h"
#include "math/vec3.h"
#include "mesh/stuffing.h"
#include "mesh/surface_edges.h"
#include "sample_meshes.h"
#include "test.h"
#include "tet_checks.h"

#include <pliant/generate.h>

// the bounds that the paper proves for the uniform lattice [degrees]
static const double min_angle = 10.78, max_angle = 164.84;

static void ball(const double* points, int count, double* values, void* user) {
    double radius = *(const double*)user;
    for (int i = 0; i < count; i++) values[i] = pl_norm(pl_vec3_load(points + 3 * i)) - radius;
}

// two rings through one another
static void rings(const double* points, int count, double* values, void* user) {
    (void)user;
    for (int i = 0; i < count; i++) {
        pl_vec3 p = pl_vec3_load(points + 3 * i);
        double a = hypot(hypot(p.x + 0.5, p.y) - 1.0, p.z) - 0.3;
        double b = hypot(hypot(p.x - 0.5, p.z) - 1.0, p.y) - 0.3;
        values[i] = fmin(a, b);
    }
}

// leaves cut points where the line between the two lattice values puts them
static void zero(const double* points, int count, double* values, void* user) {
    (void)points;
    (void)user;
    for (int i = 0; i < count; i++) values[i] = 0.0;
}

static const double low[3] = {-2, -2, -2}, high[3] = {2, 2, 2};

TEST(stuffing_of_a_ball)
{
    double errors[2], radius = 1.0;
    for (int fine = 0; fine < 2; fine++) {
        pl_tetrahedralise_options options = pl_default_tetrahedralise_options();
        options.edge = fine ? 0.1 : 0.2;
        pl_mesh* mesh;
        pl_error error;
        CHECK_OK(
            pl_tetrahedralise_implicit(ball, &radius, low, high, &options, &mesh, NULL, &error),
            &error);
        tet_quality q = check_tets(mesh);
        CHECK(q.min_angle > min_angle && q.max_angle < max_angle);
        CHECK(q.part_count == 1 && q.euler == 2);
        CHECK_NEAR(q.mean_edge, options.edge, 0.1 * options.edge);
        errors[fine] = fabs(q.volume / (4.0 / 3.0 * acos(-1.0)) - 1.0);
        // the boundary's vertices lie on the sphere
        double farthest = 0.0;
        for (int v = 0; v < mesh->vertex_count; v++)
            farthest = fmax(farthest, pl_norm(pl_vec3_load(mesh->positions + 3 * v)));
        CHECK_NEAR(farthest, 1.0, 1e-3);
        pl_mesh_destroy(mesh);
    }
    CHECK(errors[0] < 0.02 && errors[1] < 0.005);
    CHECK(errors[0] / errors[1] > 3.0); // second order
}

// a cube whose sides hold lattice points exactly, at h = 1/4
static void cube(const double* points, int count, double* values, void* user) {
    (void)user;
    for (int i = 0; i < count; i++) {
        const double* p = points + 3 * i;
        values[i] = fmax(fmax(fabs(p[0]), fabs(p[1])), fabs(p[2])) - 1.0;
    }
}

TEST(stuffing_with_lattice_points_on_the_surface)
{
    pl_tetrahedralise_options options = pl_default_tetrahedralise_options();
    options.edge = 0.25 * (3.0 + 2.0 * sqrt(3.0)) / 7.0;
    pl_mesh* mesh;
    pl_error error;
    CHECK_OK(pl_tetrahedralise_implicit(cube, NULL, low, high, &options, &mesh, NULL, &error),
             &error);
    tet_quality q = check_tets(mesh);
    CHECK(q.min_angle > min_angle && q.max_angle < max_angle);
    CHECK(q.part_count == 1 && q.euler == 2);
    // edges are cut off at most by a tet's size
    CHECK(q.volume < 8.0 && q.volume > 7.5);
    pl_mesh_destroy(mesh);
}

TEST(stuffing_is_cut_off_at_the_box)
{
    double radius = 1.0;
    static const double half_low[3] = {0, -2, -2};
    pl_tetrahedralise_options options = pl_default_tetrahedralise_options();
    options.edge = 0.1;
    pl_mesh* mesh;
    pl_error error;
    CHECK_OK(
        pl_tetrahedralise_implicit(ball, &radius, half_low, high, &options, &mesh, NULL, &error),
        &error);
    tet_quality q = check_tets(mesh);
    CHECK(q.min_angle > min_angle && q.max_angle < max_angle);
    CHECK_NEAR(q.volume, 2.0 / 3.0 * acos(-1.0), 0.5);
    pl_mesh_destroy(mesh);
}

TEST(stuffing_keeps_topology)
{
    pl_tetrahedralise_options options = pl_default_tetrahedralise_options();
    options.edge = 0.12;
    pl_mesh* mesh;
    pl_error error;
    CHECK_OK(pl_tetrahedralise_implicit(rings, NULL, low, high, &options, &mesh, NULL, &error),
             &error);
    tet_quality q = check_tets(mesh);
    CHECK(q.min_angle > min_angle && q.max_angle < max_angle);
    CHECK_INT(q.part_count, 2);
    CHECK_INT(q.euler, 0);
    CHECK_NEAR(q.volume, 2.0 * 2.0 * acos(-1.0) * acos(-1.0) * 0.09, 0.03 * q.volume);
    pl_mesh_destroy(mesh);
}

// Random sides and sizes at every lattice point: all stencils in all positions. The extremes put
// cut points right at the limits of warping, on either side of them, where angles are worst.
static const double extremes[8] = {0.2499, 0.7501, 0.25, 0.75, 0.4118, 0.5882, 0.4119, 0.5881};
static void set_noise(pl_lattice* lattice, uint64_t seed) {
    pl_random random = {seed};
    double inside_share = pl_random_uniform(&random, 0.2, 0.8);
    double small_share = pl_random_uniform(&random, 0.0, 0.6);
    int sheet = lattice->size[0] * lattice->size[1];
    for (int p = 0; p < lattice->point_count; p++) {
        int i = p % lattice->size[0], j = p % sheet / lattice->size[0], k = p / sheet / 2;
        bool outermost = i < 2 || j < 2 || k < 2 || i >= lattice->size[0] - 2 ||
                         j >= lattice->size[1] - 2 || k >= lattice->size[2] - 2;
        double size = pl_random_uniform(&random, 0.0, 1.0) < small_share
                          ? pl_random_uniform(&random, 0.0, 1.0)
                          : extremes[pl_random_int(&random, 8)];
        bool inside = pl_random_uniform(&random, 0.0, 1.0) < inside_share && !outermost;
        lattice->phi[p] = inside ? -size : size;
        lattice->side[p] = inside ? PL_INSIDE : PL_OUTSIDE;
    }
}

static tet_quality stuff_noise(uint64_t seed) {
    pl_lattice lattice;
    pl_error error;
    pl_clean_report report;
    unsigned char* on_surface;
    pl_mesh* mesh = pl_mesh_new();
    CHECK_OK(pl_lattice_setup(&lattice, low, high, 0.4, &error), &error);
    set_noise(&lattice, seed);
    CHECK_OK(pl_lattice_find_sites(&lattice, NULL, &error), &error);
    pl_lattice_cut_edges(&lattice, zero, NULL, NULL);
    pl_lattice_warp(&lattice);
    CHECK_OK(pl_lattice_fill(&lattice, NULL, mesh, &on_surface, &error), &error);
    int vertex_count = mesh->vertex_count;
    CHECK_OK(pl_stuffing_clean(mesh, on_surface, 0.0, NULL, &report, &error), &error);
    tet_quality q = check_tets(mesh);
    PL_FREE(on_surface, unsigned char, vertex_count);
    pl_lattice_free(&lattice);
    pl_mesh_destroy(mesh);
    return q;
}

LONG_TEST(stuffing_angles_hold_for_noise)
{
    double worst_min = 180.0, worst_max = 0.0;
    for (uint64_t seed = 0; seed < 40; seed++) {
        tet_quality q = stuff_noise(seed);
        worst_min = fmin(worst_min, q.min_angle);
        worst_max = fmax(worst_max, q.max_angle);
    }
    if (!(worst_min > min_angle && worst_max < max_angle))
        pl_test_fail(__FILE__, __LINE__, "angles %g to %g", worst_min, worst_max);
    // and the noise comes near the bounds, else it proves nothing
    CHECK(worst_min < 12.0 && worst_max > 155.0);
}

static void check_same_bits(const pl_mesh* surface, int threads, const pl_mesh* expected) {
    pl_pool* pool;
    pl_mesh* mesh;
    pl_error error;
    CHECK_OK(pl_pool_create(threads, &pool, &error), &error);
    pl_tetrahedralise_options options = pl_default_tetrahedralise_options();
    options.pool = pool;
    CHECK_OK(pl_tetrahedralise(surface, &options, &mesh, NULL, &error), &error);
    CHECK(same_tets(mesh, expected));
    pl_mesh_destroy(mesh);
    pl_pool_destroy(pool);
}

LONG_TEST(stuffing_of_a_surface)
{
    pl_mesh *surface = sample_sphere(3), *mesh;
    pl_notes* notes;
    pl_error error;
    CHECK(pl_notes_create(&notes) == PL_OK);
    pl_tetrahedralise_options strict = pl_default_tetrahedralise_options();
    strict.strict = true;
    CHECK_OK(pl_tetrahedralise(surface, &strict, &mesh, notes, &error), &error);
    tet_quality q = check_tets(mesh);
    CHECK(q.min_angle > min_angle && q.max_angle < max_angle);
    CHECK_NEAR(q.mean_edge, 2.0 * sqrt(3.0) / 50.0, 0.1 * q.mean_edge);
    CHECK_INT(pl_notes_count(notes), 1);
    CHECK_TEXT(pl_notes_text(notes, 0, NULL), "% of the surface's");
    for (int threads = 1; threads <= 4; threads++) check_same_bits(surface, threads, mesh);
    pl_mesh_destroy(mesh);
    pl_notes_destroy(notes);
    pl_mesh_destroy(surface);
}

static bool has_note(const pl_notes* notes, const char* part) {
    for (int i = 0; i < pl_notes_count(notes); i++)
        if (strstr(pl_notes_text(notes, i, NULL), part)) return true;
    return false;
}

TEST(stuffing_of_dirty_surfaces)
{
    // two spheres that cut one another, one triangle missing, all inside out
    pl_mesh *sphere = sample_sphere(3), *both = sample_join(sphere, sphere, 0.7), *mesh;
    for (int i = 0; i < both->triangle_count; i++) {
        int* t = both->triangles + 3 * i;
        int swap = t[0];
        t[0] = t[1];
        t[1] = swap;
    }
    int* first = both->triangles;
    first[2] = first[1]; // a triangle without area leaves a hole
    pl_tetrahedralise_options options = pl_default_tetrahedralise_options();
    options.edge = 0.15;
    pl_notes* notes;
    pl_error error;
    CHECK(pl_notes_create(&notes) == PL_OK);
    CHECK_OK(pl_tetrahedralise(both, &options, &mesh, notes, &error), &error);
    tet_quality q = check_tets(mesh);
    CHECK(q.min_angle > min_angle && q.max_angle < max_angle);
    CHECK(q.part_count == 1 && q.euler == 2);
    // a lens is shared: V = 2 * 4/3 pi - pi (2 - d)^2 (8 + d) ... with both radii 1, distance 0.7
    double lens = acos(-1.0) * (4.0 + 0.7) * (2.0 - 0.7) * (2.0 - 0.7) / 12.0;
    CHECK_NEAR(q.volume, 8.0 / 3.0 * acos(-1.0) - lens, 0.03 * q.volume);
    CHECK(has_note(notes, "1 holes with 3 boundary edges"));
    CHECK(has_note(notes, "inside out"));
    pl_mesh_destroy(mesh);
    options.strict = true;
    CHECK_INT(pl_tetrahedralise(both, &options, &mesh, NULL, &error), PL_ERROR_MESH);
    CHECK_TEXT(error.text, "strict");
    CHECK(!mesh);
    pl_notes_destroy(notes);
    pl_mesh_destroy(both);
    pl_mesh_destroy(sphere);
}

TEST(stuffing_refuses_what_has_no_inside)
{
    pl_mesh *sheet = sample_sheet(8, 8), *mesh, *solid = sample_box(1, 1, 1);
    pl_error error;
    CHECK_INT(pl_tetrahedralise(sheet, NULL, &mesh, NULL, &error), PL_ERROR_MESH);
    CHECK_TEXT(error.text, "open, as cloth is");
    CHECK(!mesh);
    CHECK_INT(pl_tetrahedralise(solid, NULL, &mesh, NULL, &error), PL_ERROR_MESH);
    CHECK_TEXT(error.text, "no triangles");
    // both sides of a sheet are closed, and empty
    pl_mesh* both = sample_join(sheet, sheet, 0.0);
    for (int t = sheet->triangle_count; t < both->triangle_count; t++) {
        int swap = both->triangles[3 * t];
        both->triangles[3 * t] = both->triangles[3 * t + 1];
        both->triangles[3 * t + 1] = swap;
    }
    CHECK_INT(pl_tetrahedralise(both, NULL, &mesh, NULL, &error), PL_ERROR_MESH);
    CHECK_TEXT(error.text, "nothing is inside");
    pl_mesh_destroy(both);
    pl_mesh* sphere = sample_sphere(2);
    pl_tetrahedralise_options options = pl_default_tetrahedralise_options();
    options.edge = 1e-6;
    CHECK_INT(pl_tetrahedralise(sphere, &options, &mesh, NULL, &error), PL_ERROR_LIMIT);
    CHECK_TEXT(error.text, "take an edge above");
    options.edge = 10.0;
    CHECK_INT(pl_tetrahedralise(sphere, &options, &mesh, NULL, &error), PL_ERROR_MESH);
    CHECK_TEXT(error.text, "smaller edge");
    options.edge = NAN;
    CHECK_INT(pl_tetrahedralise(sphere, &options, &mesh, NULL, &error), PL_ERROR_ARGUMENT);
    sphere->positions[7] = NAN;
    CHECK_INT(pl_tetrahedralise(sphere, NULL, &mesh, NULL, &error), PL_ERROR_MESH);
    CHECK_TEXT(error.text, "not finite");
    pl_mesh_destroy(sphere);
    pl_mesh_destroy(solid);
    pl_mesh_destroy(sheet);
}

TEST(stuffing_survives_every_failing_allocation)
{
    pl_mesh *sphere = sample_sphere(1), *mesh;
    pl_error error;
    pl_tetrahedralise_options options = pl_default_tetrahedralise_options();
    options.edge = 0.25;
    size_t before = pl_byte_count();
    for (int64_t nth = 1;; nth++) {
        pl_inject_failure(nth);
        pl_status status = pl_tetrahedralise(sphere, &options, &mesh, NULL, &error);
        pl_inject_failure(0);
        if (status == PL_OK) break;
        CHECK_INT(status, PL_ERROR_MEMORY);
        CHECK(!mesh);
        CHECK_INT(pl_byte_count(), before);
    }
    pl_mesh_destroy(mesh);
    pl_mesh_destroy(sphere);
}

// every surface of PLIANT_DATA: volume share that may be lost at a moderate edge, and whether
// the file is tolerated with notes, or refused
typedef struct surface_case {
    const char* name;
    double lost;
    const char* note; // that must be there, or NULL
} surface_case;

static void check_surface_case(const surface_case* s) {
    char name[128];
    snprintf(name, sizeof name, "surfaces/%s", s->name);
    pl_mesh *surface, *mesh;
    pl_error error;
    pl_notes* notes;
    pl_pool* pool;
    CHECK(pl_notes_create(&notes) == PL_OK);
    CHECK_OK(pl_pool_create(2, &pool, &error), &error);
    CHECK_OK(pl_mesh_read(pl_test_data(name), NULL, &surface, NULL, &error), &error);
    pl_tetrahedralise_options options = pl_default_tetrahedralise_options();
    options.pool = pool;
    CHECK_OK(pl_tetrahedralise(surface, &options, &mesh, notes, &error), &error);
    tet_quality q = check_tets(mesh);
    CHECK(q.min_angle > min_angle && q.max_angle < max_angle);
    pl_surface_edges edges;
    CHECK_OK(pl_surface_edges_count(surface->positions, surface->vertex_count, surface->triangles,
                                    surface->triangle_count, &edges, &error),
             &error);
    double change = q.volume / edges.signed_volume - 1.0;
    if (!(change < 0.04 && change > -s->lost))
        pl_test_fail(__FILE__, __LINE__, "%s: volume changed by %g", s->name, change);
    CHECK(!s->note || has_note(notes, s->note));
    pl_mesh_destroy(mesh);
    pl_mesh_destroy(surface);
    pl_pool_destroy(pool);
    pl_notes_destroy(notes);
}

static void check_surface_cases(const surface_case* cases, size_t count) {
    for (size_t i = 0; i < count; i++) check_surface_case(&cases[i]);
}

REAL_MESH_TEST(stuffing_of_scanned_surfaces)
{
    static const surface_case cases[] = {
        {"armadillo_15k.obj", 0.03, NULL},
        {"armadillo_43k.obj.gz", 0.03, NULL},
        {"bunny_3k.obj", 0.01, NULL},
        {"bunny_30k.obj.gz", 0.01, NULL},
        {"bunny_stanford_raw.obj.gz", 0.01, "5 holes with 223 boundary edges"},
        {"kingkong_10k.obj", 0.01, NULL},
        {"spot_3k.obj", 0.01, NULL},
        {"hand_8k.obj", 0.02, NULL},
    };
    check_surface_cases(cases, sizeof cases / sizeof cases[0]);
}

REAL_MESH_TEST(stuffing_of_dirty_and_thin_surfaces)
{
    static const surface_case cases[] = {
        {"asian_dragon_25k.obj.gz", 0.09, "pairs of surface triangles intersect"},
        {"cow_3k.obj", 0.03, "pairs of surface triangles intersect"},
        {"dragon_50k.obj.gz", 0.04, "pairs of surface triangles intersect"},
        {"dragon_50k_repaired.off.gz", 0.04, NULL},
        {"octopus_29k_wrapped.off.gz", 0.08, NULL},
        {"octopus_5k.obj", 0.08, "4 holes with 28 boundary edges"},
        {"scorpion_6k.obj", 0.15, "connected parts"},
    };
    check_surface_cases(cases, sizeof cases / sizeof cases[0]);
}

TEST(stuffing_refuses_cloths)
{
    for (int i = 0; i < 2; i++) {
        pl_mesh *surface, *mesh;
        pl_error error;
        if (i == 0) CHECK_OK(pl_generate("cloth", NULL, &surface, &error), &error);
        else
            CHECK_OK(pl_mesh_read(PL_TEST_SOURCE_DIR "/scenes/meshes/skirt.obj", NULL, &surface,
                                  NULL, &error),
                     &error);
        CHECK_INT(pl_tetrahedralise(surface, NULL, &mesh, NULL, &error), PL_ERROR_MESH);
        CHECK_TEXT(error.text, "open, as cloth is");
        CHECK(!mesh);
        pl_mesh_destroy(surface);
    }
}

REAL_MESH_TEST(stuffing_refuses_real_cloths)
{
    static const char* const names[] = {
        "surfaces/cloth_dress_20k.obj.gz", "surfaces/cloth_poncho_9k.obj.gz",
        "surfaces/cloth_skirt_4k.obj", "surfaces/cloth_tablecloth_14k.obj.gz",
        "surfaces/cloth_tshirt_3k.obj"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        pl_mesh *surface, *mesh;
        pl_error error;
        CHECK_OK(pl_mesh_read(pl_test_data(names[i]), NULL, &surface, NULL, &error), &error);
        CHECK_INT(pl_tetrahedralise(surface, NULL, &mesh, NULL, &error), PL_ERROR_MESH);
        CHECK_TEXT(error.text, "open, as cloth is");
        CHECK(!mesh);
        pl_mesh_destroy(surface);
    }
}
