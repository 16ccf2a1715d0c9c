#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "proof/judge_parts.hpp"
#include "proof/sign_cover.hpp"
#include "stiction/proof.hpp"

namespace stiction {
namespace {

using namespace internal;

/// Everything about one certificate; the scratch vectors keep their memory between certificates.
struct Case {
  const ContactProblem& p;
  const StickingRules& rules;
  const Certificate& certificate;
  JudgeScratch& s;
  std::string* why;

  bool may_detach(const Contact& c) const
  {
    return c.side == Side::kUnilateral && rules.detachment == Detachment::kAllowed;
  }
  bool separates(const Contact& c, double tolerance) const
  {
    return may_detach(c) && s.rows[c.row] > tolerance * s.row_scale[c.row];
  }

  bool rows_keep();
  bool forces_admissible();
  bool complementary();
  bool leaf_separates(const MotionLeaf& leaf, const Eigen::VectorXd& motion, std::string* leaf_why);
  bool forces();
  bool motion();
  bool contradiction(const Eigen::VectorXd& lambda);
  bool unbalanced(const Eigen::VectorXd& a);
};

/// Equality rows vanish, normals that may separate do not penetrate.
bool Case::rows_keep()
{
  const auto keeps = [&](Eigen::Index row, bool may_grow) {
    const double value = s.rows[row], tolerance = kSolve * s.row_scale[row];
    if (tolerance < kInfinity && value >= -tolerance && (may_grow || value <= tolerance)) return true;
    return refuse(why, [&] { return row_name(p, row) + " does not keep its acceleration"; });
  };
  for (const Contact& c : p.contacts)
    for (int i = 0; i < c.rows(); ++i)
      if (!keeps(c.row + i, i == 0 && may_detach(c))) return false;
  for (const Closure& c : p.closures)
    for (int i = 0; i < c.rows; ++i)
      if (!keeps(c.row + i, false)) return false;
  return true;
}

/// Cones, sides, limits and (65)'s complementarity: a contact that separates carries nothing.
bool Case::forces_admissible()
{
  for (const Contact& c : p.contacts) {
    const double* f = certificate.lambda.data() + c.row;
    const bool leaves = separates(c, kSolve);
    double near[4] = {0.0, 0.0, 0.0, 0.0};
    if (!leaves) make_admissible(c, rules.shape, f, near);
    if (!forces_match(p, s.force_tolerance, c, c.rows(), f, near))
      return refuse(why, [&] {
        return leaves ? "contact " + c.name + " separates and still carries a force"
                      : "the force of contact " + c.name + " is not admissible";
      });
  }
  return true;
}

/// 0 <= lambda_n ⟂ J_n a + gamma_n of Gauss' principle; no cones at this stage.
bool Case::complementary()
{
  for (const Contact& c : p.contacts) {
    if (!may_detach(c)) continue;
    const double normal = certificate.lambda[c.row];
    const double near = separates(c, kSolve) ? 0.0 : std::max(normal, 0.0);
    if (!forces_match(p, s.force_tolerance, c, 1, &normal, &near))
      return refuse(why, [&] { return "contact " + c.name + " pulls, or pushes although it separates"; });
  }
  return true;
}

bool Case::leaf_separates(const MotionLeaf& leaf, const Eigen::VectorXd& motion, std::string* leaf_why)
{
  const auto y = motion.head(p.nv());
  Sum gain;   // y'(M a + F) minus what limited contacts can supply
  for (Eigen::Index j = 0; j < p.nv(); ++j) {
    gain.value += y[j] * s.exact_load[j].value;
    gain.scale += std::abs(y[j]) * s.exact_load[j].scale;
  }
  if (!contacts_give_way(p, rules.shape, leaf.signs, motion, &s.gone, &certificate.lambda, s, gain, leaf_why))
    return false;
  if (!(gain.value > kRounding * gain.scale))
    return refuse(leaf_why, [] { return std::string("nothing drives the motion"); });
  return true;
}

bool Case::forces()
{
  if (!rules.shape.may_prove_holds())
    return refuse(why, [] { return std::string("outer facets cannot prove that it holds"); });
  if (!given(certificate.a, p.nv(), "a", why) || !given(certificate.lambda, p.rows(), "lambda", why)) return false;
  compute_rows(p, certificate.a, s);
  compute_balance(p, certificate.a, certificate.lambda, s);
  return balanced(p, certificate.a, certificate.lambda, nullptr, s, why) && rows_keep() && forces_admissible();
}

/// (a, lambda) is a KKT pair of (QP-G), so J'lambda = M a + F for every solution of (65); the leaves show that no
/// lambda in the cones satisfies that, whatever the signs of the bilateral normal forces.
bool Case::motion()
{
  if (!rules.shape.may_prove_fails())
    return refuse(why, [] { return std::string("inner facets cannot prove that it fails"); });
  if (!given(certificate.a, p.nv(), "a", why) || !given(certificate.lambda, p.rows(), "lambda", why)) return false;
  compute_rows(p, certificate.a, s);
  compute_balance(p, certificate.a, certificate.lambda, s);
  if (!balanced(p, certificate.a, certificate.lambda, nullptr, s, why) || !rows_keep() || !complementary()) return false;
  s.gone.assign(p.contacts.size(), false);
  for (std::size_t i = 0; i < p.contacts.size(); ++i) s.gone[i] = separates(p.contacts[i], kClear);
  s.exact_load.clear();
  for (Eigen::Index j = 0; j < p.nv(); ++j) s.exact_load.push_back(load_sum(p, certificate.a, j));

  for (const MotionLeaf& leaf : certificate.leaves) {
    if (!leaf_fits(p, leaf, why)) return false;
    if (leaf_separates(leaf, leaf.motion, why)) continue;
    if (!without_noise(p, leaf.motion, s) || !leaf_separates(leaf, s.clean_motion, nullptr)) return false;
  }
  return internal::covers_every_sign(certificate.leaves, p.contacts.size()) ||
         refuse(why, [] { return std::string("the leaves do not cover every sign of the bilateral contacts"); });
}

/// Rows Je a + ge = 0, Jnu a + gnu >= 0 would give 0 <= lambda'(J a + gamma) = gamma'lambda < 0.
bool Case::contradiction(const Eigen::VectorXd& lambda)
{
  for (const Contact& c : p.contacts)
    if (may_detach(c) && !(lambda[c.row] >= 0.0))
      return refuse(why, [&] { return "the multiplier of contact " + c.name + " is negative"; });
  for (Eigen::Index j = 0; j < p.nv(); ++j) {
    const Sum sum = minus_forces(p, lambda, j);
    if (!(std::abs(sum.value) <= kRounding * sum.scale))
      return refuse(why, [] { return std::string("J'lambda is not zero"); });
  }
  Sum drift;
  for (Eigen::Index i = 0; i < p.rows(); ++i) drift.add(p.gamma[i], lambda[i]);
  return drift.value < -kRounding * drift.scale ||
         refuse(why, [] { return std::string("gamma'lambda is not negative"); });
}

/// Along a nothing has inertia, every row is kept and F pushes: Gauss' principle has no minimum, no force balances F.
bool Case::unbalanced(const Eigen::VectorXd& a)
{
  Sum power;
  for (Eigen::Index j = 0; j < p.nv(); ++j) power.add(p.F[j], a[j]);
  if (!(power.value < -kRounding * power.scale)) return refuse(why, [] { return std::string("F'a is not negative"); });
  for (Eigen::Index i = 0; i < p.nv(); ++i) {
    const Sum inertia = inertia_sum(p, a, i);
    if (!(std::abs(inertia.value) <= kRounding * inertia.scale))
      return refuse(why, [] { return std::string("M a is not zero"); });
  }
  const auto keeps = [&](Eigen::Index row, bool may_grow) {
    const Sum sum = row_sum(p, a, row);
    if (sum.value >= -kRounding * sum.scale && (may_grow || sum.value <= kRounding * sum.scale)) return true;
    return refuse(why, [&] { return "the motion violates " + row_name(p, row); });
  };
  for (const Contact& c : p.contacts)
    for (int i = 0; i < c.rows(); ++i)
      if (!keeps(c.row + i, i == 0 && may_detach(c))) return false;
  for (const Closure& c : p.closures)
    for (int i = 0; i < c.rows; ++i)
      if (!keeps(c.row + i, false)) return false;
  return true;
}

}  // namespace

Judge::Judge() : scratch_(std::make_unique<internal::JudgeScratch>()) {}
Judge::~Judge() = default;
Judge::Judge(Judge&&) noexcept = default;
Judge& Judge::operator=(Judge&&) noexcept = default;

Verdict Judge::operator()(const ContactProblem& problem, const StickingRules& rules, const Certificate& certificate,
                          std::string* why)
{
  if (why) why->clear();
  if (!usable(problem, why)) return Verdict::kUndecided;
  Case c{problem, rules, certificate, *scratch_, why};
  const auto fails_if = [&](bool proved) {
    if (proved && why) why->clear();
    return proved ? Verdict::kFails : Verdict::kUndecided;
  };
  switch (certificate.kind) {
    case CertificateKind::kForces:
      return c.forces() ? Verdict::kHolds : Verdict::kUndecided;
    case CertificateKind::kMotion:
      return fails_if(c.motion());
    case CertificateKind::kContradiction: {
      if (!given(certificate.lambda, problem.rows(), "lambda", why)) return Verdict::kUndecided;
      if (c.contradiction(certificate.lambda)) return Verdict::kFails;
      Eigen::VectorXd clean = certificate.lambda;
      return fails_if(internal::drop_noise(problem.J, clean) && c.contradiction(clean));
    }
    case CertificateKind::kUnbalanced: {
      if (!given(certificate.a, problem.nv(), "a", why)) return Verdict::kUndecided;
      if (c.unbalanced(certificate.a)) return Verdict::kFails;
      Eigen::VectorXd clean = certificate.a;
      return fails_if(internal::drop_noise(problem.J.transpose(), clean) && c.unbalanced(clean));
    }
    case CertificateKind::kNone:
      break;
  }
  refuse(why, [] { return std::string("there is no certificate"); });
  return Verdict::kUndecided;
}

void Judge::row_scales(const ContactProblem& problem, const Eigen::VectorXd& a, Eigen::VectorXd& scales)
{
  compute_rows(problem, a, *scratch_);
  scales = scratch_->row_scale;
}

Verdict judge(const ContactProblem& problem, const StickingRules& rules, const Certificate& certificate,
              std::string* why)
{
  return Judge()(problem, rules, certificate, why);
}

}  // namespace stiction
