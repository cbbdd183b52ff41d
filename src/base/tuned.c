// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Compiled only in builds with PLIANT_TUNABLE.
#include "base/tuned.h"

pl_tuned_numbers pl_tuned = {
#define TUNED(type, name, value, top, measured_on) value,
#include "base/tuned_list.h"
#undef TUNED
};
