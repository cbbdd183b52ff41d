// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Values of the finest level where a vertex has N unknowns. block_values.c includes this file once
// for each N (block_size.h).

// sum of the absolute values of the diagonal
static double SIZED(trace_part)(int begin, int end, void* user) {
    const copy_job* job = user;
    double sum = 0.0;
    for (int i = begin; i < end; i++) {
        const double* D = job->A->values + N * N * (size_t)job->mg->diagonal_source[i];
        double own = 0.0;
        for (int c = 0; c < N; c++) own += fabs(D[(N + 1) * c]);
        sum += own;
    }
    return sum;
}

// the same for values in float
static double SIZED(written_trace_part)(int begin, int end, void* user) {
    const pl_block_level* level = user;
    double sum = 0.0;
    for (int i = begin; i < end; i++) {
        const float* D = level->fixed + N * N * (size_t)i;
        double own = 0.0;
        for (int c = 0; c < N; c++) own += fabs((double)D[(N + 1) * c]);
        sum += own;
    }
    return sum;
}

// the OR of the bits of all values
PL_WIDE pl_i4 SIZED(copy_half)(const copy_job* job, const pl_mg_half* half, int i) {
    pl_block_level* level = &job->mg->levels[0];
    pl_i4 bits = {0};
    for (int e = half->begin[i]; e < half->end[i]; e++) {
        const double* from = job->A->values + N * N * (size_t)level->pattern.source[e];
        bits |= SIZED(copy_block)(from, job->mg->scale, level->values + N * N * (size_t)e);
    }
    return bits;
}

static void SIZED(copy_rows_task)(int begin, int end, int worker, void* user) {
    const copy_job* job = user;
    pl_block_mg* mg = job->mg;
    pl_block_level* level = &mg->levels[0];
    (void)worker;
    for (int i = begin; i < end; i++) {
        pl_i4 lower = SIZED(copy_half)(job, &level->pattern.lower, i);
        pl_i4 upper = SIZED(copy_half)(job, &level->pattern.upper, i);
        float* D = level->fixed + N * N * (size_t)i;
        SIZED(copy_block)(job->A->values + N * N * (size_t)mg->diagonal_source[i], mg->scale, D);
        SIZED(set_held)(mg, i, lower | upper, D);
    }
}

static void SIZED(multiply_task)(int begin, int end, int worker, void* user) {
    const multiply_job* job = user;
    const pl_block_mg* mg = job->mg;
    const pl_block_level* level = &mg->levels[0];
    const pl_mg_half* halves[2] = {&level->pattern.lower, &level->pattern.upper};
    (void)worker;
    for (int i = begin; i < end; i++) {
        size_t row = N * (size_t)mg->old_of_new[i];
        const float* D = level->diagonal + N * N * (size_t)i;
        d4 sum = SIZED(multiply_block)(D, job->x + row, (d4){0});
        for (int h = 0; h < 2; h++)
            for (int e = halves[h]->begin[i]; e < halves[h]->end[i]; e++) {
                size_t column = N * (size_t)mg->old_of_new[level->pattern.columns[e]];
                const float* A = level->values + N * N * (size_t)e;
                sum = SIZED(multiply_block)(A, job->x + column, sum);
            }
        for (size_t c = 0; c < N; c++) job->y[row + c] = sum[c] / (double)mg->scale;
    }
}

#undef KIND
#undef N
