// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Multigrid of the scalar matrix of Projective Dynamics: its levels against explicit products, its
// cycle as an operator, its solutions against the direct solver.
#include "base/memory.h"
#include "base/random.h"
#include "elements/tet_elements.h"
#include "fem/cloth_elements.h"
#include "mesh/topology.h"
#include "multigrid/mg_cycle.h"
#include "multigrid/scalar_mg_data.h"
#include "multigrid/scalar_multigrid.h"
#include "sample_meshes.h"
#include "sparse/direct.h"
#include "sparse/vector.h"

typedef struct system_sample {
    pl_mesh* mesh;
    pl_block_matrix* A;
    pl_scalar_mg* mg;
    pl_pool* pool;
} system_sample;

static void add_elements(const pl_mesh* mesh, pl_block_matrix* A) {
    pl_error error;
    pl_element_set set;
    if (mesh->tet_count) {
        pl_material* materials = PL_ALLOC(pl_material, mesh->tet_count);
        for (int e = 0; e < mesh->tet_count; e++)
            materials[e] = (pl_material){.kind = PL_MATERIAL_ARAP, .mu = 1e5};
        CHECK_OK(pl_tet_elements_setup(&set, mesh->positions, mesh->vertex_count, mesh->tets,
                                       mesh->tet_count, materials, &error),
                 &error);
        PL_FREE(materials, pl_material, mesh->tet_count);
    } else {
        pl_edges edges;
        CHECK_OK(pl_edges_create(mesh->triangles, mesh->triangle_count, 3, mesh->vertex_count,
                                 &edges, &error),
                 &error);
        double* stiffness = PL_ALLOC(double, edges.count);
        for (int e = 0; e < edges.count; e++) stiffness[e] = 1e4;
        CHECK_OK(pl_spring_elements_setup(&set, mesh->positions, mesh->vertex_count, edges.ends,
                                          edges.count, stiffness, &error),
                 &error);
        PL_FREE(stiffness, double, edges.count);
        pl_edges_free(&edges);
    }
    CHECK_OK(pl_element_set_locate(&set, A, &error), &error);
    pl_element_set_projective(&set, NULL, A);
    pl_element_set_free(&set);
}

// M/h^2 + K of a mesh with unit masses; takes the mesh over. half_sweeps < 0: sweeps of Jacobi
static system_sample create(pl_mesh* mesh, const int* counts, int count_count, int half_sweeps,
                            double inertia, int threads) {
    pl_error error;
    system_sample s = {.mesh = mesh, .A = PL_ALLOC(pl_block_matrix, 1)};
    if (threads) CHECK_OK(pl_pool_create(threads, &s.pool, &error), &error);
    pl_adjacency graph = sample_graph(mesh);
    CHECK_OK(pl_block_matrix_setup(s.A, mesh->vertex_count, 1, graph.offsets, graph.items, &error),
             &error);
    pl_adjacency_free(&graph);
    add_elements(mesh, s.A);
    for (int i = 0; i < mesh->vertex_count; i++) s.A->values[s.A->diagonal[i]] += inertia;
    pl_scalar_mg_options options = {.hierarchy = {.counts = counts, .count_count = count_count},
                                    .half_sweeps = half_sweeps,
                                    .jacobi_sweeps = half_sweeps < 0 ? -half_sweeps : 0};
    CHECK_OK(pl_scalar_mg_setup(s.A, mesh->positions, &options, s.pool, &s.mg, &error), &error);
    CHECK_OK(pl_scalar_mg_update(s.mg, mesh->positions, NULL, &error), &error);
    return s;
}

static void destroy(system_sample* s) {
    pl_scalar_mg_destroy(s->mg);
    pl_block_matrix_free(s->A);
    PL_FREE(s->A, pl_block_matrix, 1);
    pl_mesh_destroy(s->mesh);
    pl_pool_destroy(s->pool);
}

static double* random_vector(int count, uint64_t seed) {
    pl_random random = {seed};
    double* v = PL_ALLOC(double, count);
    for (int i = 0; i < count; i++) v[i] = pl_random_uniform(&random, -1.0, 1.0);
    return v;
}

