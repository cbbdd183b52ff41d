// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The passes over the rows of a level. block_level.c includes this file once for each kind of
// blocks (block_size.h), with STRIDE, the floats of a row in a vector.

// a diagonal block, or its inverse, times values
#if STRIDE == 16 && N == 4
PL_WIDE V SIZED(own_times)(const pl_block_level* level, const float* blocks, int i, V x) {
    int slot = level->mixed_slot[i];
    if (slot < 0) return V_(apply)(blocks + N * N * (size_t)i, x);
    const pl_mixed_block* mixed = &level->mixed[slot];
    return pl_v12_apply_map(blocks == level->inverse ? mixed->inverse : mixed->block, x);
}
PL_WIDE V SIZED(own_times_at)(const pl_block_level* level, const float* blocks, int i,
                              const float* x) {
    return SIZED(own_times)(level, blocks, i, V_(load)(x));
}
#else
PL_WIDE V SIZED(own_times)(const pl_block_level* level, const float* blocks, int i, V x) {
    (void)level;
    return V_(apply)(blocks + N * N * (size_t)i, x);
}
PL_WIDE V SIZED(own_times_at)(const pl_block_level* level, const float* blocks, int i,
                              const float* x) {
    (void)level;
    return V_(apply_at)(blocks + N * N * (size_t)i, x);
}
#endif

// sum over the blocks of a half row, times x
PL_WIDE V SIZED(half_sum)(const pl_block_level* level, const pl_mg_half* half, int i) {
    const int* columns = level->pattern.columns;
    SUM sum = {0};
    for (int e = half->begin[i]; e < half->end[i]; e++)
        SUM_(add)(level->values + N * N * (size_t)e, level->x + STRIDE * (size_t)columns[e], &sum);
    return SUM_(end)(sum);
}

#if STRIDE == 4
// The same from the last entry on: a backward sweep has just computed the value that the first
// entry needs.
PL_WIDE V SIZED(half_sum_backward)(const pl_block_level* level, const pl_mg_half* half, int i) {
    const int* columns = level->pattern.columns;
    SUM sum = {0};
    for (int e = half->end[i] - 1; e >= half->begin[i]; e--)
        SUM_(add)(level->values + N * N * (size_t)e, level->x + STRIDE * (size_t)columns[e], &sum);
    return SUM_(end)(sum);
}
#else
PL_WIDE V SIZED(half_sum_backward)(const pl_block_level* level, const pl_mg_half* half, int i) {
    return SIZED(half_sum)(level, half, i);
}
#endif

PL_WIDE void SIZED(relax)(const job* j, int i) {
    pl_block_level* level = j->level;
    size_t at = STRIDE * (size_t)i;
    V sum = j->forward ? SIZED(half_sum)(level, j->half, i)
                       : SIZED(half_sum_backward)(level, j->half, i);
    V rest = V_(sub)(V_(load)(level->b + at), sum);
    if (!j->from_zero) rest = V_(sub)(rest, V_(load)(level->half_sum + at));
    V x = SIZED(own_times)(level, level->inverse, i, rest);
#if (N == 4 && STRIDE == 4) || N == 16 // indefinite matrices need relaxation
    if (level->omega != 1.0f) {
        x = V_(scale)(level->omega, x);
        if (!j->from_zero) x = V_(add)(x, V_(scale)(1.0f - level->omega, V_(load)(level->x + at)));
    }
#endif
    V_(store)(level->x + at, x);
    V_(store)(level->half_sum + at, sum);
}

#if STRIDE == 4
// Interleaves two units row by row. A row mostly waits for the previous one, and units of a phase
// are not coupled, so that their waits overlap.
static void SIZED(relax_task)(int begin, int end, int worker, void* user) {
    const job* j = user;
    int step = j->forward ? 1 : -1;
    (void)worker;
    for (int pair = begin; pair < end; pair++) {
        int count_a, count_b, a = unit_start(j, 2 * pair, &count_a);
        int b = unit_start(j, 2 * pair + 1, &count_b), both = count_a < count_b ? count_a : count_b;
        for (int k = 0; k < both; k++, a += step, b += step) {
            SIZED(relax)(j, a);
            SIZED(relax)(j, b);
        }
        for (int k = both; k < count_a; k++, a += step) SIZED(relax)(j, a);
        for (int k = both; k < count_b; k++, b += step) SIZED(relax)(j, b);
    }
}
#else
static void SIZED(relax_task)(int begin, int end, int worker, void* user) {
    const job* j = user;
    const int* order = j->level->pattern.schedule.order;
    (void)worker;
    for (int unit = begin; unit < end; unit++) {
        int count, step = j->forward ? 1 : -1, p = unit_start(j, unit, &count);
        for (int k = 0; k < count; k++, p += step) SIZED(relax)(j, order[p]);
    }
}
#endif

// r = b - sum of both halves - D x
static void SIZED(residual_task)(int begin, int end, int worker, void* user) {
    const job* j = user;
    pl_block_level* level = j->level;
    const pl_mg_half* upper = &level->pattern.upper;
    (void)worker;
    for (int k = begin; k < end; k++) {
        int i = row_at(level, k);
        size_t at = STRIDE * (size_t)i;
        V rest = V_(sub)(V_(load)(level->b + at), SIZED(half_sum)(level, j->half, i));
        rest = V_(sub)(rest, j->both_halves ? SIZED(half_sum)(level, upper, i)
                                            : V_(load)(level->half_sum + at));
        rest = V_(sub)(rest, SIZED(own_times_at)(level, level->diagonal, i, level->x + at));
        V_(store)(level->residual + at, rest);
    }
}

static void SIZED(product)(const pl_block_level* level, bool after_backward, int begin, int end,
                           float* y) {
    for (int i = begin; i < end; i++) {
        size_t at = STRIDE * (size_t)i;
        V sum = SIZED(half_sum)(level, &level->pattern.lower, i);
        sum = V_(add)(sum, after_backward ? V_(load)(level->half_sum + at)
                                          : SIZED(half_sum)(level, &level->pattern.upper, i));
        sum = V_(add)(sum, SIZED(own_times_at)(level, level->diagonal, i, level->x + at));
        V_(store)(y + at, sum);
    }
}

static void SIZED(prepare_task)(int begin, int end, int worker, void* user) {
    const job* j = user;
    pl_block_level* level = j->level;
    (void)worker;
    for (int k = begin; k < end; k++) {
        int i = row_at(level, k);
        V_(store)(level->half_sum + STRIDE * (size_t)i, SIZED(half_sum)(level, j->half, i));
    }
}

// x = or += damping D^-1 of the residual, or of b
static void SIZED(step_task)(int begin, int end, int worker, void* user) {
    const job* j = user;
    pl_block_level* level = j->level;
    const float* from = j->from_zero ? level->b : level->residual;
    (void)worker;
    for (int k = begin; k < end; k++) {
        int i = row_at(level, k);
        size_t at = STRIDE * (size_t)i;
        V step = SIZED(own_times_at)(level, level->inverse, i, from + at);
        step = V_(scale)(level->damping, step);
        if (j->add) step = V_(add)(V_(load)(level->x + at), step);
        V_(store)(level->x + at, step);
    }
}

static const passes SIZED(passes) = {SIZED(relax_task), SIZED(residual_task), SIZED(prepare_task),
                                     SIZED(step_task), SIZED(product)};

#undef KIND
#undef N
#undef STRIDE
