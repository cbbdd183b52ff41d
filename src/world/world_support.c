// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// What of a scene this version can do, and the solvers it chooses where the scene leaves them open.
#include "sparse/linear_solver.h"
#include "world/world_build.h"

#include <stdio.h>
#include <string.h>

static pl_status check_body(const pl_body* body, int b, pl_error* error) {
    bool grid = body->method == PL_METHOD_GRID;
    if (body->method != PL_METHOD_FEM && !grid)
        return pl_fail(error, PL_ERROR_UNSUPPORTED,
                       "bodies[%d].method: \"%s\" is not in this version; use \"fem\" or \"grid\"",
                       b, pl_method_name((int)body->method));
    if (grid && body->linear != PL_LINEAR_AUTO && body->linear != PL_LINEAR_MULTIGRID)
        return pl_fail(error, PL_ERROR_UNSUPPORTED,
                       "bodies[%d].linear: \"%s\" is not in this version for method grid; use "
                       "multigrid, or leave it out",
                       b, pl_linear_name((int)body->linear));
    if (grid && (body->grid.embedding != PL_GRID_EMBEDDING_TRILINEAR ||
                 body->grid.smoother != PL_GRID_SMOOTHER_DISTRIBUTIVE))
        return pl_fail(
            error, PL_ERROR_UNSUPPORTED,
            "bodies[%d].grid: embedding is trilinear and smoother is distributive in this "
            "version; leave them out",
            b);
    if (!grid && body->linear != PL_LINEAR_AUTO && !pl_linear_is_known(body->linear))
        return pl_fail(error, PL_ERROR_UNSUPPORTED,
                       "bodies[%d].linear: \"%s\" is not in this version; use direct, icpcg, pcg, "
                       "chebyshev or gauss-seidel, or leave it out",
                       b, pl_linear_name((int)body->linear));
    if (body->eigenfit)
        return pl_fail(error, PL_ERROR_UNSUPPORTED,
                       "bodies[%d].eigenfit: is not in this version; leave it out", b);
    if (body->contact.self)
        return pl_fail(error, PL_ERROR_UNSUPPORTED,
                       "bodies[%d].contact.self: bodies do not collide with themselves in this "
                       "version; leave it out",
                       b);
    return PL_OK;
}

// Parameters of elements, integrators and the clock are fixed when the world is made.
static pl_status check_animation(const pl_animation* animation, pl_error* error) {
    static const char* const fixed[] = {".material.", ".damping.", ".pbd.", "time_step"};
    for (size_t k = 0; k < sizeof fixed / sizeof fixed[0]; k++)
        if (strstr(animation->path, fixed[k]))
            return pl_fail(error, PL_ERROR_UNSUPPORTED,
                           "%s: cannot change during a run in this version; give one number",
                           animation->path);
    return PL_OK;
}

pl_status pl_world_check_support(const pl_scene* scene, pl_error* error) {
    pl_status status = PL_OK;
    for (int b = 0; status == PL_OK && b < scene->body_count; b++)
        status = check_body(&scene->bodies[b], b, error);
    for (int k = 0; status == PL_OK && k < scene->animation_count; k++)
        status = check_animation(&scene->animations[k], error);
    return status;
}

// Measured with gummy bears in motion, seconds of CPU for the same frames of each: 620 vertices
// direct 5, icpcg 10, pcg 11; 2941 vertices direct 2.4, icpcg 1.7, pcg 1.0; 5882 vertices
// direct 7.4, icpcg 4.1, pcg 1.7. Without inertia the matrix is worse, and the incomplete factor
// earns its price. A matrix that never changes is factored once.
enum { DIRECT_VERTICES = 1500, DIRECT_CONSTANT_VERTICES = 30000 };

static pl_linear choose_linear(const pl_body* body, int vertex_count) {
    if (body->linear != PL_LINEAR_AUTO) return body->linear;
    if (body->method == PL_METHOD_GRID) return PL_LINEAR_MULTIGRID;
    int limit =
        body->nonlinear == PL_NONLINEAR_PROJECTIVE ? DIRECT_CONSTANT_VERTICES : DIRECT_VERTICES;
    if (vertex_count <= limit) return PL_LINEAR_DIRECT;
    return body->integrator == PL_INTEGRATOR_QUASISTATIC ? PL_LINEAR_ICPCG : PL_LINEAR_PCG;
}

pl_status pl_world_settle_solvers(pl_world* w, pl_error* error) {
    for (int b = 0; b < w->body_count; b++) {
        int vertex_count = w->systems[w->bodies[b].system].vertex_count;
        pl_linear linear = choose_linear(w->bodies[b].def, vertex_count);
        char path[64];
        snprintf(path, sizeof path, "bodies[%d].linear", b);
        pl_status status = pl_scene_set(w->scene, path, pl_linear_name((int)linear), error);
        if (status != PL_OK) return status;
    }
    return PL_OK;
}
