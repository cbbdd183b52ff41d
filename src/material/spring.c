// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "material/spring.h"

double pl_spring_energy(pl_vec3 d, double rest, double stiffness, bool projected, pl_vec3* gradient,
                        pl_mat3* hessian) {
    double strain, pull = pl_spring_pull(pl_norm2(d), rest, stiffness, &strain);
    if (gradient) *gradient = pl_scale(pull, d);
    if (hessian) {
        // k n n' + k (1 - rest / length) (I - n n')
        double length = pl_norm(d);
        bool usable = length > PL_SPRING_MIN_LENGTH * rest;
        pl_vec3 n = usable ? pl_scale(1.0 / length, d) : (pl_vec3){0.0, 0.0, 0.0};
        double across = usable ? pull : stiffness;
        if (projected && across < 0.0) across = 0.0;
        *hessian = pl_mat3_scale(across, pl_mat3_identity());
        *hessian = pl_mat3_madd(*hessian, stiffness - across, pl_outer(n, n));
    }
    return 0.5 * stiffness * strain * strain;
}
