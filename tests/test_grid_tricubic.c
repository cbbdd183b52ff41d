// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Tricubic embedding of vertices in a lattice, and a kinematic skeleton in one.
#include "base/memory.h"
#include "base/random.h"
#include "grid/grid_embedding.h"
#include "grid_samples.h"
#include "run_samples.h"
#include "test.h"

#include <math.h>

typedef struct sample {
    pl_grid_cells cells;
    pl_grid_frame frame;
    pl_grid_level level;
    pl_grid_state state;
    pl_grid_embedding_map linear;
    pl_grid_tricubic cubic;
} sample;

// a ball without a limb, held at its low x
static sample start(int r) {
    pl_error error;
    sample s = {.cells = sample_ball_cells(r), .frame = {.origin = {0.1, -0.2, 0.3}, .cell = 0.5}};
    for (int i = r; i < 2 * r; i++)
        s.cells.kinds[pl_grid_cells_index(&s.cells, i, 0, 0)] = PL_CELL_EXTERIOR;
    CHECK_OK(pl_grid_level_create(&s.cells, &s.level, &error), &error);
    CHECK_OK(pl_grid_state_create(&s.level, &s.state, &error), &error);
    return s;
}

static void embed(sample* s, const double* positions, int count) {
    pl_error error;
    CHECK_OK(pl_grid_embed(&s->level, &s->cells, &s->frame, positions, count, &s->linear, &error),
             &error);
    CHECK_OK(pl_grid_tricubic_create(&s->level, &s->cells, &s->frame, positions, count, &s->cubic,
                                     &error),
             &error);
}

static void forget(sample* s) {
    pl_grid_embedding_free(&s->linear);
    pl_grid_tricubic_free(&s->cubic);
}

static void end(sample* s) {
    forget(s);
    pl_grid_state_free(&s->level, &s->state);
    pl_grid_level_free(&s->level);
    pl_grid_cells_free(&s->cells);
}

// random positions in cells that are in use
static void scatter(const sample* s, double* positions, int count) {
    pl_random random = {3};
    for (int v = 0; v < count;) {
        int cell[3];
        for (int d = 0; d < 3; d++) {
            double x = pl_random_uniform(&random, s->cells.low[d],
                                         s->cells.low[d] + (double)s->cells.size[d]);
            cell[d] = (int)floor(x);
            positions[3 * v + d] = s->frame.origin[d] + s->frame.cell * x;
        }
        v += pl_grid_cell(&s->cells, cell[0], cell[1], cell[2]) != PL_CELL_EXTERIOR;
    }
}

static double linear_field(int a, const double* x) {
    static const double G[3][4] = {
        {0.3, -1.1, 0.4, 0.2}, {0.7, 0.5, -0.2, -0.6}, {-0.4, 0.1, 0.9, 1.0}};
    return G[a][0] * x[0] + G[a][1] * x[1] + G[a][2] * x[2] + G[a][3];
}

// the linear field where faces are variables or given, nothing elsewhere
static void set_linear(sample* s) {
    for (int g = 0; g < s->level.segment_count; g++) {
        const pl_grid_segment* r = &s->level.segments[g];
        for (int i = 0; i < r->count * PL_GRID_CHUNK; i++)
            for (int a = 0; a < 3; a++) {
                double x[3] = {r->x + i + 0.5, r->y + 0.5, r->z + 0.5};
                int low[3] = {r->x + i, r->y, r->z};
                x[a] -= 0.5, low[a]--;
                pl_cell one = pl_grid_cell(&s->cells, r->x + i, r->y, r->z);
                pl_cell two = pl_grid_cell(&s->cells, low[0], low[1], low[2]);
                bool set = one == PL_CELL_DIRICHLET || two == PL_CELL_DIRICHLET ||
                           (one == PL_CELL_INTERIOR && two == PL_CELL_INTERIOR);
                for (int d = 0; d < 3; d++) x[d] = s->frame.origin[d] + s->frame.cell * x[d];
                s->state.u[a][r->begin + i] = set ? linear_field(a, x) : 0.0;
            }
    }
}

enum { COUNT = 4000 };
static double positions[3 * COUNT], found[3 * COUNT], other[3 * COUNT];

TEST(grid_tricubic_meets_linear_fields)
{
    sample s = start(5);
    scatter(&s, positions, COUNT);
    embed(&s, positions, COUNT);
    CHECK(s.cubic.ghosts.count > 0);
    set_linear(&s);
    pl_grid_extend(&s.linear, s.state.u);
    pl_grid_tricubic_interpolate(&s.cubic, s.state.u, found, NULL);
    for (int i = 0; i < 3 * COUNT; i++)
        CHECK_NEAR(found[i], linear_field(i % 3, positions + i / 3 * 3), 1e-6);
    end(&s);
}

