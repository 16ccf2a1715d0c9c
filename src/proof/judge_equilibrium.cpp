// (EQ): efforts are free within their limits, the motion is prescribed.
#include <cmath>
#include <string>

#include "proof/judge_parts.hpp"
#include "proof/sign_cover.hpp"
#include "stiction/proof.hpp"

namespace stiction {
namespace {

using namespace internal;

struct EquilibriumCase {
  const ContactProblem& p;
  const ConeShape& shape;
  const Certificate& certificate;
  JudgeScratch& s;
  std::string* why;

  bool forces();
  bool drives(const Eigen::VectorXd& motion, const Sum& supply);
  bool leaf_separates(const MotionLeaf& leaf, const Eigen::VectorXd& motion, std::string* leaf_why);
  bool motion();
};

bool EquilibriumCase::forces()
{
  if (!shape.may_prove_holds())
    return refuse(why, [] { return std::string("outer facets cannot prove that it holds"); });
  const Eigen::VectorXd& lambda = certificate.lambda;
  const Eigen::VectorXd& efforts = certificate.efforts;
  if (!given(lambda, p.rows(), "lambda", why)) return false;
  if (!given(efforts, static_cast<Eigen::Index>(p.actuators.size()), "efforts", why)) return false;
  compute_balance(p, certificate.a, lambda, s);
  for (std::size_t k = 0; k < p.actuators.size(); ++k) {
    const double effort = efforts[static_cast<Eigen::Index>(k)];
    s.residual[p.actuators[k].dof] -= effort;
    s.force_scale[p.actuators[k].dof] += std::abs(effort);
  }
  for (Eigen::Index j = 0; j < p.nv(); ++j)
    s.force_tolerance[j] =
        std::min(kSolve * s.all_loads[j], kRounding * std::max(s.force_scale[j], s.all_loads[j]));
  if (!balanced(p, certificate.a, lambda, &efforts, s, why)) return false;
  for (std::size_t k = 0; k < p.actuators.size(); ++k) {
    const Actuator& motor = p.actuators[k];
    const double effort = efforts[static_cast<Eigen::Index>(k)], tolerance = s.force_tolerance[motor.dof];
    if (!(effort >= motor.lower - tolerance && effort <= motor.upper + tolerance))
      return refuse(why, [&] { return "the effort of " + motor.name + " is beyond its limit"; });
  }
  for (const Contact& c : p.contacts) {
    const double* f = lambda.data() + c.row;
    double near[4] = {0.0, 0.0, 0.0, 0.0};
    make_admissible(c, shape, f, near);
    if (!forces_match(p, s.force_tolerance, c, c.rows(), f, near))
      return refuse(why, [&] { return "the force of contact " + c.name + " is not admissible"; });
  }
  return true;
}

/// y'(M a + F) + supply > 0 beyond rounding.
bool EquilibriumCase::drives(const Eigen::VectorXd& motion, const Sum& supply)
{
  // At rest the load is F itself, and plain sums of few terms settle what is clear.
  if (p.nv() <= kFewTerms && (certificate.a.array() == 0.0).all()) {
    double value = 0.0, scale = 0.0;
    for (Eigen::Index j = 0; j < p.nv(); ++j) {
      value += motion[j] * p.F[j];
      scale += std::abs(motion[j]) * std::max(std::abs(p.F[j]), s.all_loads[j]);
    }
    if (scale > kSmall && scale < kLarge && value + supply.value > 2.0 * kRounding * (scale + supply.scale)) return true;
  }
  if (s.exact_load.empty())
    for (Eigen::Index j = 0; j < p.nv(); ++j) s.exact_load.push_back(load_sum(p, certificate.a, j));
  Sum gain = supply;
  for (Eigen::Index j = 0; j < p.nv(); ++j) {
    gain.value += motion[j] * s.exact_load[j].value;
    gain.scale += std::abs(motion[j]) * std::max(s.exact_load[j].scale, static_cast<long double>(s.all_loads[j]));
  }
  return gain.value > kRounding * gain.scale;
}

/// y'(M a + F) > sup of y'(J'lambda + S'tau) over the forces of the leaf's signs and all efforts within limits.
bool EquilibriumCase::leaf_separates(const MotionLeaf& leaf, const Eigen::VectorXd& motion, std::string* leaf_why)
{
  Sum supply;   // of motors and limited contacts, against the motion
  for (const Actuator& motor : p.actuators) {
    const double y = motion[motor.dof];
    if (y == 0.0) continue;
    const double most = y > 0.0 ? motor.upper : motor.lower;
    if (std::isinf(most)) return refuse(leaf_why, [&] { return motor.name + " can oppose the motion without limit"; });
    supply.add(-static_cast<long double>(y), most);
  }
  if (!contacts_give_way(p, shape, leaf.signs, motion, nullptr, nullptr, s, supply, leaf_why)) return false;
  if (!drives(motion, supply))
    return refuse(leaf_why, [] { return std::string("nothing drives the motion"); });
  return true;
}

bool EquilibriumCase::motion()
{
  if (!shape.may_prove_fails())
    return refuse(why, [] { return std::string("inner facets cannot prove that it fails"); });
  s.exact_load.clear();
  for (const MotionLeaf& leaf : certificate.leaves) {
    if (!leaf_fits(p, leaf, why)) return false;
    if (leaf_separates(leaf, leaf.motion, why)) continue;
    if (!without_noise(p, leaf.motion, s) || !leaf_separates(leaf, s.clean_motion, nullptr)) return false;
  }
  return covers_every_sign(certificate.leaves, p.contacts.size()) ||
         refuse(why, [] { return std::string("the leaves do not cover every sign of the bilateral contacts"); });
}

}  // namespace

Verdict Judge::equilibrium(const ContactProblem& problem, const Eigen::VectorXd& a, const ConeShape& shape,
                           const Certificate& certificate, std::string* why)
{
  if (why) why->clear();
  if (!usable(problem, why)) return Verdict::kUndecided;
  for (const Actuator& motor : problem.actuators)
    if (motor.dof < 0 || motor.dof >= problem.nv() || !(motor.lower <= motor.upper)) {
      refuse(why, [] { return std::string("the problem is malformed"); });
      return Verdict::kUndecided;
    }
  if (!given(certificate.a, problem.nv(), "a", why)) return Verdict::kUndecided;
  if (!(a.size() == problem.nv() ? certificate.a == a : a.size() == 0 && certificate.a.isZero(0.0))) {
    refuse(why, [] { return std::string("the proof is about another acceleration"); });
    return Verdict::kUndecided;
  }
  EquilibriumCase c{problem, shape, certificate, *scratch_, why};
  compute_loads(problem, certificate.a, *scratch_);
  if (const Eigen::Index row = row_that_leaves(problem, *scratch_); row >= 0) {
    refuse(why, [&] { return row_name(problem, row) + " does not stick under the prescribed acceleration"; });
    return Verdict::kUndecided;
  }
  switch (certificate.kind) {
    case CertificateKind::kForces:
      return c.forces() ? Verdict::kHolds : Verdict::kUndecided;
    case CertificateKind::kMotion: {
      const bool proved = c.motion();
      if (proved && why) why->clear();
      return proved ? Verdict::kFails : Verdict::kUndecided;
    }
    case CertificateKind::kContradiction:
    case CertificateKind::kUnbalanced:
    case CertificateKind::kNone:
      break;
  }
  refuse(why, [] { return std::string("there is no certificate of this question"); });
  return Verdict::kUndecided;
}

Eigen::Index Judge::load_scales(const ContactProblem& problem, const Eigen::VectorXd& a, Eigen::VectorXd& load,
                                Eigen::VectorXd& scales)
{
  compute_loads(problem, a, *scratch_);
  load = scratch_->load;
  scales = scratch_->all_loads;
  return row_that_leaves(problem, *scratch_);
}

Verdict judge_equilibrium(const ContactProblem& problem, const Eigen::VectorXd& a, const ConeShape& shape,
                          const Certificate& certificate, std::string* why)
{
  return Judge().equilibrium(problem, a, shape, certificate, why);
}

}  // namespace stiction
