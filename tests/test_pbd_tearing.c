// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Cloth that tears: nothing reaches across a cut on any level, whatever is torn in whatever order;
// the same bits after a checkpoint and for any number of threads; memory that runs out.
#include "base/memory.h"
#include "base/random.h"
#include "pbd_samples.h"
#include "run_samples.h"
#include "test.h"

#include <stdlib.h>

// each triangle with vertices of its own
static pl_mesh* parted(pl_mesh* mesh) {
    int count = 3 * mesh->triangle_count;
    double* positions = malloc(3 * (size_t)count * sizeof(double));
    int* triangles = malloc((size_t)count * sizeof(int));
    pl_mesh* out;
    pl_error error;
    for (int c = 0; c < count; c++) {
        memcpy(positions + 3 * c, mesh->positions + 3 * mesh->triangles[c], 3 * sizeof(double));
        triangles[c] = c;
    }
    CHECK_OK(pl_mesh_create(positions, count, NULL, 0, triangles, count / 3, &out, &error), &error);
    free(positions), free(triangles);
    pl_mesh_destroy(mesh);
    return out;
}

static int root_of(int* parent, int i) {
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
}

// the piece of each particle of level 0, by its lowest particle; gives the number of pieces
static int find_pieces(const pl_pbd_body* b, int* piece) {
    int count = b->tearing.particle_count, pieces = 0;
    for (int i = 0; i < count; i++) piece[i] = i;
    for (int c = 0; c < b->tearing.corner_count; c++) {
        int first = c - c % 3, p = b->order.new_of_old[b->tearing.particle_of_corner[c]];
        int q = b->order.new_of_old[b->tearing.particle_of_corner[first]];
        piece[root_of(piece, p)] = root_of(piece, q);
    }
    for (int i = 0; i < count; i++) piece[i] = root_of(piece, i);
    for (int i = 0; i < count; i++) pieces += piece[i] == i;
    return pieces;
}

static bool in_one_triangle(const pl_pbd_body* b, int p, int q) {
    for (int j = b->corners.offsets[p]; j < b->corners.offsets[p + 1]; j++)
        for (int k = 0; k < 3; k++) {
            int c = b->corners.items[j] - b->corners.items[j] % 3 + k;
            if (b->order.new_of_old[b->tearing.particle_of_corner[c]] == q) return true;
        }
    return false;
}

// constraints and parents of each level join particles of one piece; gives the number of pieces
static int check_links(const pl_pbd_body* b) {
    const pl_hierarchy* h = &b->hierarchy;
    int *fine = malloc((size_t)b->vertex_count * sizeof(int)), pieces = find_pieces(b, fine);
    int* coarse = malloc((size_t)b->vertex_count * sizeof(int));
    for (int l = 0; l < h->level_count; l++) {
        const pl_pbd_level* level = &h->levels[l];
        for (int k = 0; k < level->set_count; k++) {
            const pl_constraint_set* set = &level->sets[k];
            int corners = pl_constraint_traits_of[set->kind].corners;
            for (int c = 0; c < set->count; c++) {
                const int* v = set->vertices + c * corners;
                for (int i = 1; i < corners; i++) CHECK(fine[v[i]] == fine[v[0]]);
                if (l == 0 && corners == 2) CHECK(in_one_triangle(b, v[0], v[1]));
            }
        }
        if (l + 1 == h->level_count) break;
        const pl_coarsening* c = &level->to_coarser;
        for (int i = 0; i < c->coarse_count; i++) coarse[i] = fine[c->fine_of_coarse[i]];
        for (int i = 0; i < c->fine_count; i++)
            for (int k = c->parent_offsets[i]; k < c->parent_offsets[i + 1]; k++)
                CHECK(coarse[c->parents[k]] == fine[i]);
        memcpy(fine, coarse, (size_t)c->coarse_count * sizeof(int));
    }
    free(fine), free(coarse);
    return pieces;
}

