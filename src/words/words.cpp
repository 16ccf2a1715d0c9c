#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "stiction/words.hpp"
#include "words/phrases.hpp"

namespace stiction {
namespace {

using internal::direction_text;
using internal::join;
using internal::kNoticeable;
using internal::Names;
using internal::say;
using internal::sign_case;

/// A contact that separates by less than this share of its speed more than the rim asks for slips: proofs are found
/// before they are the sharpest.
constexpr double kOnTheRim = 1e-2;

/// Bare matrices leave every point and frame at its default: then world directions mean nothing.
bool frames_known(const ContactProblem& problem)
{
  return std::any_of(problem.contacts.begin(), problem.contacts.end(),
                     [](const Contact& c) { return !c.point_W.isZero(0.0) || !c.axes_W.isIdentity(0.0); });
}

/// What the failing motion does at one contact.
enum class Reading { kStill, kLifts, kSlips, kTwists, kIdle };  // kIdle: carries nothing, needs no word

struct ContactMotion {
  Reading reading = Reading::kStill;
  Eigen::Vector3d slip_W = Eigen::Vector3d::Zero();
};

/// Reads the failing motion v at each contact. Since no force of the cone opposes v, v_n >= mu |v_t| + torsion |v_m|
/// there: with equality a force on the rim of the cone does no work (the contact slips), above it no force at all
/// can be in use (the contact lifts).
std::vector<ContactMotion> read_motion(const ContactProblem& problem, const MotionLeaf& leaf, const Eigen::VectorXd& v,
                                       const std::vector<bool>& gone)
{
  const Eigen::VectorXd rows = problem.J * v;
  const auto spin = [&](const Contact& c) {
    return c.torsional ? c.torsion * std::abs(rows[c.row + 1 + c.tangents]) : 0.0;
  };
  const auto speed = [&](const Contact& c) { return rows.segment(c.row, 1 + c.tangents).norm() + spin(c); };
  double fastest = 0.0;
  for (std::size_t i = 0; i < gone.size(); ++i)
    if (!gone[i]) fastest = std::max(fastest, speed(problem.contacts[i]));

  std::vector<ContactMotion> motions(problem.contacts.size());
  for (std::size_t i = 0; i < motions.size(); ++i) {
    const Contact& c = problem.contacts[i];
    if (gone[i]) motions[i].reading = Reading::kIdle;
    if (gone[i] || speed(c) <= kNoticeable * fastest) continue;
    const double sideways = rows.segment(c.row + 1, c.tangents).norm();
    const int sign = i < leaf.signs.size() && leaf.signs[i] != 0 ? leaf.signs[i] : 1;
    const double gap = sign * rows[c.row] - c.mu * sideways - spin(c);
    if (gap > kOnTheRim * speed(c)) {
      motions[i].reading = c.side == Side::kUnilateral ? Reading::kLifts : Reading::kIdle;
      continue;
    }
    motions[i].reading = sideways > kNoticeable * speed(c) ? Reading::kSlips : Reading::kTwists;
    for (int t = 0; t < c.tangents; ++t) motions[i].slip_W += rows[c.row + 1 + t] * c.axes_W.col(1 + t);
  }
  return motions;
}

/// True when some degree of freedom that moves acts on contacts of both kinds: one body turns about the still ones.
bool share_a_moving_dof(const ContactProblem& problem, const Eigen::VectorXd& v,
                        const std::vector<ContactMotion>& motions, Reading one, Reading other)
{
  const double fastest = problem.rows() > 0 ? (problem.J * v).lpNorm<Eigen::Infinity>() : 0.0;
  for (Eigen::Index j = 0; j < problem.nv(); ++j) {
    bool acts_on_one = false, acts_on_other = false;
    for (std::size_t i = 0; i < motions.size(); ++i) {
      const Contact& c = problem.contacts[i];
      const double share = std::abs(v[j]) * problem.J.col(j).segment(c.row, c.rows()).lpNorm<Eigen::Infinity>();
      const bool acts = share > kNoticeable * fastest;
      acts_on_one = acts_on_one || (acts && motions[i].reading == one);
      acts_on_other = acts_on_other || (acts && motions[i].reading == other);
    }
    if (acts_on_one && acts_on_other) return true;
  }
  return false;
}

/// " along (+1, 0, 0)" when all slipping contacts agree on a direction that is known.
std::string common_direction(const ContactProblem& problem, const std::vector<ContactMotion>& motions)
{
  if (!frames_known(problem)) return "";
  Eigen::Vector3d sum = Eigen::Vector3d::Zero();
  for (const ContactMotion& m : motions)
    if (m.reading == Reading::kSlips) sum += m.slip_W.normalized();
  if (sum.norm() == 0.0) return "";
  sum.normalize();
  for (const ContactMotion& m : motions)
    if (m.reading == Reading::kSlips && m.slip_W.normalized().dot(sum) < 0.99) return "";
  return " along " + direction_text(sum);
}

std::string describe_leaf(const ContactProblem& problem, const MotionLeaf& leaf, const std::vector<bool>& gone)
{
  if (leaf.motion.size() < problem.nv()) return "";
  const Eigen::VectorXd v = -leaf.motion.head(problem.nv());
  const std::vector<ContactMotion> motions = read_motion(problem, leaf, v, gone);
  Names lift, slip, twist, still, overloaded;
  Eigen::Index next_price = problem.nv();
  for (std::size_t i = 0; i < motions.size(); ++i) {
    const Contact& c = problem.contacts[i];
    const bool limited = std::isfinite(c.max_normal) && next_price < leaf.motion.size();
    if (limited && leaf.motion[next_price++] > 0.0) {
      overloaded.push_back(c.name);
      continue;
    }
    switch (motions[i].reading) {
      case Reading::kLifts:
        lift.push_back(c.name);
        break;
      case Reading::kSlips:
        slip.push_back(c.name);
        break;
      case Reading::kTwists:
        twist.push_back(c.name);
        break;
      case Reading::kStill:
        still.push_back(c.name);
        break;
      case Reading::kIdle:
        break;
    }
  }
  if (!overloaded.empty())
    return "overloads: " + join(overloaded) + " would have to push beyond the largest normal force";
  const bool tips = !lift.empty() && share_a_moving_dof(problem, v, motions, Reading::kLifts, Reading::kStill);
  if (tips && slip.empty()) return "tips: " + say(lift, "lifts", "lift") + " while " + say(still, "carries", "carry");
  if (!slip.empty()) {
    std::string text = tips ? "tips and slides" : "slides";
    text += common_direction(problem, motions) + ": " + say(slip, "slips", "slip");
    if (!lift.empty()) text += " while " + say(lift, "lifts", "lift");
    return text;
  }
  if (!twist.empty()) return "twists: " + say(twist, "turns about its normal", "turn about their normals");
  if (!lift.empty())
    return "no admissible force holds " + say(lift, "in place: it loses contact", "in place: they lose contact");
  return "";
}

/// The contacts that separate: they take no part in the failure.
std::vector<bool> gone_contacts(const ContactProblem& problem, const StickingRules& rules,
                                const Certificate& certificate)
{
  std::vector<bool> gone(problem.contacts.size(), false);
  if (rules.detachment == Detachment::kForbidden || certificate.a.size() != problem.nv()) return gone;
  Eigen::VectorXd scales;
  Judge().row_scales(problem, certificate.a, scales);
  const Eigen::VectorXd acceleration = problem.J * certificate.a + problem.gamma;
  for (std::size_t i = 0; i < gone.size(); ++i) {
    const Contact& c = problem.contacts[i];
    gone[i] = c.side == Side::kUnilateral && acceleration[c.row] > kClear * scales[c.row];
  }
  return gone;
}

std::string describe_motion(const ContactProblem& problem, const StickingRules& rules, const Certificate& certificate)
{
  if (certificate.leaves.empty()) return "";
  // Leaves that only refute a sign move no contact; the telling one says what gives way.
  const std::vector<bool> gone = gone_contacts(problem, rules, certificate);
  std::string text;
  const MotionLeaf* told = nullptr;
  for (const MotionLeaf& leaf : certificate.leaves) {
    text = describe_leaf(problem, leaf, gone);
    told = &leaf;
    if (!text.empty()) break;
  }
  if (text.empty()) text = "no contact opposes the motion that the applied forces drive";
  if (certificate.leaves.size() == 1) return text;
  return text + sign_case(problem.contacts, *told, certificate.leaves.size());
}

std::string row_in_contact(const Contact& contact, int row)
{
  if (row == 0) return "normal";
  if (row > contact.tangents) return "torsion";
  return contact.tangents == 1 ? "tangent" : "tangent " + std::to_string(row);
}

/// The contacts and closures whose rows take part in J'lambda = 0, gamma'lambda < 0.
std::string describe_contradiction(const ContactProblem& problem, const Eigen::VectorXd& lambda)
{
  if (lambda.size() != problem.rows()) return "";
  Eigen::VectorXd part(problem.rows());
  for (Eigen::Index i = 0; i < part.size(); ++i)
    part[i] = std::abs(lambda[i]) * (problem.J.row(i).norm() + std::abs(problem.gamma[i]));
  const double least = part.size() > 0 ? kNoticeable * part.maxCoeff() : 0.0;
  Names rows;
  for (const Contact& c : problem.contacts) {
    Names inside;
    for (int i = 0; i < c.rows(); ++i)
      if (part[c.row + i] > least) inside.push_back(row_in_contact(c, i));
    if (!inside.empty()) rows.push_back(c.name + " (" + join(inside) + ")");
  }
  for (const LoopConstraint& c : problem.loops)
    if (c.rows > 0 && part.segment(c.row, c.rows).maxCoeff() > least) rows.push_back(c.name);
  if (rows.size() == 1) return rows[0] + " cannot be kept: no acceleration satisfies it";
  return "these constraints contradict each other: " + join(rows);
}

std::string describe_unbalanced(const ContactProblem& problem, const Eigen::VectorXd& a)
{
  if (a.size() != problem.nv()) return "";
  const Eigen::VectorXd power = a.cwiseProduct(problem.F).cwiseAbs();
  const double least = power.size() > 0 ? kNoticeable * power.maxCoeff() : 0.0;
  Names dofs;
  for (Eigen::Index j = 0; j < a.size(); ++j) {
    if (!(power[j] > least)) continue;
    const auto index = static_cast<std::size_t>(j);
    const bool named = index < problem.dof_names.size();
    dofs.push_back(named ? problem.dof_names[index] : "degree of freedom " + std::to_string(j));
  }
  return "nothing can balance the forces on " + join(dofs) + ": neither inertia nor a contact resists that motion";
}

/// The actuators whose limit a leaf leans on: the share of y'(M a + F) that they would have to exceed.
Names overtaxed_actuators(const ContactProblem& problem, const MotionLeaf& leaf)
{
  const auto share = [&](const Actuator& motor) {
    const double y = leaf.motion[motor.dof], most = y > 0.0 ? motor.upper : motor.lower;
    return y == 0.0 ? 0.0 : std::abs(y) * std::max(std::abs(most), std::abs(problem.F[motor.dof]));
  };
  double largest = 0.0;
  for (const Actuator& motor : problem.actuators) largest = std::max(largest, share(motor));
  Names names;
  for (const Actuator& motor : problem.actuators)
    if (share(motor) > kNoticeable * largest) names.push_back(motor.name);
  return names;
}

}  // namespace

std::string describe_imbalance(const ContactProblem& problem, const ConeShape& shape, const Certificate& certificate)
{
  if (certificate.kind != CertificateKind::kMotion || certificate.leaves.empty()) return "";
  const StickingRules rules{shape, Detachment::kForbidden};  // every contact takes part
  for (const MotionLeaf& leaf : certificate.leaves) {
    if (leaf.motion.size() < problem.nv()) return "";
    const Names weak = overtaxed_actuators(problem, leaf);
    if (weak.empty()) continue;
    const std::string giving_way = describe_leaf(problem, leaf, std::vector<bool>(problem.contacts.size(), false));
    return "too weak: " + join(weak) + (weak.size() == 1 ? " is at its limit" : " are at their limits") +
           (giving_way.empty() ? "" : " (" + giving_way + ")");
  }
  return describe_motion(problem, rules, certificate);
}

std::string describe_failure(const ContactProblem& problem, const StickingRules& rules, const Certificate& certificate)
{
  switch (certificate.kind) {
    case CertificateKind::kMotion:
      return describe_motion(problem, rules, certificate);
    case CertificateKind::kContradiction:
      return describe_contradiction(problem, certificate.lambda);
    case CertificateKind::kUnbalanced:
      return describe_unbalanced(problem, certificate.a);
    case CertificateKind::kForces:
    case CertificateKind::kNone:
      break;
  }
  return "";
}

}  // namespace stiction
