// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// What the benches of method mixed (S3, Ruan 2024) share: worlds from scene text, volumes, means.
#ifndef PL_BENCH_S3_WORLD_H
#define PL_BENCH_S3_WORLD_H

#include "bench.h"

#include <pliant/pliant.h>

// The world of a scene, whose text is made as printf does it; NULL after a message that begins with
// the bench's name.
pl_world* s3_world(const char* bench_name, const char* format, ...)
    __attribute__((format(printf, 2, 3)));
// One frame; false after a message.
bool s3_step(const char* bench_name, pl_world* world, pl_frame_info* info);
// Signed volume of a body's tets at x [m^3].
double s3_volume(const pl_mesh* mesh, const double* x);
// Seconds of processor time that this process has used, all threads together.
double s3_cpu_seconds(void);
// A result whose name ends in the Poisson's ratio: error_mixed_nu0.49.
void s3_result_nu(bench* b, const char* name, double nu, double value, const char* unit);
// The slope of log y over log x.
double s3_slope(const double* x, const double* y, int count);

#endif
