// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Linear tets of our fem on the problem of s4_sphere.h, for comparison with method grid (Zhu 2010,
// Fig. 13 and 16): tets that fit the sphere, and the lattice's own cells cut into tets with the
// sphere embedded in them. There the volume's force, held cells and the error are those of the
// lattice; traction goes from the surface's vertices to the corners of their tets (Fig. 14).
#ifndef PL_BENCH_S4_FEM_H
#define PL_BENCH_S4_FEM_H

#include "s4_tets.h"

// The largest error; said on a line of its own too.
pl_status s4_fitted_error(double edge, double nu, double* out, pl_error* error);
pl_status s4_embedded_error(int across, double nu, double* out, pl_error* error);

#endif
