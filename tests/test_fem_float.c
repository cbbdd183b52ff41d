// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The matrix of a step in float, by wide kernels, against the double one.
#include "base/memory.h"
#include "base/pool.h"
#include "base/random.h"
#include "elements/tet_elements.h"
#include "fem/cloth_elements.h"
#include "fem/fem_float.h"
#include "fem_samples.h"
#include "sample_meshes.h"
#include "step/mass_matrix.h"

enum { TETS, SPRINGS, HINGES, MEMBRANES, SET_COUNT, PINS = 3, CONTACTS = 5 };

// A box whose tets carry, besides two laws, a spring on an edge, a hinge between two faces and a
// membrane on a face each.
typedef struct sample {
    pl_mesh* mesh;
    pl_element_set sets[SET_COUNT];
    pl_block_matrix A, M, K;
    pl_float_sets* floats;
    float* blocks;
    double *x, *mass, *dual;
    bool* fixed;
    pl_pin pins[PINS];
    pl_contact contacts[CONTACTS];
    pl_step_objective f;
} sample;

static pl_status make_sets(sample* s, pl_error* error) {
    const pl_mesh* mesh = s->mesh;
    int count = mesh->tet_count, n = mesh->vertex_count;
    pl_material* materials = PL_ALLOC(pl_material, count);
    pl_membrane* membranes = PL_ALLOC(pl_membrane, count);
    double* stiffness = PL_ALLOC(double, count);
    int *springs = PL_ALLOC(int, 2 * count), *faces = PL_ALLOC(int, 3 * count);
    bool ok = materials && membranes && stiffness && springs && faces;
    for (int e = 0; ok && e < count; e++) {
        const int* v = mesh->tets + 4 * e;
        materials[e] =
            (pl_material){.kind = e % 3 ? PL_MATERIAL_STABLE_NEOHOOKEAN : PL_MATERIAL_MOONEY_RIVLIN,
                          .mu = 1e4,
                          .lambda = 3e4,
                          .rivlin = 0.3};
        membranes[e] = (pl_membrane){(pl_membrane_kind)(e % PL_MEMBRANE_COUNT), 2e3, 1e3};
        stiffness[e] = 500.0 + e % 7;
        springs[2 * e] = v[0], springs[2 * e + 1] = v[2];
        for (int i = 0; i < 3; i++) faces[3 * e + i] = v[i + 1];
    }
    pl_status st = ok ? PL_OK : pl_fail_memory(error, "a sample");
    const double* rest = mesh->positions;
    if (st == PL_OK)
        st = pl_tet_elements_setup(&s->sets[TETS], rest, n, mesh->tets, count, materials, error);
    if (st == PL_OK)
        st = pl_spring_elements_setup(&s->sets[SPRINGS], rest, n, springs, count, stiffness, error);
    if (st == PL_OK)
        st =
            pl_hinge_elements_setup(&s->sets[HINGES], rest, n, mesh->tets, count, stiffness, error);
    if (st == PL_OK)
        st = pl_membrane_elements_setup(&s->sets[MEMBRANES], rest, n, faces, count, membranes,
                                        error);
    PL_FREE(materials, pl_material, count);
    PL_FREE(membranes, pl_membrane, count);
    PL_FREE(stiffness, double, count);
    PL_FREE(springs, int, 2 * count);
    PL_FREE(faces, int, 3 * count);
    return st;
}

static void make_matrices(sample* s) {
    pl_adjacency near = sample_graph(s->mesh);
    pl_error error;
    int n = s->mesh->vertex_count;
    CHECK_OK(pl_block_matrix_setup(&s->A, n, 3, near.offsets, near.items, &error), &error);
    CHECK_OK(pl_block_matrix_setup(&s->K, n, 3, near.offsets, near.items, &error), &error);
    CHECK_OK(pl_block_matrix_setup(&s->M, n, 1, near.offsets, near.items, &error), &error);
    pl_adjacency_free(&near);
    for (int k = 0; k < SET_COUNT; k++)
        CHECK_OK(pl_element_set_locate(&s->sets[k], &s->A, &error), &error);
    for (int e = 0; e < s->mesh->tet_count; e++)
        pl_mass_matrix_add(&s->M, s->mesh->tets + 4 * e, 4, 0.01);
    pl_element_set_hessian(&s->sets[TETS], NULL, s->mesh->positions, true, 1.0, &s->K);
}

