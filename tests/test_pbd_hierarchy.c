// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The levels of method pbd: what must hold for them on any mesh, and what the solver makes of them.
#include "base/memory.h"
#include "pbd_samples.h"
#include "test.h"

#include <stdlib.h>

static void check_parents(const pl_pbd_level* fine, int parents) {
    const pl_coarsening* c = &fine->to_coarser;
    CHECK(c->coarse_count < c->fine_count && c->coarse_count > 0);
    for (int i = 0; i < c->fine_count; i++) {
        double sum = 0.0;
        int begin = c->parent_offsets[i], end = c->parent_offsets[i + 1];
        for (int k = begin; k < end; k++) {
            CHECK(c->parents[k] >= 0 && c->parents[k] < c->coarse_count);
            CHECK(c->weights[k] > 0.0f);
            sum += (double)c->weights[k];
        }
        CHECK_NEAR(sum, 1.0, 1e-6);
        if (c->coarse_of_fine[i] < 0) {
            CHECK(end - begin >= parents);
        } else {
            CHECK_INT(end - begin, 1);
            CHECK_INT(c->parents[begin], c->coarse_of_fine[i]);
            CHECK_INT(c->fine_of_coarse[c->coarse_of_fine[i]], i);
        }
    }
}

static bool has_edge(const int* triangle, int a, int b) {
    bool first = false, second = false;
    for (int i = 0; i < 3; i++)
        first = first || triangle[i] == a, second = second || triangle[i] == b;
    return first && second;
}

// edges of a level that are in none of its triangles, though both ends are in some
static int bare_edges(const pl_particle_graph* g) {
    int bare = 0;
    for (int e = 0; e < g->edge_count; e++) {
        bool found = false, first = false, second = false;
        int a = g->edges[2 * e], b = g->edges[2 * e + 1];
        for (int t = 0; !found && t < g->triangle_count; t++) {
            const int* corners = g->triangles + 3 * t;
            found = has_edge(corners, a, b);
            first = first || has_edge(corners, a, a), second = second || has_edge(corners, b, b);
        }
        bare += !found && first && second;
    }
    return bare;
}

static void check_levels(pl_mesh* mesh, int parents, bool triangles) {
    pl_body body = pbd_body();
    body.pbd.hierarchy = 5, body.pbd.parents = parents;
    pbd_sample s = pbd_sample_create(mesh, &body, NULL);
    const pl_hierarchy* h = &s.system->bodies[0].hierarchy;
    CHECK(h->level_count > 2);
    for (int l = 0; l + 1 < h->level_count; l++) {
        check_parents(&h->levels[l], parents);
        const pl_particle_graph *fine = &h->levels[l].graph, *coarse = &h->levels[l + 1].graph;
        CHECK(coarse->edge_count < fine->edge_count);
        for (int e = 0; e < coarse->edge_count; e++) {
            int a = coarse->edges[2 * e], b = coarse->edges[2 * e + 1];
            CHECK(a >= 0 && a < b && b < coarse->particle_count);
            // a path is never shorter than the straight way
            double straight = pl_distance(pl_vec3_load(coarse->places + 3 * a),
                                          pl_vec3_load(coarse->places + 3 * b));
            CHECK(coarse->rest[e] >= straight * (1.0 - 1e-12));
        }
        if (triangles) CHECK_INT(bare_edges(coarse), 0);
    }
    pbd_sample_free(&s);
}

TEST(pbd_levels_of_cloth)
{
    check_levels(pbd_cloth(21, 34), 2, true);
    check_levels(pbd_cloth(34, 21), 1, true);
    check_levels(pbd_cloth(20, 20), 3, false); // too many parents for the direct way
    for (int parents = 1; parents <= 3; parents++)
        check_levels(pbd_irregular_cloth(18), parents, parents == 2);
}

TEST(pbd_levels_of_tets)
{
    check_levels(pbd_box(5), 2, false);
    check_levels(pbd_box(5), 4, false);
}

TEST(pbd_levels_of_parts_that_are_not_joined)
{
    check_levels(pbd_two_cloths(14), 2, false);
    pl_body body = pbd_body();
    body.pbd.hierarchy = 4;
    pbd_sample s = pbd_sample_create(pbd_two_cloths(14), &body, NULL);
    const pl_hierarchy* h = &s.system->bodies[0].hierarchy;
    for (int l = 0; l < h->level_count; l++) { // x < 1: the one, else the other
        const pl_particle_graph* g = &h->levels[l].graph;
        int counts[2] = {0, 0};
        for (int i = 0; i < g->particle_count; i++) counts[g->places[3 * i] > 1.5]++;
        CHECK(counts[0] > 0 && counts[1] > 0);
        for (int e = 0; e < g->edge_count; e++)
            CHECK((g->places[3 * g->edges[2 * e]] > 1.5) ==
                  (g->places[3 * g->edges[2 * e + 1]] > 1.5));
    }
    pbd_sample_free(&s);
}

