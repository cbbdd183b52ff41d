// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The numbers of tuned_list.h as pl_tuned.NAME. They are constants, except in builds with
// PLIANT_TUNABLE, where `pliant-bench sensitivity` changes them between runs.
#ifndef PL_BASE_TUNED_H
#define PL_BASE_TUNED_H

typedef struct pl_tuned_numbers {
#define TUNED(type, name, value, top, measured_on) type name;
#include "base/tuned_list.h"
#undef TUNED
} pl_tuned_numbers;

#ifdef PLIANT_TUNABLE
extern pl_tuned_numbers pl_tuned;
#else
static const pl_tuned_numbers pl_tuned = {
#define TUNED(type, name, value, top, measured_on) value,
#include "base/tuned_list.h"
#undef TUNED
};
#endif

#endif