// far from the origin of the world
static void deform(sample* s) {
    pl_random random = {5};
    pl_mat3 R = pl_quat_to_mat3((pl_quat){0.48, -0.36, 0.64, 0.48});
    for (int v = 0; v < s->mesh->vertex_count; v++) {
        pl_vec3 p = pl_vec3_load(s->mesh->positions + 3 * v);
        p = pl_mat3_apply(&R, (pl_vec3){1.2 * p.x, 0.9 * p.y, 0.8 * p.z});
        p = pl_add(p, (pl_vec3){1000.0, -500.0, 300.0});
        pl_vec3_store(s->x + 3 * v, p);
        for (int c = 0; c < 3; c++) s->x[3 * v + c] += 0.005 * pl_random_normal(&random);
    }
}

static void make_loads(sample* s) {
    for (int v = 0; v < s->mesh->vertex_count; v++) s->mass[v] = 0.02;
    s->fixed[2] = s->fixed[9] = true;
    for (int k = 0; k < PINS; k++)
        s->pins[k] = (pl_pin){.vertex = 3 * k, .hard = k == 1, .stiffness = 300.0};
    for (int k = 0; k < CONTACTS; k++) {
        int v = 4 + 3 * k;
        pl_vec3 p = pl_vec3_load(s->x + 3 * v), normal = pl_normalize((pl_vec3){0.2, 1.0, 0.1 * k});
        s->contacts[k] = (pl_contact){.vertex = v,
                                      .point = pl_madd(p, k % 2 ? 0.01 : -0.01, normal),
                                      .normal = normal,
                                      .stiffness = 2e3,
                                      .friction = 0.4,
                                      .normal_force = 20.0 * (k % 2)};
        s->dual[3 * v] = 0.5;
    }
}

static sample create_sample(int cells) {
    sample s = {.mesh = fem_box(1, 1, 1, cells, cells, cells)};
    int n = s.mesh->vertex_count;
    pl_error error;
    s.x = PL_ALLOC(double, 3 * n), s.mass = PL_ALLOC(double, n), s.dual = PL_ALLOC(double, 3 * n);
    s.fixed = PL_ALLOC(bool, n);
    CHECK_OK(make_sets(&s, &error), &error);
    make_matrices(&s);
    deform(&s);
    make_loads(&s);
    s.blocks = PL_ALLOC(float, 9 * pl_block_matrix_entry_count(&s.A));
    return s;
}

// the sample stays where it is from here on
static void use_objective(sample* s, pl_pool* pool) {
    pl_error error;
    if (!s->floats)
        CHECK_OK(pl_float_sets_create(s->sets, SET_COUNT, s->mesh->positions, s->mesh->vertex_count,
                                      &s->A, NULL, pool, &s->floats, &error),
                 &error);
    s->f = (pl_step_objective){.vertex_count = s->mesh->vertex_count,
                               .set_count = SET_COUNT,
                               .sets = s->sets,
                               .mass = s->mass,
                               .pool = pool,
                               .inertia = 1e4,
                               .velocity_time = 0.01,
                               .damping_mass = 2.0,
                               .damping_stiffness = 1e-3,
                               .damping_matrix = &s->K,
                               .pins = s->pins,
                               .pin_count = PINS,
                               .contacts = s->contacts,
                               .contact_count = CONTACTS,
                               .friction_dual = s->dual,
                               .start = s->mesh->positions,
                               .slip_length = 1e-4,
                               .fixed = s->fixed};
}

static void free_sample(sample* s) {
    int n = s->mesh->vertex_count;
    pl_float_sets_destroy(s->floats);
    PL_FREE(s->blocks, float, 9 * pl_block_matrix_entry_count(&s->A));
    PL_FREE(s->x, double, 3 * n);
    PL_FREE(s->mass, double, n);
    PL_FREE(s->dual, double, 3 * n);
    PL_FREE(s->fixed, bool, n);
    for (int k = 0; k < SET_COUNT; k++) pl_element_set_free(&s->sets[k]);
    pl_block_matrix_free(&s->A);
    pl_block_matrix_free(&s->K);
    pl_block_matrix_free(&s->M);
    pl_mesh_destroy(s->mesh);
}

// of the largest number of the double matrix
static double mixed_error(sample* s, double projected) {
    double worst = 0.0, most = 0.0;
    pl_fem_hessian_float(&s->f, s->floats, s->x, projected, s->blocks);
    pl_step_hessian(&s->f, s->x, projected, &s->A);
    for (int k = 0; k < 9 * pl_block_matrix_entry_count(&s->A); k++) {
        double off = fabs(s->blocks[k] - s->A.values[k]);
        worst = off <= worst ? worst : off; // also takes NaN
        most = fmax(most, fabs(s->A.values[k]));
    }
    return worst / most;
}

