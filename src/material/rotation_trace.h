// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// I1 = tr(R'F), the sum of the stretches of F, without computing its rotation R. Energies of the
// corotated laws need no more of R. Several F at a time, in double.
//
// I1 is the largest eigenvalue of a symmetric 4x4 matrix made of F (Horn 1987), whose
// characteristic polynomial is p(t) = t^4 - 2 I2 t^2 - 8 J t + 2 |F'F|^2 - I2^2 with I2 = |F|^2 and
// J = det F. Its roots are real, so Newton's method decreases to the largest one from any larger
// number. It starts at sqrt(3 I2), which is exact if all stretches are equal.
#ifndef PL_MATERIAL_ROTATION_TRACE_H
#define PL_MATERIAL_ROTATION_TRACE_H

enum { PL_TRACE_LANES = 8 };

// Accurate to round-off; to 1e-8 of the largest stretch where the two smaller ones add up to zero
// (a double root); and to 1e-5 where F is near a reflection (a triple one). F: entry k of all
// matrices at F[k]; J < 0 is an inverted F, whose smallest stretch counts as negative (pl_polar).
void pl_rotation_traces(double F[9][PL_TRACE_LANES], double I2[PL_TRACE_LANES],
                        double I1[PL_TRACE_LANES]);

#endif
