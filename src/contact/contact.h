// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// What a method responds to: pinned vertices, and vertices that touch a solid.
#ifndef PL_CONTACT_CONTACT_H
#define PL_CONTACT_CONTACT_H

#include "base/array.h"
#include "base/fail.h"
#include "math/mat3.h"

#include <math.h>
#include <stdbool.h>

// A vertex held at a position, exactly or by a spring.
typedef struct pl_pin {
    int vertex;
    bool hard;
    double stiffness; // [N/m], if not hard
    pl_vec3 from;     // position at the start of the step [m]
    pl_vec3 target;   // position at the end of the step [m]
    int group;        // the same for all pins of an attachment; -1: a single pin
    bool partial;     // holds only in some directions
    pl_mat3 held;     // if so: projection onto these directions
} pl_pin;

// The part of a displacement that a pin resists.
static inline pl_vec3 pl_pin_part(const pl_pin* pin, pl_vec3 shift) {
    return pin->partial ? pl_mat3_apply(&pin->held, shift) : shift;
}

// A vertex near a solid. It is pushed out of the half-space behind the plane through `point`. Round
// solids also have a curvature: their surface is a ball or a cylinder that touches the plane.
typedef struct pl_contact {
    int vertex;
    int obstacle;        // number of the obstacle, the same in all detections of a step
    pl_vec3 point;       // on the surface at the end of the step [m]
    pl_vec3 normal;      // unit vector out of the solid
    pl_vec3 motion;      // of the solid at `point` during the step [m]
    double stiffness;    // of the penalty [N/m]
    double friction;     // Coulomb's coefficient
    double normal_force; // to which friction is proportional; set by the method [N]
    double radius;       // of curvature [m]; 0: flat
    pl_vec3 axis;        // unit axis of a cylinder; zero: a ball
    // The vertex entered on its straight path and is now elsewhere: the plane is at the place of
    // entry, radius and axis are those of the surface place now nearest to the vertex.
    bool has_entered;
    double nearest_depth;   // depth of the vertex below that place [m]
    pl_vec3 nearest_normal; // normal at that place
} pl_contact;

// Position of a point relative to the surface of a contact.
typedef struct pl_contact_place {
    double depth;     // below the surface; positive inside [m]
    pl_vec3 normal;   // minus the gradient of the depth
    double curvature; // the Hessian of the depth is -curvature (P - n n'), P = I - axis axis' [1/m]
} pl_contact_place;

static inline pl_contact_place pl_contact_flat(const pl_contact* c, pl_vec3 p) {
    return (pl_contact_place){-pl_dot(pl_sub(p, c->point), c->normal), c->normal, 0.0};
}

// More than 60 degrees around from where the contact was found, the surface continues straight, as
// a cone. So a point that crosses the middle of a thin solid is not pushed out on the wrong side.
// The curvature of the cone is neglected.
static inline pl_contact_place pl_contact_round(const pl_contact* c, pl_vec3 p) {
    const double cosine = 0.5, sine = 0.8660254037844386;
    if (!(c->radius > 0.0) || c->has_entered) return pl_contact_flat(c, p);
    pl_vec3 d = pl_madd(pl_sub(p, c->point), c->radius, c->normal);
    d = pl_madd(d, -pl_dot(d, c->axis), c->axis);
    double along = pl_dot(d, c->normal), length = pl_norm(d);
    if (along > cosine * length)
        return (pl_contact_place){c->radius - length, pl_scale(1.0 / length, d), 1.0 / length};
    pl_vec3 across = pl_madd(d, -along, c->normal);
    double aside = pl_norm(across);
    pl_vec3 turned = aside > 0.0 ? pl_scale(sine / aside, across) : (pl_vec3){0, 0, 0};
    return (pl_contact_place){c->radius - cosine * along - sine * aside,
                              pl_madd(turned, cosine, c->normal), 0.0};
}

// Writes the contacts of a system whose vertices moved from start to x (3 per vertex) to `out` and
// returns their number. If it exceeds `capacity`, only the first `capacity` were written and the
// caller must call again with more room.
typedef int (*pl_detect)(void* user, const double* start, const double* x, pl_contact* out,
                         int capacity);

// Replaces the items of an array of pl_contact by all contacts of vertices that moved from start to
// x. The array grows as needed. detect: NULL if there are no contacts.
pl_status pl_detect_all(pl_detect detect, void* user, const double* start, const double* x,
                        pl_array* contacts, pl_error* error);

#endif