static double matrix_error(sample* s) { return mixed_error(s, 1.0); }

TEST(fem_matrix_in_float_equals_the_double_one)
{
    sample s = create_sample(4);
    for (int consistent = 0; consistent < 2; consistent++) {
        use_objective(&s, NULL);
        if (consistent) s.f.mass_matrix = &s.M;
        double all = matrix_error(&s);
        CHECK(all < 5e-6);
        CHECK(s.blocks[9 * s.A.diagonal[2]] == 1.0f && s.blocks[9 * s.A.diagonal[2] + 1] == 0.0f);
    }
    free_sample(&s);
}

// each kind of element alone, so that none hides behind another
TEST(fem_cloth_batches_equal_the_double_elements)
{
    sample s = create_sample(3);
    pl_error error;
    for (int k = SPRINGS; k < SET_COUNT; k++) {
        pl_float_sets_destroy(s.floats);
        CHECK_OK(pl_float_sets_create(&s.sets[k], 1, s.mesh->positions, s.mesh->vertex_count, &s.A,
                                      NULL, NULL, &s.floats, &error),
                 &error);
        use_objective(&s, NULL);
        s.f.sets = &s.sets[k], s.f.set_count = 1;
        s.f.inertia = s.f.velocity_time = 0.0;
        s.f.pin_count = s.f.contact_count = 0;
        for (int part = 0; part <= 2; part++) CHECK(mixed_error(&s, 0.5 * part) < 1e-5);
    }
    free_sample(&s);
}

TEST(fem_matrix_in_float_is_projected_in_part)
{
    sample s = create_sample(4);
    use_objective(&s, NULL);
    CHECK(mixed_error(&s, 0.0) < 5e-6);
    CHECK(mixed_error(&s, 0.5) < 5e-6);
    free_sample(&s);
}

// several elements at a time add the same as one by one
static void check_each(sample* s, const pl_element_set* set) {
    int n = 3 * s->mesh->vertex_count, corners = set->kind->corner_count;
    double *a = PL_ALLOC(double, n), *b = PL_ALLOC(double, n), most = 0.0, energy = 0.0;
    pl_element_set_gradient(set, NULL, s->x, a);
    for (int e = 0; e < set->count; e++) {
        const int* v = set->corners + corners * e;
        double x[12], g[12];
        for (int i = 0; i < 3 * corners; i++) x[i] = s->x[3 * v[i / 3] + i % 3];
        set->kind->gradient(set->data, e, x, g);
        energy += set->kind->energy(set->data, e, x);
        for (int i = 0; i < 3 * corners; i++) b[3 * v[i / 3] + i % 3] += g[i];
    }
    for (int i = 0; i < n; i++) most = fmax(most, fabs(b[i]));
    CHECK(most > 1.0);
    for (int i = 0; i < n; i++) CHECK_NEAR(a[i], b[i], 1e-12 * most);
    CHECK_NEAR(pl_element_set_energy(set, NULL, s->x), energy, 1e-12 * fabs(energy));
    PL_FREE(a, double, n);
    PL_FREE(b, double, n);
}

// of several laws, so that some are taken together and some alone
TEST(fem_tets_have_the_gradient_of_each)
{
    sample s = create_sample(4);
    pl_element_set* set = &s.sets[0];
    pl_material stable, other;
    pl_error error;
    CHECK_OK(pl_material_from_young(PL_MATERIAL_STABLE_NEOHOOKEAN, 1e4, 0.4, &stable, &error),
             &error);
    CHECK_OK(pl_material_from_young(PL_MATERIAL_COROTATED, 1e4, 0.4, &other, &error), &error);
    for (int e = 0; e < set->count; e++)
        pl_tet_element_set_material(set, e, e % 37 == 20 ? &other : &stable);
    check_each(&s, set);
    free_sample(&s);
}

static void check_springs(bool gathered) {
    sample s = create_sample(3);
    pl_element_set* set = &s.sets[SPRINGS];
    pl_error error;
    for (int c = 0; c < 3; c++) // one of no length
        s.x[3 * set->corners[9] + c] = s.x[3 * set->corners[8] + c];
    if (gathered) CHECK_OK(pl_element_set_gather(set, s.mesh->vertex_count, &error), &error);
    CHECK((set->gather != NULL) == gathered);
    pl_spring_element_set(set, 3, 900.0);
    check_each(&s, set);
    free_sample(&s);
}

TEST(fem_springs_have_the_gradient_of_each)
{
    check_springs(false);
    check_springs(true);
}

