#pragma once

#include <string>

#include "stiction/report.hpp"

namespace stiction::internal {

/// The motion that an answer is about, as a velocity of the scene.
struct ToldMotion {
  Eigen::VectorXd motion;   ///< nv; empty: there is none
  std::string words;        ///< "motion that nothing opposes"
  double noticeable = 0.0;  ///< speeds below a small share of this are rest
};

/// Of a failing case the motion that its sentence tells, else the one of its proof; of a grasp the object's free
/// motion; else accelerations, and the velocity after an impact.
ToldMotion told_motion(const ScenarioReport& report);

}  // namespace stiction::internal
