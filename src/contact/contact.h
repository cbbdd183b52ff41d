// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// What a method responds to: points that are held, and vertices that touch something solid.
#ifndef PL_CONTACT_CONTACT_H
#define PL_CONTACT_CONTACT_H

#include "math/mat3.h"

#include <stdbool.h>

// A vertex held at a place, exactly or by a spring.
typedef struct pl_pin {
    int vertex;
    bool hard;
    double stiffness; // [N/m], if not hard
    pl_vec3 from;     // the place at the begin of the step [m]
    pl_vec3 target;   // and at its end
    int group;        // pins of one attachment have the same one; -1: on its own
    bool partial;     // holds only some directions
    pl_mat3 held;     // if so: projection to them
} pl_pin;

// The part of a shift that a pin resists.
static inline pl_vec3 pl_pin_part(const pl_pin* pin, pl_vec3 shift) {
    return pin->partial ? pl_mat3_apply(&pin->held, shift) : shift;
}

// A vertex near a solid: it is pushed out of the half-space behind the plane through `point`.
typedef struct pl_contact {
    int vertex;
    int obstacle;        // which one: the same number in all detections of a step
    pl_vec3 point;       // on the surface, at the end of the step [m]
    pl_vec3 normal;      // out of the solid, unit
    pl_vec3 motion;      // of the solid at that place during the step [m]
    double stiffness;    // of the penalty [N/m]
    double friction;     // Coulomb's coefficient
    double normal_force; // that friction is a part of; the method sets it [N]
} pl_contact;

// Fills out with the contacts of a system whose vertices moved from start to x (3 per vertex) and
// returns their number, which may be above capacity: then nothing past capacity was written and the
// caller asks again with more room.
typedef int (*pl_detect)(void* user, const double* start, const double* x, pl_contact* out,
                         int capacity);

#endif
