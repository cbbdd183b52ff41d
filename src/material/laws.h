// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// All laws that are functions of invariants: X(enum value, name in C). Adding a law is a file
// law_NAME.h, a line here and one in PL_MATERIAL_LIST.
#ifndef PL_MATERIAL_LAWS_H
#define PL_MATERIAL_LAWS_H

#include "material/law_arap.h"
#include "material/law_corotated.h"
#include "material/law_linear.h"
#include "material/law_mooney_rivlin.h"
#include "material/law_neohookean.h"
#include "material/law_stable_neohookean.h"
#include "material/law_stvk.h"

#define PL_ISOTROPIC_LAWS(X)                                                                       \
    X(COROTATED, corotated)                                                                        \
    X(ARAP, arap)                                                                                  \
    X(STVK, stvk)                                                                                  \
    X(NEOHOOKEAN, neohookean)                                                                      \
    X(STABLE_NEOHOOKEAN, stable_neohookean)                                                        \
    X(MOONEY_RIVLIN, mooney_rivlin)                                                                \
    X(BARE_NEOHOOKEAN, bare_neohookean)

#endif
