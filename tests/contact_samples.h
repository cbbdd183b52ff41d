// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// What the tests of bodies that touch share, whatever their method.
#ifndef PL_CONTACT_SAMPLES_H
#define PL_CONTACT_SAMPLES_H

#include "math/vec3.h"

#include <pliant/world.h>

// Of all bodies, as their methods conserve it; size: sum of the lengths of the bodies' momenta.
void contact_momentum(pl_world* world, pl_vec3* linear, pl_vec3* angular, double* size);
// Two bodies meet along x: they keep their sides, never cross, keep momentum to a part `tolerance`
// of `size`, and gain no energy. At least so many contacts, summed over the frames. Destroys the
// world.
void contact_check_meeting(pl_world* world, int frames, int least_contacts, double tolerance);
// Mean of the vertices of a body.
pl_vec3 contact_middle(pl_world* world, int body);
// Steps a scene for some frames and checks that it has the same bits on three threads, that a frame
// with contacts comes out the same after its state was saved and loaded, and that it does not
// allocate when it is run again.
void contact_check_bits(const char* text, int frames);

#endif