static pl_body torn_body(double limit, int hierarchy) {
    pl_body body = pbd_body();
    body.pbd.tear = limit, body.pbd.bend = 0.2, body.pbd.hierarchy = hierarchy;
    body.solver.iterations = 4;
    return body;
}

TEST(pbd_corners_in_one_place_are_one_particle)
{
    pl_body body = torn_body(1.5, 2);
    pbd_sample s = pbd_sample_create(parted(pbd_cloth(9, 7)), &body, NULL);
    const pl_pbd_body* b = &s.system->bodies[0];
    CHECK_INT(b->tearing.particle_count, 63);
    CHECK_INT(s.system->vertex_count, 3 * 96);
    CHECK_INT(check_links(b), 1);
    double mass = 0.0, inner = 0.0;
    for (int v = 0; v < s.system->vertex_count; v++) mass += s.system->mass[v];
    for (int i = 0; i < 63; i++) inner += b->hierarchy.levels[0].mass[i];
    CHECK_NEAR(mass, inner, 1e-12);
    for (int k = 0; k < 20; k++) pbd_sample_step(&s, 1.0 / 60.0, NULL, 0); // nothing pulls
    CHECK_INT(b->tearing.particle_count, 63);
    pbd_sample_free(&s);
}

// The left and the right rim are drawn apart: two pieces at least, and each stays whole enough.
static void check_removed(const pl_pbd_body* b);

static void draw_apart(pl_tear_mode mode) {
    pl_body body = torn_body(1.3, 3);
    body.pbd.tear_mode = mode;
    pbd_sample s = pbd_sample_create(parted(pbd_cloth(17, 17)), &body, NULL);
    pl_pin pins[200];
    int count = 0;
    const double* rest = s.mesh->positions;
    for (int v = 0; v < s.mesh->vertex_count; v++)
        if (rest[3 * v] < 1e-9 || rest[3 * v] > 1.0 - 1e-9) {
            CHECK(count < 200);
            pl_vec3 at = pl_vec3_load(rest + 3 * v);
            pins[count++] = (pl_pin){.vertex = v, .hard = true, .from = at, .target = at};
        }
    const pl_pbd_body* b = &s.system->bodies[0];
    for (int k = 0; k < 60; k++) {
        for (int i = 0; i < count; i++) {
            pins[i].from = pins[i].target;
            pins[i].target.x += rest[3 * pins[i].vertex] > 0.5 ? 0.02 : -0.02;
        }
        pbd_sample_step(&s, 1.0 / 60.0, pins, count);
        if (!b->is_stale) check_links(b);
    }
    // what tears in a step is taken out of the links at the begin of the next one
    for (int k = 0; k == 0 || (b->is_stale && k < 60); k++)
        pbd_sample_step(&s, 1.0 / 60.0, pins, count);
    int pieces = check_links(b);
    printf("%d particles of 289, %d pieces\n", b->tearing.particle_count, pieces);
    CHECK(pieces >= 2);
    if (mode == PL_TEAR_REMOVE) check_removed(b);
    // drawn 2.4 m apart: an edge across would be longer than the cloth
    for (int c = 0; c < b->tearing.corner_count; c++) {
        const double *x = s.system->positions + 3 * c,
                     *y = s.system->positions + 3 * (c - c % 3 + (c + 1) % 3);
        CHECK(pl_distance(pl_vec3_load(x), pl_vec3_load(y)) < 0.5);
    }
    pbd_sample_free(&s);
}

TEST(pbd_a_tear_leaves_nothing_across_the_cut)
{ draw_apart(PL_TEAR_REBUILD); }

// The paper's way: beside the cut no coarse constraint at all, and nothing is handed down.
static void check_removed(const pl_pbd_body* b) {
    int cut = 0;
    for (int l = 0; l < b->hierarchy.level_count; l++) {
        const pl_pbd_level* level = &b->hierarchy.levels[l];
        CHECK(level->torn);
        for (int k = 0; l > 0 && k < level->set_count; k++)
            for (int c = 0; c < 2 * level->sets[k].count; c++)
                CHECK(!level->torn[level->sets[k].vertices[c]]);
        const pl_coarsening* c = &level->to_coarser;
        for (int i = 0; i < c->fine_count; i++)
            for (int k = c->parent_offsets[i]; level->torn[i] && k < c->parent_offsets[i + 1]; k++)
                CHECK(c->weights[k] == 0.0f), cut++;
    }
    CHECK(cut > 0);
}