// energy and gradient in one go are those found apart, with all that an objective can have
TEST(fem_energy_and_gradient_are_those_found_apart)
{
    sample s = create_sample(3);
    int n = 3 * s.mesh->vertex_count;
    double *a = PL_ALLOC(double, n), *b = PL_ALLOC(double, n), *scratch = PL_ALLOC(double, 2 * n);
    use_objective(&s, NULL);
    s.f.y = s.f.reference = s.f.force = s.mesh->positions;
    for (int round = 0; round < 4; round++) {
        pl_error error;
        s.f.mass_matrix = round % 2 ? &s.M : NULL;
        double energy = pl_step_energy(&s.f, s.x, scratch), most = 0.0;
        pl_step_gradient(&s.f, s.x, a, scratch);
        if (round == 2) CHECK_OK(pl_element_set_gather(&s.sets[SPRINGS], n / 3, &error), &error);
        CHECK_NEAR(pl_step_energy_and_gradient(&s.f, s.x, b, scratch), energy, 1e-12 * energy);
        for (int i = 0; i < n; i++) most = fmax(most, fabs(a[i]));
        for (int i = 0; i < n; i++) CHECK_NEAR(a[i], b[i], 1e-12 * most);
        CHECK(a[3 * 2] == 0.0 && b[3 * 2] == 0.0); // fixed
    }
    CHECK(!pl_step_has_both(&s.f)); // tets do not
    // contacts apart from all else
    double part = pl_step_contacts_energy(&s.f, s.x), energy = pl_step_energy(&s.f, s.x, scratch);
    double most = 0.0;
    CHECK(s.f.contact_count > 0 && part > 0.0 && s.f.hold_count == 0);
    pl_step_gradient(&s.f, s.x, a, scratch);
    pl_step_add_contacts(&s.f, s.x, -1.0, a);
    s.f.contact_count = 0;
    pl_step_gradient(&s.f, s.x, b, scratch);
    CHECK_NEAR(pl_step_energy(&s.f, s.x, scratch) + part, energy, 1e-12 * energy);
    for (int i = 0; i < n; i++) most = fmax(most, fabs(b[i]));
    for (int i = 0; i < n; i++) CHECK_NEAR(a[i], b[i], 1e-12 * most);
    PL_FREE(a, double, n);
    PL_FREE(b, double, n);
    PL_FREE(scratch, double, 2 * n);
    free_sample(&s);
}

TEST(fem_spring_gather_survives_every_failing_allocation)
{
    sample s = create_sample(2);
    size_t before = pl_byte_count();
    for (int64_t nth = 1;; nth++) {
        pl_error error;
        pl_inject_failure(nth);
        pl_status status = pl_element_set_gather(&s.sets[SPRINGS], s.mesh->vertex_count, &error);
        pl_inject_failure(0);
        if (status == PL_OK) break;
        CHECK_INT(status, PL_ERROR_MEMORY);
        CHECK_INT(pl_byte_count(), before);
    }
    free_sample(&s);
}

TEST(fem_matrix_in_float_has_the_same_bits_on_any_threads)
{
    sample s = create_sample(7);
    pl_pool* pool;
    pl_error error;
    size_t count = 9 * (size_t)pl_block_matrix_entry_count(&s.A);
    float* first = PL_ALLOC(float, count);
    CHECK_OK(pl_pool_create(3, &pool, &error), &error);
    use_objective(&s, NULL);
    pl_fem_hessian_float(&s.f, s.floats, s.x, 1.0, first);
    for (int round = 0; round < 5; round++) {
        use_objective(&s, pool);
        pl_fem_hessian_float(&s.f, s.floats, s.x, 1.0, s.blocks);
        CHECK(memcmp(first, s.blocks, count * sizeof(float)) == 0);
    }
    PL_FREE(first, float, count);
    pl_pool_destroy(pool);
    free_sample(&s);
}

TEST(fem_matrix_in_float_survives_every_failing_allocation)
{
    sample s = create_sample(2);
    size_t before = pl_byte_count();
    for (int64_t nth = 1;; nth++) {
        pl_error error;
        pl_inject_failure(nth);
        pl_status status =
            pl_float_sets_create(s.sets, SET_COUNT, s.mesh->positions, s.mesh->vertex_count, &s.A,
                                 NULL, NULL, &s.floats, &error);
        pl_inject_failure(0);
        if (status == PL_OK) break;
        CHECK_INT(status, PL_ERROR_MEMORY);
        CHECK_INT(pl_byte_count(), before);
    }
    free_sample(&s);
}
