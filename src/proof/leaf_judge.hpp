#pragma once

#include <memory>

#include "stiction/proof.hpp"

namespace stiction::internal {

struct JudgeScratch;

/// What judge_equilibrium says about one leaf for many loads. One per thread.
class LeafJudge {
 public:
  LeafJudge();
  ~LeafJudge();

  /// The problem that the next calls are about, whatever their F: false, and why, when nothing can be proved about it.
  bool measure(const ContactProblem& problem, const Eigen::VectorXd& a, std::string* why = nullptr);

  /// For a kMotion certificate with one leaf: what is left of y'(M a + F) after all that contacts, limits and rounding
  /// can supply, for every F that differs by at most `room` (nv, >= 0) from the problem's. Positive: all of these fail,
  /// and so does every convex combination of loads for which the same leaf is left with something
  /// (docs/proofs/region.md). Else minus infinity.
  double failing_gain(const ContactProblem& problem, const Eigen::VectorXd& a, const ConeShape& shape,
                      const Certificate& certificate, const Eigen::VectorXd& room, std::string* why = nullptr);

 private:
  std::unique_ptr<JudgeScratch> scratch_;
};

}  // namespace stiction::internal
