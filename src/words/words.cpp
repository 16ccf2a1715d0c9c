#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "stiction/words.hpp"
#include "words/phrases.hpp"

namespace stiction {
namespace {

using internal::comma_list;
using internal::direction_text;
using internal::join;
using internal::kMoves;
using internal::kNoticeable;
using internal::kOnTheRim;
using internal::moving_joints;
using internal::Names;
using internal::say;

/// Share of the largest power among motors from which one counts as overtaxed.
constexpr double kOvertaxed = 1e-2;

/// Bare matrices leave every point and frame at its default: then world directions mean nothing.
bool frames_known(const ContactProblem& problem)
{
  return std::any_of(problem.contacts.begin(), problem.contacts.end(),
                     [](const Contact& c) { return !c.point_W.isZero(0.0) || !c.axes_W.isIdentity(0.0); });
}

/// What the failing motion does at one contact.
enum class Reading { kStill, kLifts, kSlips, kTwists, kOverloads, kIdle };  // kIdle: carries nothing, needs no word

struct ContactMotion {
  Reading reading = Reading::kStill;
  bool frictionless = false;
  Eigen::Vector3d slip_W = Eigen::Vector3d::Zero();
};

/// Reads the failing motion v at each contact. Since no force of the cone opposes v, v_n >= mu |v_t| + torsion |v_m|
/// there: with equality a force on the rim of the cone does no work (the contact slips), above it no force at all
/// can be in use (the contact lifts); below it only the limit of the normal force lets v go on.
class MotionReader {
 public:
  MotionReader(const ContactProblem& problem, const Failure& failure, const std::vector<bool>& gone)
      : problem_(problem), failure_(failure), gone_(gone), rows_(problem.J * failure.motion)
  {
    for (std::size_t i = 0; i < gone.size(); ++i)
      if (!gone[i]) fastest_ = std::max(fastest_, speed(problem.contacts[i]));
  }

  std::vector<ContactMotion> read() const
  {
    std::vector<ContactMotion> motions;
    for (std::size_t i = 0; i < gone_.size(); ++i) motions.push_back(read(i));
    return motions;
  }

 private:
  double spin(const Contact& c) const
  {
    return c.torsional ? c.torsion * std::abs(rows_[c.row + 1 + c.tangents]) : 0.0;
  }
  double speed(const Contact& c) const { return rows_.segment(c.row, 1 + c.tangents).norm() + spin(c); }

  ContactMotion read(std::size_t i) const
  {
    const Contact& c = problem_.contacts[i];
    ContactMotion motion;
    motion.frictionless = c.mu == 0.0;
    if (gone_[i]) motion.reading = Reading::kIdle;
    const double fast = speed(c);
    const double noticeable = kNoticeable * problem_.J.middleRows(c.row, c.rows()).norm() * failure_.motion.norm();
    if (gone_[i] || fast <= std::max(kMoves * fastest_, noticeable)) return motion;
    for (int t = 0; t < c.tangents; ++t) motion.slip_W += rows_[c.row + 1 + t] * c.axes_W.col(1 + t);
    const double sideways = rows_.segment(c.row + 1, c.tangents).norm();
    const int sign = failure_.signs[i] != 0 ? failure_.signs[i] : 1;
    const double more = failure_.pressed && (failure_.defied & kMoreFriction) ? kToldFriction : 1.0;
    const double gap = sign * rows_[c.row] - more * (c.mu * sideways + spin(c));
    if (gap < -kOnTheRim * fast && std::isfinite(c.max_normal))
      motion.reading = Reading::kOverloads;
    else if (gap > kOnTheRim * fast)
      motion.reading = c.side == Side::kUnilateral ? Reading::kLifts : Reading::kIdle;
    else
      motion.reading = sideways > kMoves * fast ? Reading::kSlips : Reading::kTwists;
    return motion;
  }

