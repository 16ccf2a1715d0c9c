#pragma once

#include <memory>
#include <string>

#include "stiction/contact_problem.hpp"
#include "stiction/engine.hpp"
#include "stiction/proof.hpp"

namespace stiction {

/// "Every contact keeps sticking" for a control loop (section 4.2 of the paper, on-line): a robot in motion, with the
/// efforts that its motors give. Scene::compute makes the problem of a step from measured q, v and efforts
/// (SceneState); `stick` (trajectory.hpp) takes out of v what noise left at the contacts. The acceleration comes out.
///
/// The forces of the step before are tried first, changed as little as the new motion asks for; only when the judge
/// refuses them a new decision is made. A verdict is always judged against the numbers of the step, so the past never
/// decides it. Allocates nothing after the first steps of a size. One per thread.
class StickingMonitor {
 public:
  explicit StickingMonitor(const StickingRules& rules = {}, std::unique_ptr<Engine> engine = make_native_engine());
  ~StickingMonitor();
  StickingMonitor(StickingMonitor&&) noexcept;
  StickingMonitor& operator=(StickingMonitor&&) noexcept;

  /// Verdict of one step. Inputs as for StickingChecker::check, but only sizes are checked. A problem of other sizes,
  /// or after reset(), starts afresh.
  Verdict step(const ContactProblem& problem);
  void reset();

  const Certificate& certificate() const;       ///< proof of the last verdict
  const Eigen::VectorXd& acceleration() const;  ///< nv; of Gauss' principle, where there is one
  const Eigen::VectorXd& lambda() const;        ///< admissible when the last verdict was holds
  const std::string& reason() const;            ///< why undecided
  bool reused() const;                          ///< the last verdict came from the forces of the step before

 private:
  struct Workspace;
  std::unique_ptr<Workspace> workspace_;
};

}  // namespace stiction