static int attached_on(const pl_hierarchy* h, int level) {
    int count = 0;
    for (int i = 0; i < h->levels[level].graph.particle_count; i++)
        count += h->levels[level].graph.attached[i];
    return count;
}

// vertices near the rim y = 0, held where they are
static int pin_rim(const pl_mesh* mesh, pl_pin* pins) {
    int count = 0;
    for (int v = 0; v < mesh->vertex_count; v++) {
        pl_vec3 x = pl_vec3_load(mesh->positions + 3 * v);
        if (x.y < 1e-9) pins[count++] = (pl_pin){.vertex = v, .hard = true, .from = x, .target = x};
    }
    return count;
}

TEST(pbd_attached_particles_stay_coarse)
{
    static const double keep[] = {NAN, 1.0, 0.0};
    int left[3];
    for (int k = 0; k < 3; k++) {
        pl_body body = pbd_body();
        body.pbd.hierarchy = 2, body.pbd.keep_attached = keep[k];
        pbd_sample s = pbd_sample_create(pbd_irregular_cloth(20), &body, NULL);
        pl_pin* pins = malloc((size_t)s.mesh->vertex_count * sizeof(pl_pin));
        int count = pin_rim(s.mesh, pins);
        CHECK(count > 8);
        const pl_hierarchy* h = &s.system->bodies[0].hierarchy;
        CHECK_INT(attached_on(h, 0), 0);
        pbd_sample_step(&s, 1.0 / 60.0, pins, count);
        CHECK_INT(attached_on(h, 0), count);
        for (int l = 0; l + 1 < h->level_count; l++) check_parents(&h->levels[l], 2);
        left[k] = attached_on(h, 1);
        if (k == 1) CHECK_INT(left[k], count); // certain
        // let go: the levels are made again
        pbd_sample_step(&s, 1.0 / 60.0, NULL, 0);
        CHECK_INT(attached_on(h, 1), 0);
        free(pins);
        pbd_sample_free(&s);
    }
    CHECK(left[0] >= left[2]);
}

// the part of its momentum that a body gains, linear and angular, in a second
static void drift(pl_mesh* mesh, double h, int hierarchy, bool lumped, double* linear,
                  double* angular) {
    pl_body body = pbd_body();
    body.pbd.hierarchy = hierarchy, body.pbd.lumped_mass = lumped;
    body.solver.iterations = 4;
    pbd_sample s = pbd_sample_create(mesh, &body, NULL);
    for (int v = 0; v < mesh->vertex_count; v++) {
        pl_vec3 x = pl_vec3_load(s.system->positions + 3 * v);
        pl_vec3 turn = pl_cross((pl_vec3){0.3, 1.0, 2.0}, x);
        pl_vec3_store(s.system->velocities + 3 * v, pl_add(turn, (pl_vec3){1, 0, x.x * x.y}));
    }
    pl_vec3 p = pbd_momentum(&s), a = pbd_angular_momentum(&s);
    for (int k = 0; k < (int)(0.5 + 1.0 / h); k++) pbd_sample_step(&s, h, NULL, 0);
    *linear = pl_distance(pbd_momentum(&s), p) / pl_norm(p);
    *angular = pl_distance(pbd_angular_momentum(&s), a) / pl_norm(a);
    pbd_sample_free(&s);
}

static pl_mesh* momentum_mesh(int which) {
    return which == 0 ? pbd_cloth(20, 20) : which == 1 ? pbd_irregular_cloth(20) : pbd_box(4);
}

// Four times the standard deviation of the velocity that rounded floats give a body of `particles`
// equal ones, each stored `moves` times: places up to 1 m are rounded to 2^-24 m, in each of three
// coordinates by a twelfth of that squared, and divided by the step.
static double rounded_velocity(double moves, double particles, double h) {
    return 4.0 * sqrt(3.0 / 12.0) * ldexp(1.0, -24) / h * sqrt(moves / particles);
}

