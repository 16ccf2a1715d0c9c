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

  void measure();
  bool forces();
  bool leaf_separates(const MotionLeaf& leaf, const Eigen::VectorXd& motion, std::string* leaf_why);
  bool motion();
};

/// The loads M a + F with the sizes of their terms, and the scales of the data.
void EquilibriumCase::measure()
{
  s.load = p.F;
  s.load_size = p.F.cwiseAbs();
  for (Eigen::Index j = 0; j < p.nv(); ++j) {
    const double a = certificate.a[j];
    if (a == 0.0) continue;
    s.load += a * p.M.col(j);
    s.load_size += std::abs(a) * p.M.col(j).cwiseAbs();
  }
  s.scales.measure(p);
  s.scales.measure_loads(s.load, p.actuators);
}

bool EquilibriumCase::forces()
{
  if (!shape.may_prove_holds())
    return refuse(why, [] { return std::string("outer facets cannot prove that it holds"); });
  const Eigen::VectorXd& efforts = certificate.efforts;
  if (!given(certificate.lambda, p.rows(), "lambda", why)) return false;
  if (!given(efforts, static_cast<Eigen::Index>(p.actuators.size()), "efforts", why)) return false;
  if (!admit_forces(p, shape, certificate.lambda, nullptr, s, why)) return false;
  compute_balance(p, nullptr, s);
  s.y = efforts;   // moved into their limits
  for (std::size_t k = 0; k < p.actuators.size(); ++k) {
    const Actuator& motor = p.actuators[k];
    double& effort = s.y[static_cast<Eigen::Index>(k)];
    const double within = std::clamp(effort, motor.lower, motor.upper);
    if (!(std::abs(effort - within) <= s.tolerance[motor.dof]))
      return refuse(why, [&] { return "the effort of " + motor.name + " is beyond its limit"; });
    effort = within;
    s.residual[motor.dof] -= within;
  }
  return balanced(p, certificate, &s.y, true, s, why);
}

/// y'(M a + F) > sup of y'(J'lambda + S'tau) over the forces of the leaf's signs and bounds and all efforts within limits, by more
/// than the backward error of the balance could pretend.
bool EquilibriumCase::leaf_separates(const MotionLeaf& leaf, const Eigen::VectorXd& motion, std::string* leaf_why)
{
  Sum gain;
  for (Eigen::Index j = 0; j < p.nv(); ++j) {
    if (motion[j] == 0.0) continue;
    const long double load = s.exact_load.empty() ? p.F[j] : s.exact_load[static_cast<std::size_t>(j)].value;
    gain.add(motion[j], load);
    gain.add(-kRelative * std::abs(motion[j]), s.load_size[j]);
  }
  for (const Actuator& motor : p.actuators) {
    const double y = motion[motor.dof];
    if (y == 0.0) continue;
    const double most = y > 0.0 ? motor.upper : motor.lower;
    if (std::isinf(most)) return refuse(leaf_why, [&] { return motor.name + " can oppose the motion without limit"; });
    gain.add(-static_cast<long double>(y), most);
  }
  if (!(gain.value > 0.0L)) return refuse(leaf_why, [] { return std::string("nothing drives the motion"); });
  if (!contacts_give_way(p, shape, leaf.signs, motion, s, gain, leaf_why)) return false;
  return gain.value > 0x1p-50L * gain.scale ||
         refuse(leaf_why, [] { return std::string("what drives the motion does not exceed what rounding could supply"); });
}

bool EquilibriumCase::motion()
{
  if (!shape.may_prove_fails())
    return refuse(why, [] { return std::string("inner facets cannot prove that it fails"); });
  s.exact_load.clear();
  if (!(certificate.a.array() == 0.0).all())
    for (Eigen::Index j = 0; j < p.nv(); ++j) s.exact_load.push_back(load_sum(p, certificate.a, j));
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
  if (const Eigen::Index row = row_that_leaves(problem, certificate.a, *scratch_); row >= 0) {
    refuse(why, [&] { return row_name(problem, row) + " does not stick under the prescribed acceleration"; });
    return Verdict::kUndecided;
  }
  c.measure();
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

Verdict judge_equilibrium(const ContactProblem& problem, const Eigen::VectorXd& a, const ConeShape& shape,
                          const Certificate& certificate, std::string* why)
{
  return Judge().equilibrium(problem, a, shape, certificate, why);
}

}  // namespace stiction