// column (node, a) of the interpolation from level l to the vertices
static double interpolation(const pl_mg_hierarchy* h, int l, int vertex, int node, int a) {
    double X[4];
    const pl_mg_transfer* t = &h->transfers[0];
    for (int k = 0; k < 4; k++) X[k] = (double)t->point[4 * vertex + k];
    int at = t->parent[vertex];
    for (int m = 1; m < l; m++) {
        const float* T = h->transfers[m].point + 4 * at;
        for (int k = 0; k < 3; k++) X[k] = (double)T[3] * X[k] + (double)T[k] * X[3];
        at = h->transfers[m].parent[at];
    }
    return at == node ? X[a] : 0.0;
}

// the element (node I, a; node J, b) of the product U' A U
static double explicit_product(const system_sample* s, int l, int I, int a, int J, int b) {
    const pl_mg_hierarchy* h = pl_scalar_mg_hierarchy(s->mg);
    double sum = 0.0;
    for (int i = 0; i < s->A->row_count; i++) {
        double left = interpolation(h, l, i, I, a);
        for (int e = s->A->offsets[i]; left != 0.0 && e < s->A->offsets[i + 1]; e++)
            sum += left * s->A->values[e] * interpolation(h, l, s->A->columns[e], J, b);
    }
    return sum;
}

static void check_level(const system_sample* s, int l) {
    const pl_block_level* c = pl_scalar_mg_level(s->mg, l);
    double worst = 0.0, largest = 0.0;
    for (int I = 0; I < c->node_count; I++)
        for (int J = 0; J < c->node_count; J++) {
            int e = pl_mg_pattern_find(&c->pattern, I, J);
            const float* block = I == J ? c->fixed + 16 * I : e < 0 ? NULL : c->values + 16 * e;
            for (int a = 0; a < 4; a++)
                for (int b = 0; b < 4; b++) {
                    double product = explicit_product(s, l, I, a, J, b);
                    double value = block ? (double)block[4 * b + a] : 0.0;
                    worst = fmax(worst, fabs(value - product));
                    largest = fmax(largest, fabs(product));
                }
        }
    CHECK(worst < 1e-6 * largest); // float
}

TEST(multigrid_scalar_galerkin)
{
    system_sample s = create(sample_box(4, 3, 3), (int[]){2, 5, 14}, 3, 2, 10.0, 0);
    CHECK_INT(pl_scalar_mg_hierarchy(s.mg)->level_count, 4);
    for (int l = 1; l <= 3; l++) check_level(&s, l);
    destroy(&s);
}

// what one cycle makes of a vector, as doubles by rows
static void cycle(const system_sample* s, const double* b, double* x) {
    pl_scalar_fine* f = pl_scalar_mg_fine(s->mg);
    memset(f->b, 0, 4 * (size_t)f->order.place_count * sizeof(float));
    for (int i = 0; i < 3 * s->A->row_count; i++)
        f->b[4 * f->order.place[i / 3] + i % 3] = (float)b[i];
    pl_scalar_mg_cycle(s->mg);
    for (int i = 0; i < 3 * s->A->row_count; i++)
        x[i] = (double)f->x[4 * f->order.place[i / 3] + i % 3];
}

static void check_symmetric(const system_sample* s) {
    int count = 3 * s->A->row_count;
    double *a = random_vector(count, 1), *b = random_vector(count, 2);
    double *Ma = PL_ALLOC(double, count), *Mb = PL_ALLOC(double, count);
    cycle(s, a, Ma);
    cycle(s, b, Mb);
    double ab = pl_vector_dot(NULL, count, a, Mb), ba = pl_vector_dot(NULL, count, Ma, b);
    double aa = pl_vector_dot(NULL, count, a, Ma), bb = pl_vector_dot(NULL, count, b, Mb);
    CHECK(aa > 0.0 && bb > 0.0);
    CHECK_NEAR(ab, ba, 2e-6 * sqrt(aa * bb));
    PL_FREE(a, double, count);
    PL_FREE(b, double, count);
    PL_FREE(Ma, double, count);
    PL_FREE(Mb, double, count);
}

TEST(multigrid_scalar_symmetric)
{
    for (int half_sweeps = -3; half_sweeps <= 5; half_sweeps++) {
        if (half_sweeps == 0) continue;
        system_sample s = create(sample_box(8, 8, 8), (int[]){6, 40}, 2, half_sweeps, 1e3, 0);
        check_symmetric(&s);
        destroy(&s);
    }
}