TEST(pbd_a_tear_removes_links_as_the_paper_does)
{ draw_apart(PL_TEAR_REMOVE); }

TEST(pbd_ten_thousand_steps_of_random_tearing)
{
    pl_body body = torn_body(1.03, 2);
    body.solver.iterations = 1;
    pl_random random = {7};
    int torn = 0, rounds = 0;
    for (int done = 0; done < 10000; rounds++) {
        pbd_sample s = pbd_sample_create(parted(pbd_irregular_cloth(4)), &body, NULL);
        const pl_pbd_body* b = &s.system->bodies[0];
        int particles = b->tearing.particle_count;
        double radius = 0.0;
        for (int k = 0; k < 500; k++, done++) {
            if (k % 20 == 0) { // a push for some triangles
                int t = pl_random_int(&random, s.mesh->triangle_count);
                for (int i = 0; i < 9; i++)
                    s.system->velocities[9 * t + i] += 40.0 * pl_random_normal(&random);
            }
            pbd_sample_step(&s, 1.0 / 60.0, NULL, 0);
            CHECK(b->tearing.particle_count >= particles);
            torn += b->tearing.particle_count - particles;
            particles = b->tearing.particle_count;
            if (k % 50 == 49 && !b->is_stale) check_links(b);
        }
        for (int i = 0; i < 3 * s.system->vertex_count; i++)
            radius = fmax(radius, fabs(s.system->positions[i]));
        CHECK(isfinite(radius));
        pbd_sample_free(&s);
    }
    printf("%d particles split off in %d cloths\n", torn, rounds);
    CHECK(torn > 100);
}

// A slit up the middle of a cloth of 1 m between two heights; both ends hold. The corners of
// triangles to the right of it get particles of their own.
static const double SLIT_LOW = 0.3, SLIT_HIGH = 0.7;

static void cut_slit(pl_pbd_body* b, double low, double high) {
    pl_tearing* t = &b->tearing;
    int next = t->particle_count, *saved = malloc((size_t)t->corner_count * sizeof(int));
    int *copy = malloc((size_t)t->corner_count * sizeof(int)),
        *number = malloc((size_t)t->corner_count * sizeof(int));
    for (int c = 0; c < t->corner_count; c++) copy[c] = number[c] = -1;
    for (int c = 0; c < t->corner_count; c++) {
        const double *x = t->rest + 3 * c, *first = t->rest + 9 * (c / 3);
        saved[c] = t->particle_of_corner[c];
        if (fabs(x[0] - 0.5) > 1e-9 || x[1] < low + 1e-9 || x[1] > high - 1e-9) continue;
        if (first[0] + first[3] + first[6] < 1.5) continue;
        if (copy[saved[c]] < 0) copy[saved[c]] = next++;
        saved[c] = copy[saved[c]];
    }
    for (int c = 0, count = 0; c < t->corner_count; c++) { // by first corners
        if (number[saved[c]] < 0) number[saved[c]] = count++;
        saved[c] = number[saved[c]];
    }
    pl_tearing_load(t, saved);
    CHECK_INT(t->particle_count, next);
    b->is_stale = true;
    free(saved), free(copy), free(number);
}

static double around_slit(const double* p, const double* q) {
    double low = hypot(p[0] - 0.5, p[1] - SLIT_LOW) + hypot(q[0] - 0.5, q[1] - SLIT_LOW);
    double high = hypot(p[0] - 0.5, p[1] - SLIT_HIGH) + hypot(q[0] - 0.5, q[1] - SLIT_HIGH);
    return fmin(low, high);
}

