// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// An elimination order that keeps the factor of a sparse symmetric matrix sparse.
#ifndef PL_SPARSE_ORDERING_H
#define PL_SPARSE_ORDERING_H

#include "base/fail.h"

// Approximate minimum degree (Amestoy, Davis, Duff 1996) of a symmetric graph (CSR, without the
// diagonal): order[k] is the k-th row to eliminate.
pl_status pl_order_minimum_degree(int row_count, const int* offsets, const int* neighbours,
                                  int* order, pl_error* error);

#endif