// Projections keep both momenta (pbd_solver tests). Over a step the linear one stays; the angular
// one of x and v = (x - x0) / h changes with the turn of the gradients during the step, which is of
// the order of the step.
TEST(pbd_momentum_is_kept)
{
    static const char* const names[] = {"regular", "irregular", "tets"};
    for (int m = 0; m < 3; m++) {
        double linear, angular, half, half_angular;
        drift(momentum_mesh(m), 1.0 / 60.0, 0, true, &linear, &angular);
        drift(momentum_mesh(m), 1.0 / 120.0, 0, true, &half, &half_angular);
        printf("%s without levels: linear %.1e, angular %.1e, at half the step %.1e\n", names[m],
               linear, angular, half_angular);
        // of a momentum of 1 m/s: four sweeps, at least 6 constraints at each of 64 particles
        double moves = 4.0 * 6.0;
        CHECK(linear < rounded_velocity(60.0 * moves, 64.0, 1.0 / 60.0));
        CHECK(half < rounded_velocity(120.0 * moves, 64.0, 1.0 / 120.0));
        CHECK(angular < 0.1 && half_angular < 0.75 * angular);
    }
}

TEST(pbd_momentum_is_kept_by_lumped_masses)
{
    static const char* const names[] = {"regular", "irregular", "tets"};
    for (int m = 0; m < 3; m++) {
        double linear, angular, other, other_angular;
        drift(momentum_mesh(m), 1.0 / 60.0, 3, true, &linear, &angular);
        drift(momentum_mesh(m), 1.0 / 60.0, 3, false, &other, &other_angular);
        printf("%s, 3 levels, lumped masses: linear %.1e, angular %.1e; the paper's: %.1e, %.1e\n",
               names[m], linear, angular, other, other_angular);
        // rounding again: the coarsest particles, of which there are some ten, hand what they are
        // rounded by to all that hangs on them, some 10^4 times in this second
        CHECK(linear < rounded_velocity(1e4, 10.0, 1.0 / 60.0));
        CHECK(angular < 0.5);
        CHECK(other > 100.0 * linear); // the choice makes the difference
    }
}

// A cloth folded to and fro along every column, all edges at their rest length.
static void fold(pbd_sample* s, int columns, double height) {
    double dx = 1.0 / (columns - 1), width = sqrt(dx * dx - 4.0 * height * height);
    for (int v = 0; v < s->mesh->vertex_count; v++) {
        s->system->positions[3 * v] = width * (v % columns);
        s->system->positions[3 * v + 2] = v % columns % 2 ? height : -height;
    }
}

static double fold_height(const pbd_sample* s, int columns) {
    double sum = 0.0;
    for (int v = 0; v < s->mesh->vertex_count; v++)
        sum += s->system->positions[3 * v + 2] * (v % columns % 2 ? 1.0 : -1.0);
    return sum / s->mesh->vertex_count;
}

TEST(pbd_wrinkles_survive_the_levels)
{
    pl_body body = pbd_body();
    body.pbd.hierarchy = 4;
    body.solver.iterations = 1;
    pbd_sample s = pbd_sample_create(pbd_cloth(33, 33), &body, NULL);
    double height = 0.2 / 32.0;
    fold(&s, 33, height);
    pbd_sample_step(&s, 1.0 / 60.0, NULL, 0); // slack: nothing to do on any level
    CHECK_NEAR(fold_height(&s, 33), height, 1e-6);
    // pulled along the folds, against the upper rim: levels act, folds stay
    pl_pin pins[33];
    for (int k = 0; k < 33; k++) {
        pl_vec3 at = pl_vec3_load(s.system->positions + 3 * k);
        pins[k] = (pl_pin){.vertex = k, .hard = true, .from = at, .target = at};
    }
    for (int v = 0; v < s.mesh->vertex_count; v++) {
        s.force[3 * v + 1] = 50.0 * s.system->mass[v];
        for (int i = 0; i < 3; i++) s.system->velocities[3 * v + i] = 0.0;
    }
    double bottom = s.system->positions[3 * (33 * 33 - 1) + 1];
    for (int k = 0; k < 10; k++) pbd_sample_step(&s, 1.0 / 60.0, pins, 33);
    double kept = fold_height(&s, 33) / height;
    double stretch = s.system->positions[3 * (33 * 33 - 1) + 1] / bottom - 1.0;
    printf("after 10 steps of pull: %.1f %% of the folds left, stretch %.2f %%\n", 100.0 * kept,
           100.0 * stretch);
    CHECK(kept > 0.9);
    CHECK(stretch < 0.03);
    pbd_sample_free(&s);
}

