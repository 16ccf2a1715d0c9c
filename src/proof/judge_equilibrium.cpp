// (EQ): efforts are free within their limits, the motion is prescribed.
#include <cmath>
#include <string>

#include "proof/judge_parts.hpp"
#include "proof/leaf_judge.hpp"
#include "proof/sign_cover.hpp"
#include "stiction/proof.hpp"

namespace stiction {
namespace {

using namespace internal;

/// Sums of fewer than 500 terms in double, with room.
constexpr double kLoadRounding = 0x1p-44;

struct EquilibriumCase {
  const ContactProblem& p;
  const Eigen::VectorXd& a;
  const ConeShape& shape;
  const Certificate& certificate;
  JudgeScratch& s;
  std::string* why;

  bool usable_problem();
  bool prepared();
  void measure();
  void measure_loads(const Eigen::VectorXd* room = nullptr);
  bool forces();
  bool drive(const MotionLeaf& leaf, const Eigen::VectorXd& motion, const Eigen::VectorXd* room, Sum& gain,
             std::string* leaf_why);
  bool leaf_separates(const MotionLeaf& leaf, const Eigen::VectorXd& motion, std::string* leaf_why);
  void load_exactly();
  bool motion();
};

/// The gain is positive beyond the rounding of its own sum.
long double beyond_rounding(const Sum& gain) { return gain.value - kSumRounding * gain.scale; }

bool EquilibriumCase::usable_problem()
{
  if (!(p.is_sparse() ? internal::usable_sparse(p, why) : internal::usable(p, why))) return false;
  for (const Actuator& motor : p.actuators)
    if (motor.dof < 0 || motor.dof >= p.nv() || !(motor.lower <= motor.upper))
      return refuse(why, [] { return std::string("the problem is malformed"); });
  return true;
}

/// The acceleration is what (EQ) is about.
bool EquilibriumCase::prepared()
{
  if (!given(certificate.a, p.nv(), "a", why)) return false;
  if (!(a.size() == p.nv() ? certificate.a == a : a.size() == 0 && certificate.a.isZero(0.0)))
    return refuse(why, [] { return std::string("the proof is about another acceleration"); });
  if (const Eigen::Index row = row_that_leaves(p, certificate.a, s); row >= 0)
    return refuse(why, [&] { return row_name(p, row) + " does not stick under the prescribed acceleration"; });
  return true;
}

/// The loads M a + F with the sizes of their terms, and the scales of the data.
void EquilibriumCase::measure()
{
  s.scales.measure(p);
  measure_loads();
}

/// With `room`: the largest of all loads that differ by at most that, and of the rounding of these sums.
void EquilibriumCase::measure_loads(const Eigen::VectorXd* room)
{
  s.load = p.F;
  s.load_size = p.F.cwiseAbs();
  for (Eigen::Index j = 0; j < p.nv(); ++j) {
    const double own = certificate.a[j];
    if (own == 0.0) continue;
    if (p.is_sparse()) {  // M is symmetric
      s.load += own * p.sparse_M.row(j).transpose();
      s.load_size += std::abs(own) * p.sparse_M.row(j).transpose().cwiseAbs();
      continue;
    }
    s.load += own * p.M.col(j);
    s.load_size += std::abs(own) * p.M.col(j).cwiseAbs();
  }
  if (!room) return s.scales.measure_loads(s.load, p.actuators);
  s.load_size += *room;
  s.y = s.load.cwiseAbs() + *room + kLoadRounding * s.load_size;
  s.scales.measure_loads(s.y, p.actuators);
  s.scales.force *= 1.0 + kLoadRounding;
}

void EquilibriumCase::load_exactly()
{
  s.exact_load.clear();
  if (!(certificate.a.array() == 0.0).all())
    for (Eigen::Index j = 0; j < p.nv(); ++j) s.exact_load.push_back(load_sum(p, certificate.a, j));
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
  s.efforts = efforts;  // moved into their limits
  for (std::size_t k = 0; k < p.actuators.size(); ++k) {
    const Actuator& motor = p.actuators[k];
    double& effort = s.efforts[static_cast<Eigen::Index>(k)];
    const double within = std::clamp(effort, motor.lower, motor.upper);
    if (!(std::abs(effort - within) <= s.tolerance[motor.dof]))
      return refuse(why, [&] { return "the effort of " + motor.name + " is beyond its limit"; });
    effort = within;
    s.residual[motor.dof] -= within;
  }
  return balanced(p, certificate, &s.efforts, true, s, why);
}

/// y'(M a + F) > sup of y'(J'lambda + S'tau) over the forces of the leaf's signs and bounds and all efforts within
/// limits, by more than the backward error of the balance could pretend.
bool EquilibriumCase::drive(const MotionLeaf& leaf, const Eigen::VectorXd& motion, const Eigen::VectorXd* room,
                            Sum& gain, std::string* leaf_why)
{
  for (Eigen::Index j = 0; j < p.nv(); ++j) {
    if (motion[j] == 0.0) continue;
    const long double load = s.exact_load.empty() ? p.F[j] : s.exact_load[static_cast<std::size_t>(j)].value;
    gain.add(motion[j], load);
    gain.add(-s.scales.backward * std::abs(motion[j]), s.load_size[j]);
    if (room) gain.add(-std::abs(motion[j]), (*room)[j]);
  }
  for (const Actuator& motor : p.actuators) {
    const double y = motion[motor.dof];
    if (y == 0.0) continue;
    const double most = y > 0.0 ? motor.upper : motor.lower;
    if (std::isinf(most)) return refuse(leaf_why, [&] { return motor.name + " can oppose the motion without limit"; });
    gain.add(-static_cast<long double>(y), most);
  }
  if (!(gain.value > 0.0L)) return refuse(leaf_why, [] { return std::string("nothing drives the motion"); });
  return contacts_give_way(p, shape, leaf.signs, motion, s, gain, leaf_why);
}

bool EquilibriumCase::leaf_separates(const MotionLeaf& leaf, const Eigen::VectorXd& motion, std::string* leaf_why)
{
  Sum gain;
  if (!drive(leaf, motion, nullptr, gain, leaf_why)) return false;
  return beyond_rounding(gain) > 0.0L || refuse(leaf_why, [] {
           return std::string("what drives the motion does not exceed what rounding could supply");
         });
}

bool EquilibriumCase::motion()
{
  if (!shape.may_prove_fails())
    return refuse(why, [] { return std::string("inner facets cannot prove that it fails"); });
  load_exactly();
  for (const MotionLeaf& leaf : certificate.leaves) {
    if (!leaf_fits(p, leaf, why)) return false;
    if (leaf_separates(leaf, leaf.motion, why)) continue;
    if (!without_noise(p, leaf.motion, s) || !leaf_separates(leaf, s.clean_motion, nullptr)) return false;
  }
  return covers_every_sign(certificate.leaves, p.contacts.size()) ||
         refuse(why, [] { return std::string("the leaves do not cover every sign of the bilateral contacts"); });
}

}  // namespace

double Judge::needed_tolerance() const { return scratch_->needed; }

Verdict Judge::equilibrium_within(double tolerance, const ContactProblem& problem, const Eigen::VectorXd& a,
                                  const ConeShape& shape, const Certificate& certificate, std::string* why)
{
  if (!(tolerance >= 0.0 && tolerance <= kLargestTolerance)) {
    refuse(why, [] { return std::string("the tolerance is out of range"); });
    return Verdict::kUndecided;
  }
  struct Restore {
    double& backward;
    ~Restore() { backward = kRounding; }
  } restore{scratch_->scales.backward};
  restore.backward = std::max(kRounding, tolerance);
  return equilibrium(problem, a, shape, certificate, why);
}

Verdict Judge::equilibrium(const ContactProblem& problem, const Eigen::VectorXd& a, const ConeShape& shape,
                           const Certificate& certificate, std::string* why)
{
  if (why) why->clear();
  EquilibriumCase c{problem, a, shape, certificate, *scratch_, why};
  if (!c.usable_problem() || !c.prepared()) return Verdict::kUndecided;
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
    case CertificateKind::kModes:
    case CertificateKind::kPenetration:
    case CertificateKind::kNone:
      break;
  }
  refuse(why, [] { return std::string("there is no certificate of this question"); });
  return Verdict::kUndecided;
}