// the sample with sweeps of its own for each level, finest first
static void take_level_sweeps(system_sample* s, const int* given, int given_count, int jacobi) {
    pl_error error;
    pl_scalar_mg_options options = {.hierarchy = {.counts = (int[]){6, 40}, .count_count = 2},
                                    .half_sweeps = 2,
                                    .jacobi_sweeps = jacobi};
    pl_mg_sweeps_of_levels(given, given_count, PL_MG_MAX_LEVELS, options.level_sweeps);
    pl_scalar_mg_destroy(s->mg);
    CHECK_OK(pl_scalar_mg_setup(s->A, s->mesh->positions, &options, NULL, &s->mg, &error), &error);
    CHECK_OK(pl_scalar_mg_update(s->mg, s->mesh->positions, NULL, &error), &error);
}

TEST(multigrid_scalar_levels_have_their_own_sweeps)
{
    system_sample s = create(sample_box(8, 8, 8), (int[]){6, 40}, 2, 2, 1e3, 0);
    int count = 3 * s.A->row_count;
    double *b = random_vector(count, 4), *x = PL_ALLOC(double, count), *y = PL_ALLOC(double, count);
    for (int jacobi = 0; jacobi < 2; jacobi++) {
        take_level_sweeps(&s, NULL, 0, jacobi);
        cycle(&s, b, x);
        take_level_sweeps(&s, (int[]){1}, 1, jacobi); // the same
        cycle(&s, b, y);
        CHECK(memcmp(x, y, (size_t)count * sizeof(double)) == 0);
        for (int level = 0; level < 2; level++) {
            take_level_sweeps(&s, level == 0 ? (int[]){3, 1} : (int[]){1, 3}, 2, jacobi);
            check_symmetric(&s);
            cycle(&s, b, y);
            CHECK(memcmp(x, y, (size_t)count * sizeof(double)) != 0);
        }
    }
    PL_FREE(b, double, count);
    PL_FREE(x, double, count);
    PL_FREE(y, double, count);
    destroy(&s);
}

// iterations to a tolerance, with the solution compared to the direct one
static int check_solution(const system_sample* s, bool gradients, double tolerance) {
    pl_error error;
    int count = 3 * s->A->row_count;
    double *b = random_vector(count, 7), *x = PL_ALLOC(double, count);
    double* expected = PL_ALLOC(double, count);
    pl_direct* direct;
    CHECK_OK(pl_direct_setup(s->A, &direct, &error), &error);
    CHECK_OK(pl_direct_update(direct, s->A, NULL, &error), &error);
    pl_direct_solve(direct, 3, b, expected);
    pl_linear_info info;
    pl_scalar_mg_solve(s->mg, gradients,
                       &(pl_linear_options){.tolerance = tolerance, .max_iterations = 100}, b, x,
                       &info);
    CHECK(info.converged);
    double size = pl_vector_norm(NULL, count, expected);
    pl_vector_axpy(NULL, count, -1.0, expected, x);
    CHECK(pl_vector_norm(NULL, count, x) < 1e5 * tolerance * size);
    pl_direct_destroy(direct);
    PL_FREE(b, double, count);
    PL_FREE(x, double, count);
    PL_FREE(expected, double, count);
    return info.iterations;
}

TEST(multigrid_scalar_solves)
{
    system_sample s = create(sample_box(20, 10, 10), (const int[]){63}, 1, 4, 1e2, 0);
    CHECK(check_solution(&s, true, 1e-10) <= 9);
    CHECK(check_solution(&s, false, 1e-10) <= 15);
    destroy(&s);
}

// solids need damping, cloth does not
TEST(multigrid_scalar_jacobi_solves)
{
    system_sample s = create(sample_box(20, 10, 10), NULL, 0, -5, 1e2, 0);
    CHECK(pl_scalar_mg_fine(s.mg)->damping <= 1.0f);
    CHECK(check_solution(&s, true, 1e-10) <= 12);
    CHECK(check_solution(&s, false, 1e-10) <= 25);
    destroy(&s);
    s = create(sample_sheet(40, 40), (int[]){8, 80}, 2, -5, 1.0, 0);
    check_symmetric(&s);
    CHECK(check_solution(&s, true, 1e-10) <= 20);
    destroy(&s);
}

// flat: no map of a node that leaves the plane does anything
TEST(multigrid_scalar_cloth)
{
    system_sample s = create(sample_sheet(40, 40), (int[]){8, 80}, 2, 4, 1.0, 0);
    check_symmetric(&s);
    CHECK(check_solution(&s, true, 1e-10) <= 17);
    destroy(&s);
}