// True if the straight line from p to q meets the slit, by more than an edge from its ends: ways
// that are laid flat may cut that corner.
static bool crosses_slit(const double* p, const double* q) {
    double u = p[0] - 0.5, v = q[0] - 0.5;
    if (!(u * v < -1e-12)) return false;
    double y = p[1] + (q[1] - p[1]) * u / (u - v);
    return y > SLIT_LOW + 0.0251 && y < SLIT_HIGH - 0.0251;
}

TEST(pbd_levels_do_not_reach_across_a_slit_in_one_piece)
{
    pl_body body = torn_body(1000.0, 4);
    pbd_sample s = pbd_sample_create(parted(pbd_cloth(41, 41)), &body, NULL);
    pl_pbd_body* b = &s.system->bodies[0];
    cut_slit(b, SLIT_LOW, SLIT_HIGH);
    pbd_sample_step(&s, 1.0 / 60.0, NULL, 0);
    CHECK_INT(check_links(b), 1); // it hangs together at both ends
    int around = 0;
    for (int l = 0; l < b->hierarchy.level_count; l++) {
        const pl_particle_graph* g = &b->hierarchy.levels[l].graph;
        for (int e = 0; e < g->edge_count; e++) {
            const double *p = g->places + 3 * g->edges[2 * e],
                         *q = g->places + 3 * g->edges[2 * e + 1];
            if (!crosses_slit(p, q)) continue;
            CHECK(l > 0);
            CHECK(g->rest[e] > around_slit(p, q) * (1.0 - 1e-6)); // around its end, never over it
        }
        const pl_coarsening* c = &b->hierarchy.levels[l].to_coarser;
        for (int i = 0; i < c->fine_count; i++)
            for (int k = c->parent_offsets[i]; k < c->parent_offsets[i + 1]; k++)
                CHECK(!crosses_slit(g->places + 3 * i,
                                    g->places + 3 * c->fine_of_coarse[c->parents[k]]));
    }
    printf("%d coarse distances lead around the ends of the slit\n", around);
    pbd_sample_free(&s);
}

// which corners have a particle of each level, a bit each
static void levels_of_corners(const pl_pbd_body* b, unsigned* bits) {
    for (int c = 0; c < b->tearing.corner_count; c++) {
        int p = b->order.new_of_old[b->tearing.particle_of_corner[c]];
        bits[c] = 0;
        for (int l = 0; p >= 0 && l < b->hierarchy.level_count; l++) {
            bits[c] |= 1u << l;
            p = l + 1 < b->hierarchy.level_count
                    ? b->hierarchy.levels[l].to_coarser.coarse_of_fine[p]
                    : -1;
        }
    }
}

TEST(pbd_a_small_tear_leaves_the_levels_far_from_it_as_they_were)
{
    pl_body body = torn_body(1000.0, 4);
    pbd_sample s = pbd_sample_create(parted(pbd_cloth(61, 61)), &body, NULL);
    pl_pbd_body* b = &s.system->bodies[0];
    int count = b->tearing.corner_count, far = 0, changed = 0, all = 0;
    unsigned *before = malloc((size_t)count * sizeof(unsigned)),
             *after = malloc((size_t)count * sizeof(unsigned));
    levels_of_corners(b, before);
    cut_slit(b, 0.45, 0.55);
    pbd_sample_step(&s, 1.0 / 60.0, NULL, 0);
    levels_of_corners(b, after);
    for (int c = 0; c < count; c++) {
        double away = hypot(b->tearing.rest[3 * c] - 0.5, b->tearing.rest[3 * c + 1] - 0.5);
        unsigned differ = before[c] ^ after[c];
        all += differ != 0;
        for (int l = 0; l < 5; l++) { // six edges of the level
            if (away < 0.05 + 6.0 * (1 << l) / 60.0) continue;
            far++, changed += (differ & 2u << l) != 0;
        }
    }
    printf("levels of %d corners of %d have changed, %d of %d that are far away\n", all, count,
           changed, far);
    CHECK_INT(changed, 0);
    CHECK(all > 0);
    free(before), free(after);
    pbd_sample_free(&s);
}