namespace internal {

LeafJudge::LeafJudge() : scratch_(std::make_unique<JudgeScratch>()) {}
LeafJudge::~LeafJudge() = default;

bool LeafJudge::measure(const ContactProblem& problem, const Eigen::VectorXd& a, std::string* why)
{
  if (!EquilibriumCase{problem, a, {}, {}, *scratch_, why}.usable_problem()) return false;
  scratch_->scales.measure(problem);
  return true;
}

double LeafJudge::failing_gain(const ContactProblem& problem, const Eigen::VectorXd& a, const ConeShape& shape,
                               const Certificate& certificate, const Eigen::VectorXd& room, std::string* why)
{
  if (why) why->clear();
  EquilibriumCase c{problem, a, shape, certificate, *scratch_, why};
  const auto none = [&](const char* text) {
    refuse(why, [&] { return std::string(text); });
    return -kInfinity;
  };
  if (!given(problem.F, scratch_->scales.lever.size(), "F", why) || !given(room, problem.nv(), "the room", why) ||
      !c.prepared())
    return -kInfinity;
  if (!shape.may_prove_fails()) return none("inner facets cannot prove that it fails");
  if (certificate.kind != CertificateKind::kMotion || certificate.leaves.size() != 1 || (room.array() < 0.0).any())
    return none("there is no leaf, or no room");
  const MotionLeaf& leaf = certificate.leaves[0];
  if (!leaf_fits(problem, leaf, why)) return -kInfinity;
  if (!covers_every_sign(certificate.leaves, problem.contacts.size()))
    return none("the leaf does not cover every sign");
  c.measure_loads(&room);
  c.load_exactly();
  Sum gain;
  if (!c.drive(leaf, leaf.motion, &room, gain, why)) return -kInfinity;
  const auto left = static_cast<double>(beyond_rounding(gain));
  return left > 0.0 ? left : none("what drives the motion does not exceed what rounding could supply");
}

}  // namespace internal

Verdict judge_equilibrium(const ContactProblem& problem, const Eigen::VectorXd& a, const ConeShape& shape,
                          const Certificate& certificate, std::string* why)
{
  return Judge().equilibrium(problem, a, shape, certificate, why);
}

}  // namespace stiction