// the largest change of slope from point to point on a line that passes through `cells` cells
static void largest_kinks(sample* s, int points, double* linear, double* cubic) {
    double step = 5.0 / points;
    for (int v = 0; v < points; v++) {
        const double x[3] = {-2.4 + step * v, 3.61 - 0.1 * step * v, 0.37 + 0.2 * step * v};
        for (int d = 0; d < 3; d++)
            positions[3 * v + d] = s->frame.origin[d] + s->frame.cell * x[d];
        int cell[3] = {(int)floor(x[0]), (int)floor(x[1]), (int)floor(x[2])};
        CHECK(pl_grid_cell(&s->cells, cell[0], cell[1], cell[2]) != PL_CELL_EXTERIOR);
    }
    embed(s, positions, points);
    pl_grid_extend(&s->linear, s->state.u);
    pl_grid_interpolate(&s->linear, s->state.u, found, NULL);
    pl_grid_tricubic_interpolate(&s->cubic, s->state.u, other, NULL);
    *linear = *cubic = 0.0;
    for (int i = 3; i < 3 * (points - 1); i++) {
        *linear = fmax(*linear, fabs(found[i - 3] - 2.0 * found[i] + found[i + 3]) / step);
        *cubic = fmax(*cubic, fabs(other[i - 3] - 2.0 * other[i] + other[i + 3]) / step);
    }
    forget(s);
}

TEST(grid_tricubic_has_no_kinks)
{
    // close to the surface, so that faces outside take part; slopes change less and less from point
    // to point as these come closer, but for kinks
    sample s = start(5);
    fill_random(&s.level, &s.state, 17);
    double linear[2], cubic[2];
    largest_kinks(&s, 500, &linear[0], &cubic[0]);
    largest_kinks(&s, 2000, &linear[1], &cubic[1]);
    CHECK(linear[1] > 0.8 * linear[0]);
    CHECK(cubic[1] < 0.3 * cubic[0]);
    CHECK(cubic[1] < 0.1 * linear[1]);
    end(&s);
}

TEST(grid_tricubic_has_the_same_bits_with_any_pool)
{
    sample s = start(5);
    pl_error error;
    pl_pool* pool;
    CHECK_OK(pl_pool_create(3, &pool, &error), &error);
    scatter(&s, positions, COUNT);
    embed(&s, positions, COUNT);
    fill_random(&s.level, &s.state, 17);
    pl_grid_extend(&s.linear, s.state.u);
    pl_grid_tricubic_interpolate(&s.cubic, s.state.u, found, NULL);
    pl_grid_tricubic_interpolate(&s.cubic, s.state.u, other, pool);
    CHECK(memcmp(found, other, sizeof found) == 0);
    pl_pool_destroy(pool);
    end(&s);
}

TEST(grid_tricubic_survives_lost_memory)
{
    sample s = start(4);
    scatter(&s, positions, 500);
    for (int n = 1;; n++) {
        pl_error error;
        pl_inject_failure(n);
        pl_status status =
            pl_grid_tricubic_create(&s.level, &s.cells, &s.frame, positions, 500, &s.cubic, &error);
        pl_inject_failure(0);
        if (status == PL_OK) break;
        CHECK(status == PL_ERROR_MEMORY);
        CHECK(n < 200);
    }
    end(&s);
}

// ------------------------------------------------------------------ in the world

#define BAR(embedding)                                                                             \
    "{\"pliant\": 1, \"time_step\": 0.02, \"bodies\": [{\"name\": \"bar\", \"generate\":"          \
    " {\"shape\": \"bar\", \"size_x\": 1, \"size_y\": 0.25, \"size_z\": 0.25, \"edge\": 0.06},"    \
    " \"transform\": {\"translate\": [0, 0.2, 0], \"rotate\": [0, 0, 20]}, \"method\": \"grid\","  \
    " \"grid\": {\"cell\": 0.0625, \"embedding\": \"" embedding "\"}, \"material\":"               \
    " {\"law\": \"corotated\", \"young\": 2e4, \"poisson\": 0.3}, \"linear_tolerance\": 1e-4}],"   \
    " \"colliders\": [{\"plane\": {}}]}"

TEST(grid_tricubic_is_for_show_only)
{
    // contacts and the lattice are those of the trilinear embedding, to the bit
    pl_world *linear = sample_start(BAR("trilinear")), *cubic = sample_start(BAR("tricubic"));
    pl_frame_info one, two;
    sample_step(linear, 15, &one);
    sample_step(cubic, 15, &two);
    CHECK(one.contact_count > 0);
    CHECK_INT(one.contact_count, two.contact_count);
    CHECK(one.elastic_energy > 0.0);
    CHECK(one.elastic_energy == two.elastic_energy);
    CHECK(one.kinetic_energy == two.kinetic_energy);
    double apart = 0.0;
    for (int i = 0; i < 3 * pl_world_mesh(linear, 0)->vertex_count; i++)
        apart =
            fmax(apart, fabs(pl_world_positions(linear, 0)[i] - pl_world_positions(cubic, 0)[i]));
    CHECK(apart > 0.0);
    CHECK(apart < 0.25 * 0.0625);
    pl_world_destroy(linear);
    pl_world_destroy(cubic);
}

