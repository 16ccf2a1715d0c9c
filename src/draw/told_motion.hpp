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
/// motion; after an impact the velocity; else accelerations, or where something already moves with `v` that:
/// accelerations of turning bodies are no motion to draw, as they are in turning axes.
ToldMotion told_motion(const ScenarioReport& report, const Eigen::VectorXd& v);

}  // namespace stiction::internal