TEST(multigrid_scalar_small)
{
    // a single cube; levels of one node, and as large as the mesh
    system_sample s = create(sample_box(1, 1, 1), (int[]){1}, 1, 2, 1e2, 0);
    CHECK(check_solution(&s, true, 1e-10) <= 5);
    destroy(&s);
    s = create(sample_box(2, 2, 2), (int[]){3, 1000}, 2, 2, 1e2, 0);
    CHECK(check_solution(&s, true, 1e-10) <= 5);
    destroy(&s);
    s = create(sample_box(2, 2, 2), (int[]){1000}, 1, 2, 1e2, 0);
    CHECK(check_solution(&s, true, 1e-10) <= 5);
    destroy(&s);
}

static void check_same_bits(int half_sweeps) {
    // slabs on the finest level; the middle one is large enough for slabs of its own
    double *b = NULL, *first = NULL;
    int count = 0;
    for (int threads = 1; threads <= 4; threads *= 2) {
        system_sample s =
            create(sample_box(60, 12, 11), (int[]){20, 2500}, 2, half_sweeps, 1e2, threads);
        count = 3 * s.A->row_count;
        double* x = PL_ALLOC(double, count);
        if (!b) b = random_vector(count, 3), first = PL_ALLOC(double, count);
        cycle(&s, b, x);
        if (threads == 1) memcpy(first, x, (size_t)count * sizeof(double));
        CHECK(memcmp(first, x, (size_t)count * sizeof(double)) == 0);
        pl_linear_info info;
        memset(x, 0, (size_t)count * sizeof(double));
        pl_scalar_mg_solve(
            s.mg, true, &(pl_linear_options){.tolerance = 1e-6, .max_iterations = 10}, b, x, &info);
        double residual = info.residual;
        CHECK(residual < 1e-3);
        PL_FREE(x, double, count);
        destroy(&s);
    }
    PL_FREE(b, double, count);
    PL_FREE(first, double, count);
}

TEST(multigrid_scalar_same_bits)
{ check_same_bits(3); }
TEST(multigrid_scalar_jacobi_same_bits)
{ check_same_bits(-3); }

static pl_mg_spring contact_at(int place, double k, const double n[3]) {
    return (pl_mg_spring){place,
                          true,
                          0.0,
                          {k * n[0] * n[0], k * n[0] * n[1], k * n[0] * n[2], k * n[1] * n[1],
                           k * n[1] * n[2], k * n[2] * n[2]}};
}

// springs and contacts at every step-th place that has a row
static int make_springs(const system_sample* s, int step, uint64_t seed, pl_mg_spring* out) {
    const pl_scalar_fine* f = pl_scalar_mg_fine(s->mg);
    pl_random random = {seed};
    int count = 0;
    for (int p = 0; p < f->order.place_count; p += step) {
        if (f->order.row[p] < 0) continue;
        double n[3] = {pl_random_uniform(&random, -1, 1), pl_random_uniform(&random, -1, 1), 0.5};
        double k = pl_random_uniform(&random, 1e4, 1e6);
        if (count % 2) out[count] = contact_at(p, k, n);
        else out[count] = (pl_mg_spring){.place = p, .stiffness = k};
        count++;
    }
    return count;
}

// all that a cycle depends on, added up so that any changed bit shows
static uint64_t fingerprint(const system_sample* s) {
    int count = 3 * s->A->row_count;
    double *b = random_vector(count, 9), *x = PL_ALLOC(double, count);
    cycle(s, b, x);
    uint64_t hash = 14695981039346656037u;
    for (size_t k = 0; k < (size_t)count * sizeof(double); k++)
        hash = (hash ^ ((unsigned char*)x)[k]) * 1099511628211u;
    PL_FREE(b, double, count);
    PL_FREE(x, double, count);
    return hash;
}

