#pragma once

#include "solve/boundary_pair.hpp"
#include "stiction/grasp.hpp"

namespace stiction::internal {

/// Internal forces of a grasp, G f = 0, whose friction is t times as given. False: a contact also pulls or has facets.
bool write_closure_family(const Grasp& grasp, ConeFamily& family);

/// What closure asks an engine with one t: G x = -G c, c the unit normals. Infeasible: some motion is free.
void write_closure_at(const ConeFamily& family, double t, ConeProgram& program);

}  // namespace stiction::internal