static const char torn_text[] =
    "{\"pliant\": 1, \"threads\": 1, \"substeps\": 1, \"gravity\": [0, -9.81, 0],\n"
    " \"bodies\": [{\"name\": \"cloth\", \"method\": \"pbd\", \"hierarchy\": 2, \"iterations\": "
    "6,\n"
    "  \"pbd\": {\"tear\": 1.3}, \"generate\": {\"shape\": \"cloth\", \"size_x\": 1, \"size_y\": 1,"
    " \"count_x\": 15,\n  \"count_y\": 15}, \"transform\": {\"translate\": [-0.5, 0, 0]}}],\n"
    " \"attachments\": [{\"body\": \"cloth\", \"where\": {\"box\": {\"min\": [-1, 0.99, -1], "
    "\"max\": [1, 2, 1]}}}],\n"
    " \"colliders\": [{\"name\": \"ball\", \"sphere\": {\"center\": [0, 0.5, 0.3], \"radius\": "
    "0.15},\n"
    "  \"motion\": {\"keyframes\": [{\"time\": 0}, {\"time\": 0.2, \"translate\": [0, 0, -2]}],\n"
    "  \"interpolation\": \"linear\"}}]}\n";

static pl_world* torn_world(const char* override) {
    return pbd_world(torn_text, &override, override ? 1 : 0);
}

// corners whose place is that of no other one: particles of a single triangle
static int lone_corners(pl_world* world) {
    const double* x = pl_world_positions(world, 0);
    int count = pl_world_mesh(world, 0)->vertex_count, lone = 0;
    for (int i = 0; i < count; i++) {
        bool found = false;
        for (int j = 0; j < count && !found; j++)
            found = i != j && memcmp(x + 3 * i, x + 3 * j, 3 * sizeof(double)) == 0;
        lone += !found;
    }
    return lone;
}

TEST(pbd_a_torn_cloth_goes_on_with_the_same_bits)
{
    pl_world *whole = torn_world(NULL), *first = torn_world(NULL), *second = torn_world(NULL);
    pl_error error;
    int before = lone_corners(whole);
    pbd_world_step(whole, 24);
    CHECK(lone_corners(whole) > before); // something has torn
    pbd_world_step(first, 9);
    size_t size = pl_world_state_size(first);
    void* state = malloc(size);
    pl_world_state_save(first, state);
    pbd_world_step(second, 20);
    CHECK_OK(pl_world_state_load(second, state, size, &error), &error);
    pbd_world_step(second, 15);
    CHECK(sample_world_hash(second) == sample_world_hash(whole));
    pl_world* threads = torn_world("threads=2");
    pbd_world_step(threads, 24);
    CHECK(sample_world_hash(threads) == sample_world_hash(whole));
    free(state);
    pl_world_destroy(whole), pl_world_destroy(first), pl_world_destroy(second);
    pl_world_destroy(threads);
}

TEST(pbd_tearing_survives_memory_running_out)
{
    pl_scene* scene = pbd_scene(torn_text, NULL, 0);
    int failures = 0;
    bool done = false;
    for (int64_t nth = 1; !done; nth += nth < 200 ? 7 : 29)
        failures += pbd_fails_at(scene, nth, 8, &done);
    CHECK(failures > 20);
    pl_scene_destroy(scene);
}

TEST(pbd_only_cloth_tears)
{
    const char* override =
        "bodies[0].generate={\"shape\": \"box\", \"size_x\": 0.4, \"edge\": 0.2}";
    pl_scene* scene = pbd_scene(torn_text, &override, 1);
    pl_world* world;
    pl_error error;
    CHECK_INT(pl_world_create(scene, &world, NULL, &error), PL_ERROR_UNSUPPORTED);
    CHECK_TEXT(error.text, "only cloth can tear");
    pl_scene_destroy(scene);
}