static void check_partial_update(int half_sweeps) {
    pl_error error;
    system_sample s = create(sample_box(8, 6, 6), (int[]){4, 30}, 2, half_sweeps, 1e2, 0);
    pl_mg_spring* springs = PL_ALLOC(pl_mg_spring, s.A->row_count);
    uint64_t bare = fingerprint(&s);
    int count = make_springs(&s, 11, 1, springs);
    CHECK_OK(pl_scalar_mg_set_springs(s.mg, springs, count, &error), &error);
    uint64_t partial = fingerprint(&s);
    CHECK(partial != bare);
    // a full update with the same springs
    CHECK_OK(pl_scalar_mg_update(s.mg, s.mesh->positions, NULL, &error), &error);
    CHECK(fingerprint(&s) == partial);
    // others came and went
    for (int k = 0; k < 1000; k++) {
        int other = make_springs(&s, 5 + k % 40, (uint64_t)k, springs);
        CHECK_OK(pl_scalar_mg_set_springs(s.mg, springs, other, &error), &error);
    }
    size_t bytes = pl_byte_count();
    count = make_springs(&s, 11, 1, springs);
    CHECK_OK(pl_scalar_mg_set_springs(s.mg, springs, count, &error), &error);
    CHECK(fingerprint(&s) == partial);
    CHECK_OK(pl_scalar_mg_set_springs(s.mg, NULL, 0, &error), &error);
    CHECK(fingerprint(&s) == bare);
    CHECK_INT(pl_byte_count(), bytes);
    PL_FREE(springs, pl_mg_spring, s.A->row_count);
    destroy(&s);
}

TEST(multigrid_scalar_partial_update)
{ check_partial_update(2); }
TEST(multigrid_scalar_jacobi_partial_update)
{ check_partial_update(-2); }

// More and more contacts: lists of the levels grow, and nothing of the contacts before is left.
TEST(multigrid_scalar_contacts_become_more)
{
    pl_error error;
    system_sample grows = create(sample_box(8, 6, 6), (int[]){4, 30}, 2, 2, 1e2, 0);
    pl_mg_spring* springs = PL_ALLOC(pl_mg_spring, grows.A->row_count);
    for (int step = 100; step > 2; step /= 2) {
        int count = make_springs(&grows, step, (uint64_t)step, springs);
        CHECK_OK(pl_scalar_mg_set_springs(grows.mg, springs, count, &error), &error);
        system_sample fresh = create(sample_box(8, 6, 6), (int[]){4, 30}, 2, 2, 1e2, 0);
        CHECK_OK(pl_scalar_mg_set_springs(fresh.mg, springs, count, &error), &error);
        CHECK(fingerprint(&grows) == fingerprint(&fresh));
        destroy(&fresh);
    }
    PL_FREE(springs, pl_mg_spring, grows.A->row_count);
    destroy(&grows);
}

