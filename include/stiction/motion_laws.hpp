// The laws of prediction.hpp for bodies that move already.
#pragma once

#include "stiction/prediction.hpp"
#include "stiction/proof/sliding.hpp"

namespace stiction {

struct MotionLawOptions : PredictionOptions {
  SlipDirections slips = {};  ///< of contacts that slide already; empty: none does
  /// Actuators are dry friction: an effort within their limits that keeps the joint, and opposes its motion at a limit.
  bool brakes = false;
  Eigen::VectorXd start_effort = {};  ///< of actuators, beside `start`; empty: none
  bool newton_first = false;          ///< from `start`, which is near a solution: that of the instant before
};

struct MotionPrediction : Prediction {
  Eigen::VectorXd effort;  ///< of the actuators that brake; empty: none do
};

/// predict(), but a contact that slides along d has λt = -mu |λn| d and ut free, and joints may be braked. The same
/// laws with momenta for forces and velocities for accelerations are those of an impact, and of a step of time.
/// @throws InputError as predict, and for slips as SlidingChecker does.
MotionPrediction predict_motion(const ContactProblem& problem, const MotionLawOptions& options);

}  // namespace stiction
