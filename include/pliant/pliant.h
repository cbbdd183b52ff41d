// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The whole public interface of pliant.
#ifndef PLIANT_PLIANT_H
#define PLIANT_PLIANT_H

#include <pliant/embed.h>
#include <pliant/generate.h>
#include <pliant/mesh.h>
#include <pliant/mesh_check.h>
#include <pliant/mesh_surface.h>
#include <pliant/modes.h>
#include <pliant/multigrid.h>
#include <pliant/parallel.h>
#include <pliant/scene.h>
#include <pliant/status.h>
#include <pliant/tetrahedralise.h>
#include <pliant/world.h>

#endif