  const ContactProblem& problem_;
  const Failure& failure_;
  const std::vector<bool>& gone_;
  const Eigen::VectorXd rows_;
  double fastest_ = 0.0;
};

/// True when some joint that moves, or a base, acts on contacts of both kinds: one body turns about the still ones.
/// Joints count as a whole, whatever the axes of their velocities.
bool share_a_moving_joint(const ContactProblem& problem, const Eigen::VectorXd& v,
                          const std::vector<ContactMotion>& motions, Reading one, Reading other)
{
  const double fastest = problem.rows() > 0 ? (problem.J * v).lpNorm<Eigen::Infinity>() : 0.0;
  for (Eigen::Index j = 0, size = 1; j < problem.nv(); j += size) {
    const auto first = static_cast<std::size_t>(j);
    size = first < problem.dofs.size() ? std::min<Eigen::Index>(problem.dofs[first].size, problem.nv() - j) : 1;
    bool acts_on_one = false, acts_on_other = false;
    for (std::size_t i = 0; i < motions.size(); ++i) {
      const Contact& c = problem.contacts[i];
      const bool acts = v.segment(j, size).norm() * problem.J.block(c.row, j, c.rows(), size).norm() > kMoves * fastest;
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

/// The told motion, contact by contact.
struct Told {
  std::size_t contacts = 0;                                  ///< of the scene
  Names lift, slip, twist, still, overloaded, frictionless;  ///< frictionless: of those that slip
  bool tips = false;                                         ///< one body turns about contacts that stay
  std::string direction;                                     ///< of those that slip
  std::string course;                                        ///< of the centre of mass

  bool few() const { return contacts <= 6; }
  /// "a and b slip"; in a scene of many contacts "2 of 8 contacts slip", so that what is the same reads the same.
  std::string say(const Names& names, const char* singular, const char* plural) const
  {
    if (few()) return internal::say(names, singular, plural);
    return std::to_string(names.size()) + " of " + std::to_string(contacts) + " contacts " + plural;
  }

  /// "a and b slip, c lifts"; empty when nothing moves
  std::string everything() const
  {
    Names parts;
    if (!slip.empty()) parts.push_back(say(slip, "slips", "slip") + direction);
    if (!twist.empty()) parts.push_back(say(twist, "turns about its normal", "turn about their normals"));
    if (!lift.empty()) parts.push_back(say(lift, "lifts", "lift"));
    return comma_list(parts);
  }
};

Told read_motion(const ContactProblem& problem, const Failure& failure, const std::vector<bool>& gone)
{
  Told told;
  told.contacts = problem.contacts.size();
  if (failure.motion.size() != problem.nv()) return told;
  const std::vector<ContactMotion> motions = MotionReader(problem, failure, gone).read();
  for (std::size_t i = 0; i < motions.size(); ++i) {
    const std::string& name = problem.contacts[i].name;
    switch (motions[i].reading) {
      case Reading::kLifts:
        told.lift.push_back(name);
        break;
      case Reading::kSlips:
        told.slip.push_back(name);
        if (motions[i].frictionless) told.frictionless.push_back(name);
        break;
      case Reading::kTwists:
        told.twist.push_back(name);
        break;
      case Reading::kStill:
        told.still.push_back(name);
        break;
      case Reading::kOverloads:
        told.overloaded.push_back(name);
        break;
      case Reading::kIdle:
        break;
    }
  }
  for (Names* names : {&told.lift, &told.slip, &told.twist, &told.still, &told.overloaded, &told.frictionless})
    std::ranges::sort(*names);  // whatever the order of the contacts
  told.tips = share_a_moving_joint(problem, failure.motion, motions, Reading::kLifts, Reading::kStill);
  told.direction = common_direction(problem, motions);
  told.course = internal::course_of_mass(problem, failure.motion);
  return told;
}

/// The motors whose limits let the motion go on.
Names overtaxed_motors(const ContactProblem& problem, const Eigen::VectorXd& motion)
{
  if (motion.size() != problem.nv()) return {};
  const auto power = [&](const Actuator& motor) {
    const double v = motion[motor.dof], most = v > 0.0 ? motor.lower : motor.upper;  // the effort that opposes it
    return std::isfinite(most) ? std::abs(v * most) : 0.0;
  };
  double largest = 0.0;
  for (const Actuator& motor : problem.actuators) largest = std::max(largest, power(motor));
  Names names;
  for (const Actuator& motor : problem.actuators)
    if (power(motor) > kOvertaxed * largest) names.push_back(motor.name);
  std::ranges::sort(names);
  return names;
}

/// "more friction and larger normal forces"
std::string remedies_text(Remedies remedies)
{
  Names names;
  if (remedies & kMoreMotors) names.push_back("joint efforts");
  if (remedies & kMoreEffort) names.push_back("larger effort limits");
  if (remedies & kLargerLimits) names.push_back("larger normal forces");
  if (remedies & kMoreFriction) names.push_back("more friction");
  return join(names);
}

/// What moves when neither friction nor forces beyond their limits would stop it.
std::string describe_unstoppable(const ContactProblem& problem, const Failure& failure, const Told& told)
{
  if (!failure.pressed)
    return "gives way: " + (told.slip.empty() ? "" : told.everything() + ", and ") +
           "no friction holds on, as nothing presses there";
  if (told.tips) {
    std::string text = "tips" + told.course + ": " + told.say(told.lift, "lifts", "lift") + " while " +
                       told.say(told.still, "carries", "carry");
    if (!told.slip.empty())
      text += " and " + told.say(told.slip, "slips", "slip") + told.direction + " without friction";
    return text;
  }
  if (!told.slip.empty())
    return "gives way: " + told.everything() +
           (told.frictionless.size() == told.slip.size()
                ? std::string(told.slip.size() == 1 ? ": it has" : ": they have") + " no friction"
                : "");
  if (!told.lift.empty())
    return "no admissible force holds " +
           told.say(told.lift, "in place: it loses contact", "in place: they lose contact");
  const Names moving = moving_joints(problem, failure.motion);
  if (problem.contacts.empty() && !moving.empty())
    return "there are no contacts, and nothing else holds " + join(moving);
  return moving.empty() ? "no contact opposes the motion that the applied forces drive"
                        : "nothing holds " + join(moving) + ": no contact opposes that motion";
}

std::string describe_cause(const ContactProblem& problem, const Failure& failure, const Told& told)
{
  const std::string everything = told.everything(), in_brackets = everything.empty() ? "" : " (" + everything + ")";
  switch (failure.cause) {
    case FailureCause::kMotors:
      return "no joint efforts are given, and with enough of them it would hold" + in_brackets;
    case FailureCause::kEffort: {
      const Names weak = overtaxed_motors(problem, failure.motion);
      if (weak.empty()) return "too weak: with larger efforts it would hold" + in_brackets;
      return "too weak: " + say(weak, "is at its limit", "are at their limits") + in_brackets;
    }
    case FailureCause::kLimits:
      if (told.overloaded.empty()) return "overloads: with larger normal forces it would hold" + in_brackets;
      return "overloads: " + told.say(told.overloaded, "would have to push beyond its largest normal force",
                                      "would have to push beyond their largest normal force");
    case FailureCause::kFriction: {
      if (told.slip.empty() && !told.twist.empty())
        return "twists: " + told.say(told.twist, "turns about its normal", "turn about their normals");
      if (told.slip.empty()) return "slides: with more friction it would hold" + in_brackets;
      std::string text = "slides" + told.direction + ": " + told.say(told.slip, "slips", "slip");
      if (!told.lift.empty()) text += " while " + told.say(told.lift, "lifts", "lift");
      return text;
    }
    case FailureCause::kSeveral:
      return "gives way: " + (everything.empty() ? "" : everything + "; ") + "only " + remedies_text(failure.helps) +
             " together would hold it";
    case FailureCause::kNothing:
      return describe_unstoppable(problem, failure, told);
    case FailureCause::kUnknown:
      break;
  }
  return everything.empty() ? "" : "gives way: " + everything;
}

/// " (if a pushes and b pulls; the other ways fail too)", where that matters.
std::string describe_signs(const ContactProblem& problem, const Failure& failure)
{
  Names pushing, pulling;
  for (std::size_t i = 0; i < failure.signs.size() && i < problem.contacts.size(); ++i) {
    if (failure.signs[i] > 0) pushing.push_back(problem.contacts[i].name);
    if (failure.signs[i] < 0) pulling.push_back(problem.contacts[i].name);
  }
  if (pushing.empty() && pulling.empty()) return "";
  std::ranges::sort(pushing);
  std::ranges::sort(pulling);
  std::string text = " (if ";
  if (!pushing.empty()) text += say(pushing, "pushes", "push");
  if (!pushing.empty() && !pulling.empty()) text += " and ";
  if (!pulling.empty()) text += say(pulling, "pulls", "pull");
  return text + "; otherwise it fails as well)";
}

/// The contacts that separate, or leave where they are free to: they take no part in the failure.
std::vector<bool> gone_contacts(const ContactProblem& problem, const StickingRules& rules,
                                const Certificate& certificate)
{
  std::vector<bool> gone(problem.contacts.size(), false);
  for (const int contact : certificate.leaving) gone[static_cast<std::size_t>(contact)] = true;
  if (rules.detachment != Detachment::kAllowed || certificate.a.size() != problem.nv()) return gone;
  Eigen::VectorXd scales;
  Judge().row_scales(problem, certificate.a, scales);
  const Eigen::VectorXd acceleration = problem.J * certificate.a + problem.gamma;
  for (std::size_t i = 0; i < gone.size(); ++i) {
    const Contact& c = problem.contacts[i];
    gone[i] = c.side == Side::kUnilateral && acceleration[c.row] > kClear * scales[c.row];
  }
  return gone;
}

std::string row_in_contact(const Contact& contact, int row)
{
  if (row == 0) return "normal";
  if (row > contact.tangents) return "torsion";
  return contact.tangents == 1 ? "tangent" : "tangent " + std::to_string(row);
}

std::string describe_refuted_modes(const ContactProblem& problem, const Certificate& certificate)
{
  const auto stuck = std::ranges::count_if(
      certificate.modes, [](const Certificate& mode) { return mode.kind != CertificateKind::kPenetration; });
  std::string text = "whichever contacts leave, those that stay cannot all stick";
  if (stuck < std::ssize(certificate.modes)) text += ", or what leaves is driven into its surface";
  text += " (" + std::to_string(certificate.modes.size()) +
          (certificate.modes.size() == 1 ? " combination" : " combinations") + " of " +
          std::to_string(std::ranges::count(problem.contacts, Side::kUnilateral, &Contact::side)) +
          " unilateral contacts refuted)";
  return text;
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

}  // namespace

namespace {

/// Contacts of a sparse problem that a failing motion opens or slips at, and the fastest of them.
std::string describe_sparse_motion(const ContactProblem& problem, const Certificate& certificate)
{
  if (certificate.leaves.empty() || certificate.leaves[0].motion.size() < problem.nv()) return "";
  const Eigen::VectorXd rows = problem.sparse_J * certificate.leaves[0].motion.head(problem.nv());
  double fastest = 0.0;
  const Contact* first = nullptr;
  for (const Contact& c : problem.contacts)
    if (const double speed = rows.segment(c.row, c.rows()).norm(); speed > fastest) {
      fastest = speed;
      first = &c;
    }
  int moving = 0;
  for (const Contact& c : problem.contacts) moving += rows.segment(c.row, c.rows()).norm() > kNoticeable * fastest;
  if (!first) return "a motion that no contact takes part in is not opposed";
  return "a motion that " + std::to_string(moving) + " of " + std::to_string(problem.contacts.size()) +
         " contacts take part in is not opposed; fastest at " + first->name;
}

}  // namespace

const Certificate* told_motion(const Certificate& certificate)
{
  if (certificate.kind == CertificateKind::kMotion) return &certificate;
  const Certificate* told = nullptr;
  for (const Certificate& mode : certificate.modes)
    if (mode.kind == CertificateKind::kMotion && (!told || mode.leaving.size() < told->leaving.size())) told = &mode;
  return told;
}

std::string describe_failure(const ContactProblem& problem, const StickingRules& rules, const Certificate& certificate,
                             const Failure& failure)
{
  if (problem.is_sparse())
    return certificate.kind == CertificateKind::kMotion ? describe_sparse_motion(problem, certificate) : "";
  const bool modes = certificate.kind == CertificateKind::kModes;
  if (const Certificate* motion = told_motion(certificate)) {
    const Told told = read_motion(problem, failure, gone_contacts(problem, rules, *motion));
    const std::string text = describe_cause(problem, failure, told);
    if (!text.empty() && modes && certificate.modes.size() > 1)
      return text + describe_signs(problem, failure) + ", whichever contacts leave";
    if (!text.empty() || !modes) return text.empty() ? "" : text + describe_signs(problem, failure);
  }
  switch (certificate.kind) {
    case CertificateKind::kContradiction:
      return describe_contradiction(problem, certificate.lambda);
    case CertificateKind::kUnbalanced:
      return describe_unbalanced(problem, certificate.a);
    case CertificateKind::kModes:
      return describe_refuted_modes(problem, certificate);
    case CertificateKind::kMotion:
    case CertificateKind::kForces:
    case CertificateKind::kPenetration:
    case CertificateKind::kNone:
      break;
  }
  return "";
}

FailureDigest digest_failure(const ContactProblem& problem, const StickingRules& rules, const Certificate& certificate,
                             const Failure& failure)
{
  if (certificate.kind == CertificateKind::kContradiction) return {"contradicts", {}};
  const Certificate* motion = told_motion(certificate);
  if (!motion) return {};
  if (problem.is_sparse()) return {"gives way", {}};
  const Told told = read_motion(problem, failure, gone_contacts(problem, rules, *motion));
  const Names moving = !told.slip.empty() ? told.slip : !told.twist.empty() ? told.twist : told.lift;
  switch (failure.cause) {
    case FailureCause::kMotors:
      return {"no efforts", moving};
    case FailureCause::kEffort:
      return {"too weak", overtaxed_motors(problem, failure.motion)};
    case FailureCause::kLimits:
      return {"overloads", told.overloaded};
    case FailureCause::kFriction:
      return {told.slip.empty() && !told.twist.empty() ? "twists" : "slides", moving};
    case FailureCause::kNothing:
      if (failure.pressed && told.tips) return {"tips", told.still};
      return {"gives way", moving.empty() ? moving_joints(problem, failure.motion) : moving};
    case FailureCause::kSeveral:
      return {"gives way", moving};
    case FailureCause::kUnknown:
      break;
  }
  return {moving.empty() ? "" : "gives way", moving};
}

std::string list_failing_contacts(const ContactProblem& problem, const StickingRules& rules,
                                  const Certificate& certificate, const Failure& failure)
{
  if (problem.is_sparse()) return "";
  const Certificate* motion = told_motion(certificate);
  if (!motion) return "";
  const Told told = read_motion(problem, failure, gone_contacts(problem, rules, *motion));
  if (told.few()) return "";
  Names parts;
  const std::pair<const char*, const Names*> groups[] = {{"slip: ", &told.slip},
                                                         {"turn about their normals: ", &told.twist},
                                                         {"lift: ", &told.lift},
                                                         {"overloaded: ", &told.overloaded},
                                                         {"stay: ", &told.still}};
  for (const auto& [word, names] : groups)
    if (!names->empty()) parts.push_back(word + comma_list(*names));
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : "; ") + part;
  return text;
}

}  // namespace stiction
