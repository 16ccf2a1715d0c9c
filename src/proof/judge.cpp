#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "proof/sign_cover.hpp"
#include "proof/sums.hpp"
#include "stiction/proof.hpp"

namespace stiction {

using internal::refuse;
using internal::Sum;

struct internal::JudgeScratch {
  // Per degree of freedom.
  Eigen::VectorXd load;             // M a + F in double
  Eigen::VectorXd residual;         // M a + F - J'lambda in double
  Eigen::VectorXd force_scale;      // |M||a| + |F| + |J|'|lambda|
  Eigen::VectorXd force_tolerance;  // largest force that counts as zero
  Eigen::VectorXd swing;            // acceleration scale A_j of Judge::row_scales
  std::vector<Sum> exact_load;      // M a + F
  // Per row of J.
  Eigen::VectorXd rows;         // J a + gamma
  Eigen::VectorXd row_scale;    // scale of J a + gamma
  std::vector<Sum> velocities;  // J y
  // Per contact.
  std::vector<bool> gone;   // separates so clearly that it carries no force in any solution
};

namespace {

using internal::JudgeScratch;
using internal::all_finite;

FrictionCone cone_of(const Contact& contact, const StickingRules& rules, double sign)
{
  return {contact.tangents, contact.torsional, contact.mu, contact.torsion, sign, rules.shape};
}

std::string row_name(const ContactProblem& problem, Eigen::Index row)
{
  for (const Contact& c : problem.contacts)
    if (row >= c.row && row < c.row + c.rows()) return "contact " + c.name + ", row " + std::to_string(row - c.row);
  for (const Closure& c : problem.closures)
    if (row >= c.row && row < c.row + c.rows) return "closure " + c.name + ", row " + std::to_string(row - c.row);
  return "row " + std::to_string(row);
}

bool usable(const ContactProblem& p, std::string* why)
{
  const Eigen::Index n = p.nv(), m = p.rows();
  bool ok = p.M.rows() == n && p.M.cols() == n && p.J.rows() == m && p.J.cols() == n;
  for (const Contact& c : p.contacts)
    ok = ok && c.row >= 0 && c.tangents >= 0 && c.tangents <= 2 && c.row + c.rows() <= m;
  for (const Closure& c : p.closures) ok = ok && c.row >= 0 && c.rows >= 0 && c.row + c.rows <= m;
  ok = ok && all_finite(p.M) && all_finite(p.F) && all_finite(p.J) && all_finite(p.gamma);
  return ok || refuse(why, [] { return std::string("the problem is malformed"); });
}

bool given(const Eigen::VectorXd& v, Eigen::Index size, const char* name, std::string* why)
{
  if (v.size() == size && all_finite(v)) return true;
  return refuse(why, [&] { return std::string(name) + " has the wrong size or is not finite"; });
}

/// (M v)_j
Sum inertia_sum(const ContactProblem& p, const Eigen::VectorXd& v, Eigen::Index j)
{
  Sum sum;
  for (Eigen::Index k = 0; k < p.nv(); ++k) sum.add(p.M(j, k), v[k]);
  return sum;
}

/// sum - (J'lambda)_j
Sum minus_forces(const ContactProblem& p, const Eigen::VectorXd& lambda, Eigen::Index j, Sum sum = {})
{
  const double* column = p.J.data() + j * p.rows();
  for (Eigen::Index i = 0; i < p.rows(); ++i) sum.add(-column[i], lambda[i]);
  return sum;
}

/// (M a + F)_j
Sum load_sum(const ContactProblem& p, const Eigen::VectorXd& a, Eigen::Index j)
{
  Sum sum = inertia_sum(p, a, j);
  sum.add(p.F[j]);
  return sum;
}

/// velocities = J v
void sum_rows(const ContactProblem& p, const Eigen::VectorXd& v, std::vector<Sum>& velocities)
{
  velocities.assign(static_cast<std::size_t>(p.rows()), Sum{});
  for (Eigen::Index i = 0; i < p.rows(); ++i) {
    Sum sum;
    for (Eigen::Index j = 0; j < p.nv(); ++j) sum.add(p.J(i, j), v[j]);
    velocities[i] = sum;
  }
}

/// The accelerations that the load would cause: A_j of Judge::row_scales, and with them rows and their scales.
///
/// All loads together, L^2 = sum of load_j^2 / M_jj, measure each degree of freedom: a solve mixes their rounding.
/// Neither internal forces in lambda nor motions in the null space of M enter, so neither can buy a wide tolerance.
void compute_rows(const ContactProblem& p, const Eigen::VectorXd& a, JudgeScratch& s)
{
  s.load = p.F;
  s.rows = p.gamma;
  for (Eigen::Index j = 0; j < p.nv(); ++j) {
    s.load += a[j] * p.M.col(j);
    s.rows += a[j] * p.J.col(j);
  }
  const double largest = p.nv() > 0 ? p.M.diagonal().maxCoeff() : 0.0;
  const auto inertia = [&](Eigen::Index j) { return p.M(j, j) > 0.0 ? p.M(j, j) : largest > 0.0 ? largest : 1.0; };
  double squares = 0.0;
  for (Eigen::Index j = 0; j < p.nv(); ++j) {
    const double load = std::max(std::abs(s.load[j]), std::abs(p.F[j]));
    squares += load * load / inertia(j);
  }
  s.swing.resize(p.nv());
  for (Eigen::Index j = 0; j < p.nv(); ++j) s.swing[j] = std::sqrt(squares / inertia(j));
  s.row_scale = p.gamma.cwiseAbs();
  for (Eigen::Index j = 0; j < p.nv(); ++j) s.row_scale += s.swing[j] * p.J.col(j).cwiseAbs();
  s.force_tolerance.resize(p.nv());
  for (Eigen::Index j = 0; j < p.nv(); ++j) s.force_tolerance[j] = kSolve * inertia(j) * s.swing[j];
}

/// Residual and tolerance of the force balance: rounding of the products that enter it, and never more than kSolve of
/// the load.
void compute_balance(const ContactProblem& p, const Eigen::VectorXd& a, const Eigen::VectorXd& lambda, JudgeScratch& s)
{
  s.force_scale = p.F.cwiseAbs();
  for (Eigen::Index j = 0; j < p.nv(); ++j) s.force_scale += std::abs(a[j]) * p.M.col(j).cwiseAbs();
  s.residual = s.load;
  for (Eigen::Index j = 0; j < p.nv(); ++j) {
    s.residual[j] -= p.J.col(j).dot(lambda);
    s.force_scale[j] += p.J.col(j).cwiseAbs().dot(lambda.cwiseAbs());
    s.force_tolerance[j] = std::min(s.force_tolerance[j], kRounding * s.force_scale[j]);
  }
}

/// True when removing a force of this size from a row changes no balance it enters by more than its tolerance.
bool negligible(const ContactProblem& p, const Eigen::VectorXd& tolerance, Eigen::Index row, double force)
{
  if (force == 0.0) return true;
  for (Eigen::Index j = 0; j < p.nv(); ++j)
    if (!(std::abs(p.J(row, j) * force) <= tolerance[j])) return false;
  return true;
}

/// |f_t| in the norm whose unit ball is the disk or polygon of friction 1.
double tangential_gauge(FrictionCone cone, const double* f)
{
  if (cone.tangents == 0) return 0.0;
  cone.mu = 1.0;
  cone.torsional = false;
  const double sideways[3] = {0.0, f[1], cone.tangents == 2 ? f[2] : 0.0};
  return -slack(cone, sideways);
}

/// An admissible force near f: normal clamped to its side and limit, then tangents and torsion shrunk to their bounds.
void make_admissible(const Contact& contact, const StickingRules& rules, const double* f, double* near)
{
  const FrictionCone cone = cone_of(contact, rules, f[0] < 0.0 && contact.side == Side::kBilateral ? -1.0 : 1.0);
  const double normal = std::min(std::max(cone.sign * f[0], 0.0), contact.max_normal);
  near[0] = cone.sign * normal;
  const double gauge = tangential_gauge(cone, f), budget = contact.mu * normal;
  for (int i = 1; i <= contact.tangents; ++i) near[i] = gauge <= budget ? f[i] : f[i] * (budget / gauge);
  const int last = 1 + contact.tangents;
  if (contact.torsional) near[last] = std::clamp(f[last], -contact.torsion * normal, contact.torsion * normal);
}

/// True when f is within rounding of the forces `near` on the first `rows` rows of the contact.
bool forces_match(const ContactProblem& p, const Eigen::VectorXd& tolerance, const Contact& contact, int rows,
                  const double* f, const double* near)
{
  for (int i = 0; i < rows; ++i)
    if (!negligible(p, tolerance, contact.row + i, f[i] - near[i])) return false;
  return true;
}

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