LONG_TEST(grid_tricubic_step_that_fails_leaves_no_trace)
{
    pl_world *one = sample_start(BAR("tricubic")), *two = sample_start(BAR("tricubic"));
    pl_error error;
    size_t bytes = 3 * (size_t)pl_world_mesh(one, 0)->vertex_count * sizeof(double);
    sample_step(one, 12, NULL);
    sample_step(two, 12, NULL);
    pl_world_forces(one, 0)[0] = NAN;
    CHECK(pl_world_step(one, NULL, &error) != PL_OK);
    CHECK(memcmp(pl_world_positions(one, 0), pl_world_positions(two, 0), bytes) == 0);
    CHECK(memcmp(pl_world_velocities(one, 0), pl_world_velocities(two, 0), bytes) == 0);
    pl_world_forces(one, 0)[0] = 0.0;
    sample_step(one, 1, NULL);
    sample_step(two, 1, NULL);
    CHECK(memcmp(pl_world_positions(one, 0), pl_world_positions(two, 0), bytes) == 0);
    pl_world_destroy(one);
    pl_world_destroy(two);
}

// ------------------------------------------------------------------ a skeleton

LONG_TEST(grid_flesh_follows_its_bones)
{
    // an arm along z with two bones; the second one turns by 60 degrees about the elbow, z = 0.5
    pl_world* world = sample_start(
        "{\"pliant\": 1, \"time_step\": 0.1, \"gravity\": [0, 0, 0], \"bodies\": [{\"name\":"
        " \"arm\", \"generate\": {\"shape\": \"cylinder\", \"radius\": 0.2, \"height\": 1,"
        " \"edge\": 0.06}, \"method\": \"grid\", \"integrator\": \"quasistatic\", \"grid\":"
        " {\"cell\": 0.04, \"embedding\": \"tricubic\"}, \"material\": {\"young\": 1e5,"
        " \"poisson\": 0.4}, \"linear_tolerance\": 1e-3, \"linear_iterations\": 60}],"
        " \"attachments\": [{\"body\": \"arm\", \"where\": {\"capsule\": {\"from\": [0, 0, 0.1],"
        " \"to\": [0, 0, 0.35], \"radius\": 0.11}}}, {\"body\": \"arm\", \"where\": {\"capsule\":"
        " {\"from\": [0, 0, 0.65], \"to\": [0, 0, 0.9], \"radius\": 0.11}}, \"motion\":"
        " {\"pivot\": [0, 0, 0.5], \"keyframes\": [{\"time\": 0}, {\"time\": 0.5, \"rotate\":"
        " [60, 0, 0]}], \"interpolation\": \"linear\"}}]}");
    pl_frame_info info;
    for (int k = 0; k < 5; k++) {
        sample_step(world, 1, &info);
        CHECK_INT(info.unconverged_count, 0);
    }
    const pl_mesh* rest = pl_world_mesh(world, 0);
    const double *now = pl_world_positions(world, 0), c = 0.5, s = sqrt(0.75);
    int bones = 0;
    double still = 0.0, turned = 0.0, deep = 0.0, flesh = 0.0;
    for (int v = 0; v < rest->vertex_count; v++) {
        const double *X = rest->positions + 3 * (size_t)v, *x = now + 3 * (size_t)v;
        double y = c * X[1] - s * (X[2] - 0.5), z = 0.5 + s * X[1] + c * (X[2] - 0.5);
        double off = hypot(x[1] - y, x[2] - z), radius = hypot(X[0], X[1]);
        if (radius < 0.05 && X[2] > 0.12 && X[2] < 0.33)
            still = fmax(still, hypot(x[1] - X[1], x[2] - X[2])), bones++;
        if (radius < 0.05 && X[2] > 0.67 && X[2] < 0.88) turned = fmax(turned, off), bones++;
        if (radius < 0.02 && X[2] > 0.67 && X[2] < 0.88) deep = fmax(deep, off);
        // the skin around the second bone
        if (radius > 0.19 && X[2] > 0.75 && X[2] < 0.85) flesh = fmax(flesh, off);
    }
    CHECK(bones > 20);
    // within a hundredth of a cell, and exactly where interpolation does not reach the flesh; the
    // skin goes along, within half a cell
    CHECK(still < 4e-4);
    CHECK(turned < 4e-4);
    CHECK(deep < 1e-8);
    CHECK(flesh > 0.0);
    CHECK(flesh < 0.02);
    pl_world_destroy(world);
}