static double hanging_stretch(pl_mesh* mesh, const pl_body* body) {
    pbd_sample s = pbd_sample_create(mesh, body, NULL);
    pl_pin* pins = malloc((size_t)mesh->vertex_count * sizeof(pl_pin));
    int count = pin_rim(mesh, pins);
    for (int v = 0; v < mesh->vertex_count; v++) s.force[3 * v + 1] = 9.81 * s.system->mass[v];
    for (int k = 0; k < 120; k++) pbd_sample_step(&s, 1.0 / 60.0, pins, count);
    double highest = 0.0;
    for (int v = 0; v < mesh->vertex_count; v++)
        highest = fmax(highest, s.system->positions[3 * v + 1]);
    free(pins);
    pbd_sample_free(&s);
    return highest - 1.0;
}

TEST(pbd_levels_make_cloth_stiff)
{
    pl_body plain = pbd_body(), levels = pbd_body();
    plain.solver.iterations = levels.solver.iterations = 3;
    levels.pbd.hierarchy = 5;
    for (int regular = 0; regular < 2; regular++) {
        double without =
            hanging_stretch(regular ? pbd_cloth(25, 41) : pbd_irregular_cloth(25), &plain);
        double with =
            hanging_stretch(regular ? pbd_cloth(25, 41) : pbd_irregular_cloth(25), &levels);
        printf("%s: stretch %.1f %% without levels, %.1f %% with\n",
               regular ? "regular" : "irregular", 100.0 * without, 100.0 * with);
        CHECK(with < 0.25 * without);
        CHECK(with > -0.01);
    }
}

// Sums of edges are too long on an irregular mesh; laid flat they are nearly what the straight line
// gives, which is right for this cloth: it is flat at rest.
TEST(pbd_rest_lengths_of_coarse_levels)
{
    static const pl_rest_length lengths[] = {PL_REST_LENGTH_PATH, PL_REST_LENGTH_GEODESIC,
                                             PL_REST_LENGTH_DISTANCE};
    double stretch[3];
    for (int k = 0; k < 3; k++) {
        pl_body body = pbd_body();
        body.solver.iterations = 3;
        body.pbd.hierarchy = 5, body.pbd.rest_length = lengths[k];
        stretch[k] = hanging_stretch(pbd_irregular_cloth(25), &body);
    }
    printf("stretch by path %.1f %%, geodesic %.1f %%, straight %.1f %%\n", 100.0 * stretch[0],
           100.0 * stretch[1], 100.0 * stretch[2]);
    CHECK(stretch[1] < 0.3 * stretch[0]);
    CHECK(stretch[2] < 0.02 && stretch[1] > 0.0);
}

TEST(pbd_levels_make_solids_stiff)
{
    pl_body plain = pbd_body(), levels = pbd_body();
    plain.solver.iterations = levels.solver.iterations = 2;
    levels.pbd.hierarchy = 3;
    double without = hanging_stretch(pbd_box(8), &plain);
    double with = hanging_stretch(pbd_box(8), &levels);
    printf("box: stretch %.2f %% without levels, %.2f %% with\n", 100.0 * without, 100.0 * with);
    CHECK(with < 0.5 * without);
}

TEST(pbd_a_level_alone_stands_for_the_body)
{
    pl_body body = pbd_body();
    body.pbd.hierarchy = 4, body.pbd.level = 2;
    body.solver.iterations = 4;
    pbd_sample s = pbd_sample_create(pbd_cloth(33, 33), &body, NULL);
    pl_pin pins[33];
    CHECK_INT(pin_rim(s.mesh, pins), 33);
    for (int v = 0; v < s.mesh->vertex_count; v++) s.force[3 * v + 1] = 9.81 * s.system->mass[v];
    for (int k = 0; k < 60; k++) pbd_sample_step(&s, 1.0 / 60.0, pins, 33);
    const double* x = s.system->positions;
    for (int i = 0; i < 33; i++) CHECK_NEAR(x[3 * (33 * 32 + i) + 1], 1.0, 0.03);
    // what is not on the level lies between those that are: every fourth row and column
    for (int j = 0; j + 4 < 33; j += 4)
        CHECK_NEAR(x[3 * (33 * (j + 2)) + 1],
                   0.5 * (x[3 * (33 * j) + 1] + x[3 * (33 * (j + 4)) + 1]), 1e-5);
    double mass = 0.0, coarse = 0.0;
    const pl_pbd_level* level = &s.system->bodies[0].hierarchy.levels[2];
    for (int v = 0; v < s.mesh->vertex_count; v++) mass += s.system->mass[v];
    for (int i = 0; i < level->graph.particle_count; i++) coarse += level->mass[i];
    CHECK(coarse > 0.9 * mass && coarse <= mass * (1.0 + 1e-6)); // but for some that is held
    pbd_sample_free(&s);
}