  bool balanced();
  bool rows_keep();
  bool forces_admissible();
  bool complementary();
  bool leaf_separates(const MotionLeaf& leaf, const Eigen::VectorXd& motion, std::string* leaf_why);
  bool forces();
  bool motion();
  bool contradiction(const Eigen::VectorXd& lambda);
  bool unbalanced(const Eigen::VectorXd& a);
};

bool Case::balanced()
{
  // In double so many terms leave an error below 2^-46 of the scale; what that does not settle is summed again.
  const bool short_sums = p.nv() + p.rows() < 120;
  for (Eigen::Index j = 0; j < p.nv(); ++j) {
    const double tolerance = s.force_tolerance[j], scale = s.force_scale[j];
    if (!(scale < kInfinity)) return refuse(why, [] { return std::string("the forces overflow"); });
    if (short_sums && scale > 1e-200 && std::abs(s.residual[j]) + 0x1p-46 * scale <= tolerance) continue;
    const Sum exact = minus_forces(p, certificate.lambda, j, load_sum(p, certificate.a, j));
    if (!(std::abs(exact.value) <= tolerance))
      return refuse(why, [&] {
        const auto index = static_cast<std::size_t>(j);
        const std::string name = index < p.dof_names.size() ? p.dof_names[index] : std::to_string(j);
        return "M a + F = J'lambda is violated at degree of freedom " + name;
      });
  }
  return true;
}

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
    if (!leaves) make_admissible(c, rules, f, near);
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
  sum_rows(p, motion, s.velocities);
  // Rows of J y are forgiven their rounding; forces of the size of lambda turn that into as much of y'J'lambda, which therefore
  // counts as rounding of the gain.
  for (const Closure& c : p.closures)
    for (int i = c.row; i < c.row + c.rows; ++i) {
      if (!(std::abs(s.velocities[i].value) <= kRounding * s.velocities[i].scale))
        return refuse(leaf_why, [&] { return "the motion violates " + row_name(p, i); });
      gain.scale += std::abs(certificate.lambda[i]) * s.velocities[i].scale;
    }