// contacts of a body that slides: the solution against that of the 3x3 matrix
static void check_contacts(int half_sweeps) {
    pl_error error;
    system_sample s = create(sample_box(10, 6, 6), (int[]){5, 40}, 2, half_sweeps, 1e2, 0);
    int rows = s.A->row_count, count = 3 * rows;
    pl_mg_spring* springs = PL_ALLOC(pl_mg_spring, rows);
    int spring_count = make_springs(&s, 3, 4, springs);
    CHECK_OK(pl_scalar_mg_set_springs(s.mg, springs, spring_count, &error), &error);
    check_symmetric(&s);
    double *b = random_vector(count, 7), *x = PL_ALLOC(double, count);
    pl_linear_info info;
    pl_scalar_mg_solve(s.mg, true, &(pl_linear_options){.tolerance = 1e-10, .max_iterations = 60},
                       b, x, &info);
    CHECK(info.converged && info.iterations < 30);
    // A x + springs x = b, by hand
    double* rest = PL_ALLOC(double, count);
    pl_block_matrix_apply(s.A, NULL, 3, x, rest);
    static const int at[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
    for (int k = 0; k < spring_count; k++) {
        int i = 3 * pl_scalar_mg_fine(s.mg)->order.row[springs[k].place];
        for (int r = 0; r < 3; r++) {
            rest[i + r] += springs[k].stiffness * x[i + r];
            for (int c = 0; c < 3; c++) rest[i + r] += springs[k].block[at[r][c]] * x[i + c];
        }
    }
    pl_vector_axpy(NULL, count, -1.0, b, rest);
    CHECK(pl_vector_norm(NULL, count, rest) < 1e-9 * pl_vector_norm(NULL, count, b));
    PL_FREE(rest, double, count);
    PL_FREE(b, double, count);
    PL_FREE(x, double, count);
    PL_FREE(springs, pl_mg_spring, rows);
    destroy(&s);
}

// A bottom with a node for each vertex solves the system, contacts in any direction included,
// however many nodes it has; the long one by a sparse factor.
TEST(multigrid_scalar_bottom_keeps_normals)
{
    pl_error error;
    for (int kind = 0; kind < 2; kind++) {
        pl_mesh* mesh = kind ? sample_box(40, 2, 2) : sample_box(5, 4, 4);
        system_sample s = create(mesh, (int[]){1000}, 1, 2, 1e2, 0);
        int rows = s.A->row_count, count = 3 * rows;
        CHECK(rows > 100);
        pl_mg_spring* springs = PL_ALLOC(pl_mg_spring, rows);
        double *b = random_vector(count, 7), *x = PL_ALLOC(double, count);
        for (int step = 1; step <= 7; step += 3) { // all vertices, some, few
            int spring_count = make_springs(&s, step, 4, springs);
            CHECK_OK(pl_scalar_mg_set_springs(s.mg, springs, spring_count, &error), &error);
            CHECK(s.mg->bottom.is_sparse == (kind == 1) || step > 1);
            pl_linear_info info;
            memset(x, 0, (size_t)count * sizeof(double));
            pl_scalar_mg_solve(s.mg, true,
                               &(pl_linear_options){.tolerance = 1e-8, .max_iterations = 60}, b, x,
                               &info);
            CHECK(info.converged && info.iterations <= 4);
        }
        PL_FREE(b, double, count);
        PL_FREE(x, double, count);
        PL_FREE(springs, pl_mg_spring, rows);
        destroy(&s);
    }
}

TEST(multigrid_scalar_contacts)
{ check_contacts(4); }
TEST(multigrid_scalar_jacobi_contacts)
{ check_contacts(-5); }

// |b - (A + springs) x| / |b| over rows that are free, by hand; b and x of the finest level
static double float_residual(const system_sample* s, const pl_mg_spring* springs, int spring_count,
                             const unsigned char* held, const float* b) {
    static const int at[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
    const pl_scalar_fine* f = pl_scalar_mg_fine(s->mg);
    int count = 3 * s->A->row_count;
    double *x = PL_ALLOC(double, count), *Ax = PL_ALLOC(double, count), left = 0.0, load = 0.0;
    for (int i = 0; i < count; i++) x[i] = (double)f->x[4 * f->order.place[i / 3] + i % 3];
    pl_block_matrix_apply(s->A, NULL, 3, x, Ax);
    for (int k = 0; k < spring_count; k++) {
        int i = 3 * f->order.row[springs[k].place];
        for (int r = 0; r < 3; r++) {
            Ax[i + r] += springs[k].stiffness * x[i + r];
            for (int c = 0; c < 3; c++) Ax[i + r] += springs[k].block[at[r][c]] * x[i + c];
        }
    }
    for (int i = 0; i < count; i++) {
        double own = (double)b[4 * f->order.place[i / 3] + i % 3], rest = own - Ax[i];
        if (held[i / 3]) CHECK(x[i] == 0.0);
        else left += rest * rest, load += own * own;
    }
    PL_FREE(x, double, count);
    PL_FREE(Ax, double, count);
    return sqrt(left / load);
}

// The factor in double: springs alone are part of it, contacts take a few iterations more; it
// follows springs that change, and a want of memory leaves x what it was.
TEST(multigrid_scalar_direct)
{
    pl_error error;
    system_sample s = create(sample_box(8, 5, 5), (int[]){5, 40}, 2, 4, 1e2, 0);
    int rows = s.A->row_count;
    pl_scalar_fine* f = pl_scalar_mg_fine(s.mg);
    unsigned char* held = PL_ALLOC(unsigned char, rows);
    pl_mg_spring* springs = PL_ALLOC(pl_mg_spring, rows);
    for (int i = 0; i < rows; i++) held[i] = s.mesh->positions[3 * i] < 0.5;
    CHECK_OK(pl_scalar_mg_update(s.mg, s.mesh->positions, held, &error), &error);
    for (int i = 0; i < 3 * rows; i++)
        f->b[4 * f->order.place[i / 3] + i % 3] = held[i / 3] ? 0.0f : (float)sin(i);
    for (int round = 0; round < 3; round++) {
        int count = round == 0 ? 0 : make_springs(&s, 4 + round, (uint64_t)round, springs);
        for (int k = 0; k < count && round == 1; k++)
            springs[k] = (pl_mg_spring){.place = springs[k].place, .stiffness = 1e5};
        CHECK_OK(pl_scalar_mg_set_springs(s.mg, springs, count, &error), &error);
        size_t before = pl_byte_count();
        for (int64_t nth = 1;; nth++) {
            pl_linear_info info = {0};
            float first = f->x[4 * f->order.place[rows - 1]];
            pl_inject_failure(nth);
            bool solved = pl_scalar_mg_solve_direct(
                s.mg, &(pl_linear_options){.tolerance = 1e-7, .max_iterations = 60}, &info);
            pl_inject_failure(0);
            CHECK(!solved || (info.converged && info.switched));
            CHECK(!solved || info.iterations <= (round == 2 ? 40 : 1));
            if (solved) break;
            CHECK(f->x[4 * f->order.place[rows - 1]] == first);
        }
        CHECK(round == 0 || pl_byte_count() == before);
        CHECK(float_residual(&s, springs, count, held, f->b) < 2e-6);
    }
    PL_FREE(springs, pl_mg_spring, rows);
    PL_FREE(held, unsigned char, rows);
    destroy(&s);
}

// rows that are held: x stays, the others solve their own equations
TEST(multigrid_scalar_held)
{
    pl_error error;
    system_sample s = create(sample_box(12, 6, 6), (int[]){5, 60}, 2, 4, 1e-3, 0);
    int rows = s.A->row_count, count = 3 * rows;
    unsigned char* held = PL_ALLOC(unsigned char, rows);
    for (int i = 0; i < rows; i++) held[i] = s.mesh->positions[3 * i] < 1.5;
    CHECK_OK(pl_scalar_mg_update(s.mg, s.mesh->positions, held, &error), &error);
    double *b = random_vector(count, 7), *x = random_vector(count, 8);
    double *start = random_vector(count, 8), *rest = PL_ALLOC(double, count);
    pl_linear_info info;
    pl_scalar_mg_solve(s.mg, true, &(pl_linear_options){.tolerance = 1e-9, .max_iterations = 60}, b,
                       x, &info);
    CHECK(info.converged && info.iterations < 30);
    pl_block_matrix_apply(s.A, NULL, 3, x, rest);
    double worst = 0.0;
    for (int i = 0; i < count; i++) {
        if (held[i / 3]) CHECK(x[i] == start[i]);
        else worst = fmax(worst, fabs(rest[i] - b[i]));
    }
    CHECK(worst < 1e-7);
    PL_FREE(held, unsigned char, rows);
    PL_FREE(b, double, count);
    PL_FREE(x, double, count);
    PL_FREE(start, double, count);
    PL_FREE(rest, double, count);
    destroy(&s);
}

TEST(multigrid_scalar_float)
{
    system_sample s = create(sample_box(20, 10, 10), NULL, 0, 4, 1e2, 0);
    pl_scalar_fine* f = pl_scalar_mg_fine(s.mg);
    int count = 3 * s.A->row_count;
    double *b = random_vector(count, 7), *x = PL_ALLOC(double, count);
    double* rest = PL_ALLOC(double, count);
    for (int i = 0; i < count; i++) f->b[4 * f->order.place[i / 3] + i % 3] = (float)b[i];
    pl_linear_info info;
    pl_scalar_mg_solve_float(s.mg, &(pl_linear_options){.tolerance = 1e-4, .max_iterations = 40},
                             &info);
    CHECK(info.converged && info.iterations > 2 && info.iterations < 20);
    for (int i = 0; i < count; i++) x[i] = (double)f->x[4 * f->order.place[i / 3] + i % 3];
    pl_block_matrix_apply(s.A, NULL, 3, x, rest);
    pl_vector_axpy(NULL, count, -1.0, b, rest);
    CHECK(pl_vector_norm(NULL, count, rest) < 3e-4 * pl_vector_norm(NULL, count, b));
    PL_FREE(b, double, count);
    PL_FREE(x, double, count);
    PL_FREE(rest, double, count);
    destroy(&s);
}

TEST(multigrid_scalar_memory)
{
    pl_error error;
    system_sample s = create(sample_box(3, 3, 3), (int[]){2, 8}, 2, 2, 1e2, 0);
    pl_scalar_mg_options options = {.hierarchy = {.counts = (int[]){2, 8}, .count_count = 2}};
    pl_scalar_mg* other;
    pl_inject_failure(0);
    CHECK_OK(pl_scalar_mg_setup(s.A, s.mesh->positions, &options, NULL, &other, &error), &error);
    int64_t count = pl_inject_failure(0);
    pl_scalar_mg_destroy(other);
    for (int64_t k = 1; k <= count; k++) {
        pl_inject_failure(k);
        CHECK_INT(pl_scalar_mg_setup(s.A, s.mesh->positions, &options, NULL, &other, &error),
                  PL_ERROR_MEMORY);
        CHECK(!other);
    }
    pl_inject_failure(0);
    destroy(&s);
}

// Contacts that found no memory are set again by the next call, and nothing is freed twice.
TEST(multigrid_scalar_contacts_survive_failing_allocations)
{
    pl_error error;
    pl_mg_spring spring = {.place = 5, .has_block = true, .block = {1e3, 0, 0, 0, 0, 0}};
    int64_t failures = 0;
    for (int64_t k = 1;; k++) {
        system_sample s = create(sample_box(3, 3, 3), (int[]){2, 8}, 2, 2, 1e2, 0);
        system_sample whole = create(sample_box(3, 3, 3), (int[]){2, 8}, 2, 2, 1e2, 0);
        pl_linear_info info, other;
        int n = 3 * s.mesh->vertex_count;
        double *b = PL_ALLOC(double, n), *x = PL_ALLOC(double, n), *y = PL_ALLOC(double, n);
        for (int i = 0; i < n; i++) b[i] = i % 7 - 3.0;
        pl_inject_failure(k);
        pl_status status = pl_scalar_mg_set_springs(s.mg, &spring, 1, &error);
        pl_inject_failure(0);
        if (status != PL_OK) {
            failures++;
            CHECK_INT(status, PL_ERROR_MEMORY);
            CHECK_OK(pl_scalar_mg_set_springs(s.mg, &spring, 1, &error), &error);
        }
        CHECK_OK(pl_scalar_mg_set_springs(whole.mg, &spring, 1, &error), &error);
        pl_linear_options options = {.tolerance = 1e-8, .max_iterations = 60};
        pl_scalar_mg_solve(s.mg, true, &options, b, x, &info);
        pl_scalar_mg_solve(whole.mg, true, &options, b, y, &other);
        CHECK(info.converged && memcmp(x, y, (size_t)n * sizeof(double)) == 0);
        PL_FREE(b, double, n);
        PL_FREE(x, double, n);
        PL_FREE(y, double, n);
        destroy(&s);
        destroy(&whole);
        if (status == PL_OK) break;
    }
    CHECK(failures > 10);
    // and destroyed right after a failure
    for (int64_t k = 1; k <= failures; k++) {
        system_sample s = create(sample_box(3, 3, 3), (int[]){2, 8}, 2, 2, 1e2, 0);
        pl_inject_failure(k);
        CHECK_INT(pl_scalar_mg_set_springs(s.mg, &spring, 1, &error), PL_ERROR_MEMORY);
        pl_inject_failure(0);
        destroy(&s);
    }
}

// nodes of level 1 that hold vertices of both halves of a bar, stiff and soft ones
static int shared_nodes(const system_sample* s, bool aware) {
    pl_error error;
    int count = 40, shared = 0;
    pl_scalar_mg_options options = {.hierarchy = {.counts = &count, .count_count = 1},
                                    .half_sweeps = 2,
                                    .stiffness_aware = aware};
    pl_scalar_mg* mg;
    CHECK_OK(pl_scalar_mg_setup(s->A, s->mesh->positions, &options, NULL, &mg, &error), &error);
    const pl_mg_hierarchy* h = pl_scalar_mg_hierarchy(mg);
    for (int n = 0; n < h->node_counts[1]; n++) {
        bool kinds[2] = {false};
        const pl_mg_transfer* t = &h->transfers[0];
        for (int k = t->child_offsets[n]; k < t->child_offsets[n + 1]; k++)
            kinds[s->mesh->positions[3 * t->children[k]] > 8.5] = true;
        shared += kinds[0] && kinds[1];
    }
    pl_scalar_mg_destroy(mg);
    return shared;
}

TEST(multigrid_scalar_stiffness_aware)
{
    system_sample s = create(sample_box(16, 4, 4), NULL, 0, 2, 1.0, 0);
    int plain = shared_nodes(&s, false);
    CHECK(plain > 0);
    CHECK_INT(shared_nodes(&s, true), plain); // of one stiffness: nothing to follow
    // the part up to x = 8 becomes ten thousand times stiffer
    for (int i = 0; i < s.A->row_count; i++)
        for (int e = s.A->offsets[i]; e < s.A->offsets[i + 1]; e++)
            if (s.mesh->positions[3 * i] < 8.5 && s.mesh->positions[3 * s.A->columns[e]] < 8.5)
                s.A->values[e] *= 1e4;
    CHECK_INT(shared_nodes(&s, false), plain);
    CHECK_INT(shared_nodes(&s, true), 0);
    destroy(&s);
}
