// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Bodies that were flattened, collapsed or scattered, and find back to their rest shape. Steps of
// implicit Euler that are long against the body's vibrations lead it there; it stays free.
#include "base/memory.h"
#include "base/random.h"
#include "modes/dense_eigen.h"
#include "verify.h"

#include <math.h>

// size of the bounding box's longest side
static double longest_side(const pl_mesh* mesh) {
    double low[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, high[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
    for (int i = 0; i < 3 * mesh->vertex_count; i++) {
        low[i % 3] = fmin(low[i % 3], mesh->positions[i]);
        high[i % 3] = fmax(high[i % 3], mesh->positions[i]);
    }
    return fmax(high[0] - low[0], fmax(high[1] - low[1], high[2] - low[2]));
}

void verify_spoil(const pl_mesh* mesh, verify_spoilt how, uint64_t seed, double* x) {
    double size = longest_side(mesh);
    pl_random random = {seed};
    for (int i = 0; i < 3 * mesh->vertex_count; i++) {
        switch (how) {
        case VERIFY_FLAT: x[i] = i % 3 == 1 ? 0.0 : mesh->positions[i]; break;
        case VERIFY_POINT: x[i] = 1e-3 * size * pl_random_uniform(&random, -0.5, 0.5); break;
        case VERIFY_FAR: x[i] = 10.0 * size * pl_random_uniform(&random, -0.5, 0.5); break;
        case VERIFY_RANDOM: x[i] = size * pl_random_uniform(&random, -0.5, 0.5); break;
        }
    }
}

static double signed_volume(const double* x, const int* tet) {
    pl_vec3 a = pl_vec3_load(x + 3 * tet[0]);
    return pl_dot(pl_sub(pl_vec3_load(x + 3 * tet[1]), a),
                  pl_cross(pl_sub(pl_vec3_load(x + 3 * tet[2]), a),
                           pl_sub(pl_vec3_load(x + 3 * tet[3]), a))) /
           6.0;
}

// Largest error of an edge's length, relative to the size; 1 or more if a tet is inside out.
static double shape_error(const verify_body* body) {
    const pl_mesh* mesh = body->mesh;
    const double* x = pl_step_positions(body->system);
    double largest = 0.0;
    for (int e = 0; e < mesh->tet_count; e++) {
        const int* tet = mesh->tets + 4 * e;
        if (!(signed_volume(x, tet) > 0.0)) return 1.0;
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < i; j++) {
                double now =
                    pl_distance(pl_vec3_load(x + 3 * tet[i]), pl_vec3_load(x + 3 * tet[j]));
                double rest = pl_distance(pl_vec3_load(mesh->positions + 3 * tet[i]),
                                          pl_vec3_load(mesh->positions + 3 * tet[j]));
                largest = fmax(largest, fabs(now - rest));
            }
    }
    return largest / longest_side(mesh);
}

pl_status verify_recovery(pl_mesh* mesh, pl_material_kind law, verify_spoilt how, uint64_t seed,
                          double* shape, int* iterations, pl_error* error) {
    enum { MAX_STEPS = 60 };
    pl_step_settings settings = pl_default_step_settings();
    settings.max_iterations = 50;
    verify_body body;
    pl_status status =
        verify_body_create(&body, mesh, law, 1e5, 0.3, 1000.0, &settings, NULL, error);
    if (status != PL_OK) return status;
    verify_spoil(mesh, how, seed, pl_step_positions(body.system));
    *iterations = 0;
    *shape = 1.0;
    for (int k = 0; status == PL_OK && k<MAX_STEPS&& * shape> 1e-4; k++) {
        pl_method_info info;
        status = verify_body_step(&body, 1.0, 0.0, NULL, 0, &info, error);
        *iterations += info.iterations;
        *shape = shape_error(&body);
    }
    verify_body_free(&body);
    return status;
}

// H += the second derivatives of the elastic energy, dense
static void add_hessian(const pl_element_set* set, const double* x, int size, double* H) {
    const int corners = set->kind->corner_count;
    double place[3 * PL_MAX_CORNERS], block[9 * PL_MAX_CORNERS * PL_MAX_CORNERS];
    for (int e = 0; e < set->count; e++) {
        const int* vertices = set->corners + corners * e;
        for (int i = 0; i < 3 * corners; i++) place[i] = x[3 * vertices[i / 3] + i % 3];
        set->kind->hessian(set->data, e, place, false, block);
        for (int i = 0; i < 3 * corners; i++)
            for (int j = 0; j < 3 * corners; j++)
                H[(size_t)(3 * vertices[i / 3] + i % 3) * (size_t)size + 3 * vertices[j / 3] +
                  j % 3] += block[3 * corners * i + j];
    }
}

// Solves more exactly, and tells whether the energy has a minimum there: of the eigenvalues of its
// Hessian six are zero, for rigid motions, and all others are positive.
static pl_status find_minimum(verify_body* body, verify_return* out, pl_error* error) {
    enum { RIGID = 6 };
    const int size = 3 * body->mesh->vertex_count;
    const size_t square = (size_t)size * (size_t)size;
    pl_step_model model = pl_step_system_model(body->system);
    pl_method_info info;
    model.settings->tolerance = 1e-10;
    pl_status status = verify_body_step(body, 1.0, 0.0, NULL, 0, &info, error);
    if (status != PL_OK) return status;
    double *H = PL_ALLOC(double, square), *vectors = PL_ALLOC(double, square);
    double *values = PL_ALLOC(double, size), *scratch = PL_ALLOC(double, 2 * size);
    if (!H || !vectors || !values || !scratch) status = pl_fail_memory(error, "a Hessian");
    for (int s = 0; status == PL_OK && s < model.set_count; s++)
        add_hessian(&model.sets[s], pl_step_positions(body->system), size, H);
    if (status == PL_OK && pl_dense_eigen(size, H, values, vectors, scratch)) {
        out->softest = values[RIGID] / values[size - 1];
        out->is_minimum =
            info.converged && out->softest > 1e-6 && fabs(values[0]) < 1e-6 * values[RIGID];
    }
    PL_FREE(H, double, square);
    PL_FREE(vectors, double, square);
    PL_FREE(values, double, size);
    PL_FREE(scratch, double, 2 * size);
    return status;
}

pl_status verify_quasistatic_recovery(pl_mesh* mesh, pl_material_kind law, pl_linear linear,
                                      verify_spoilt how, uint64_t seed, verify_return* out,
                                      pl_error* error) {
    enum { MAX_FRAMES = 20 };
    pl_step_settings settings = pl_default_step_settings();
    settings.integrator = PL_INTEGRATOR_QUASISTATIC;
    settings.linear = linear;
    verify_body body;
    pl_status status =
        verify_body_create(&body, mesh, law, 1e5, 0.3, 1000.0, &settings, NULL, error);
    if (status != PL_OK) return status;
    verify_spoil(mesh, how, seed, pl_step_positions(body.system));
    *out = (verify_return){.shape = 1.0};
    double first = pl_step_system_energies(body.system).elastic, last = first;
    for (int k = 0; status == PL_OK && k < MAX_FRAMES && !out->converged; k++) {
        pl_method_info info;
        status = verify_body_step(&body, 1.0, 0.0, NULL, 0, &info, error);
        double energy = pl_step_system_energies(body.system).elastic;
        out->rise = fmax(out->rise, (energy - last) / first);
        last = energy;
        out->converged = status == PL_OK && info.converged;
        out->iterations += info.iterations;
    }
    if (status == PL_OK) out->shape = shape_error(&body);
    if (out->converged && out->shape > 1e-5) status = find_minimum(&body, out, error);
    verify_body_free(&body);
    return status;
}