  Eigen::Index next_price = p.nv();
  for (std::size_t i = 0; i < p.contacts.size(); ++i) {
    const Contact& c = p.contacts[i];
    const double price = std::isfinite(c.max_normal) ? motion[next_price++] : 0.0;
    if (!(price >= 0.0)) return refuse(leaf_why, [&] { return "the price of contact " + c.name + " is negative"; });
    if (s.gone[i]) continue;
    if (price > 0.0) gain.add(-static_cast<long double>(price), c.max_normal);
    for (const int sign : {1, -1}) {
      if (sign == -leaf.signs[i] || (sign < 0 && c.side == Side::kUnilateral)) continue;
      const Sum best = internal::support_sum(cone_of(c, rules, sign), s.velocities.data() + c.row);
      if (!(best.value - price <= kRounding * (best.scale + price)))
        return refuse(leaf_why, [&] { return "contact " + c.name + " can oppose the motion"; });
      gain.scale += std::abs(certificate.lambda[c.row]) * best.scale;
    }
  }
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
  return balanced() && rows_keep() && forces_admissible();
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
  if (!balanced() || !rows_keep() || !complementary()) return false;
  s.gone.assign(p.contacts.size(), false);
  for (std::size_t i = 0; i < p.contacts.size(); ++i) s.gone[i] = separates(p.contacts[i], kClear);
  s.exact_load.clear();
  for (Eigen::Index j = 0; j < p.nv(); ++j) s.exact_load.push_back(load_sum(p, certificate.a, j));

  const auto limited = std::count_if(p.contacts.begin(), p.contacts.end(),
                                     [](const Contact& c) { return std::isfinite(c.max_normal); });
  for (const MotionLeaf& leaf : certificate.leaves) {
    if (!given(leaf.motion, p.nv() + limited, "a leaf's motion", why)) return false;
    bool signs_fit = leaf.signs.size() == p.contacts.size();
    for (std::size_t i = 0; signs_fit && i < leaf.signs.size(); ++i) {
      const bool bilateral = p.contacts[i].side == Side::kBilateral;
      signs_fit = leaf.signs[i] == 0 || (bilateral && std::abs(leaf.signs[i]) == 1);
    }
    if (!signs_fit) return refuse(why, [] { return std::string("a leaf's signs do not fit the contacts"); });
    if (leaf_separates(leaf, leaf.motion, why)) continue;
    Eigen::VectorXd clean = leaf.motion;
    Eigen::VectorXd y = clean.head(p.nv());
    if (!internal::drop_noise(p.J.transpose(), y)) return false;
    clean.head(p.nv()) = y;
    if (!leaf_separates(leaf, clean, nullptr)) return false;
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
  sum_rows(p, a, s.velocities);
  const auto keeps = [&](Eigen::Index row, bool may_grow) {
    const Sum& sum = s.velocities[row];
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
