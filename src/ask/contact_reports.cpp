#include "ask/contact_reports.hpp"

#include <algorithm>
#include <cmath>

#include "ask/multiplier_set.hpp"
#include "base/numerics.hpp"
#include "cone/kernels.hpp"
#include "stiction/words.hpp"

namespace stiction::internal {
namespace {

// Share of the largest force of its part above which a contact counts as loaded, or inside its cone.
constexpr double kLoaded = 1e-9;

/// The contact that uses most of its friction; of several that use as much, the first.
std::size_t nearest_to_slipping(const std::vector<ContactReport>& contacts)
{
  constexpr double kClearlyMore = 1.0 + 1e-4;
  std::size_t most = 0;
  for (std::size_t i = 0; i < contacts.size(); ++i)
    if (contacts[i].utilisation > kClearlyMore * contacts[most].utilisation) most = i;
  return most;
}

}  // namespace

void find_detaching(const ContactProblem& problem, Detachment detachment, const Eigen::VectorXd& a,
                    const Eigen::VectorXd& row_scales, std::vector<char>& detaching)
{
  detaching.assign(problem.contacts.size(), 0);
  for (std::size_t i = 0; i < problem.contacts.size(); ++i) {
    const Contact& contact = problem.contacts[i];
    const double opening = problem.J.row(contact.row).dot(a) + problem.gamma[contact.row];
    detaching[i] = contact.side == Side::kUnilateral && detachment == Detachment::kAllowed &&
                   opening > kSolve * row_scales[contact.row];
  }
}

void PartForces::measure(const ContactProblem& problem, const Eigen::VectorXd& lambda)
{
  scales_.measure(problem);
  largest_.setZero(scales_.parts);
  for (Eigen::Index i = 0; i < lambda.size(); ++i) {
    double& largest = largest_[scales_.row_part[static_cast<std::size_t>(i)]];
    largest = std::max(largest, std::abs(lambda[i]));
  }
}

void report_contacts(const ContactProblem& problem, const ConeShape& shape, const std::vector<char>& detaching,
                     const Eigen::VectorXd& lambda, Verdict verdict, PartForces& forces,
                     std::vector<ContactReport>& reports)
{
  forces.measure(problem, lambda);
  for (std::size_t i = 0; i < problem.contacts.size(); ++i) {
    const Contact& contact = problem.contacts[i];
    ContactReport& report = reports[i];
    const double* f = lambda.data() + contact.row;
    report.force.setZero();
    for (int k = 0; k <= contact.tangents; ++k) report.force[k] = f[k];
    if (contact.torsional) report.force[3] = f[1 + contact.tangents];
    report.utilisation = utilisation(friction_cone(contact, shape), f);
    if (detaching[i])
      report.state = ContactState::kDetaching;
    else if (report.force.head<3>().norm() <= kLoaded * forces.around(contact.row))
      report.state = ContactState::kUnloaded;
    else if (verdict == Verdict::kHolds)
      report.state =
          contact.mu > 0.0 && report.utilisation >= 1.0 - kLoaded ? ContactState::kRim : ContactState::kSticking;
    else
      report.state = report.utilisation > 1.0 ? ContactState::kSliding : ContactState::kSticking;
  }
}

std::string doubt_of_the_rim(const ContactProblem& problem, const ConeShape& shape, const Eigen::VectorXd& lambda)
{
  const double largest = lambda.lpNorm<Eigen::Infinity>(), nothing = kNoSlack * largest;
  for (const Contact& contact : problem.contacts) {
    const double* f = lambda.data() + contact.row;
    FrictionCone cone = friction_cone(contact, shape);
    if (contact.side == Side::kBilateral && f[0] < 0.0) cone.sign = -1.0;
    const double sideways = Eigen::Map<const Eigen::VectorXd>(f + 1, contact.rows() - 1).lpNorm<Eigen::Infinity>();
    if (sideways > kNoise * largest && slack(cone, f) <= nothing)
      return "contact " + contact.name + " is at the rim of its friction cone to within rounding";
    if (std::abs(f[0]) > 0.0 && contact.max_normal - std::abs(f[0]) <= nothing)
      return "contact " + contact.name + " is at its largest normal force to within rounding";
  }
  return "";
}

ContactProblem with_friction(const ContactProblem& problem, double factor)
{
  ContactProblem result = problem;
  for (Contact& contact : result.contacts) {
    contact.mu *= factor;
    contact.torsion *= factor;
  }
  return result;
}

double friction_needed(const ContactProblem& problem, const ConeShape& shape, const Eigen::VectorXd& lambda)
{
  double most = 1.0;
  for (const Contact& contact : problem.contacts)
    most = std::max(most, utilisation(friction_cone(contact, shape), lambda.data() + contact.row));
  return most;
}

bool balances_with_more_friction(const ContactProblem& problem, const Eigen::VectorXd& a, const ConeShape& shape,
                                 const Eigen::VectorXd& lambda, const Eigen::VectorXd& efforts)
{
  if (lambda.size() != problem.rows() || !lambda.allFinite()) return false;
  const double factor = friction_needed(problem, shape, lambda);
  const Certificate forces{CertificateKind::kForces, a, lambda, {}, efforts};
  return std::isfinite(factor) &&
         judge_equilibrium(with_friction(problem, factor), a, shape, forces) == Verdict::kHolds;
}

bool balances_with_larger_efforts(const ContactProblem& problem, const Eigen::VectorXd& a, const ConeShape& shape,
                                  const Eigen::VectorXd& lambda, const Eigen::VectorXd& efforts)
{
  if (efforts.size() != static_cast<Eigen::Index>(problem.actuators.size()) || !efforts.allFinite()) return false;
  ContactProblem stronger = problem;
  for (std::size_t i = 0; i < stronger.actuators.size(); ++i) {
    Actuator& motor = stronger.actuators[i];
    motor.lower = std::min(motor.lower, efforts[static_cast<Eigen::Index>(i)]);
    motor.upper = std::max(motor.upper, efforts[static_cast<Eigen::Index>(i)]);
  }
  return judge_equilibrium(stronger, a, shape, {CertificateKind::kForces, a, lambda, {}, efforts}) == Verdict::kHolds;
}

std::string describe_sticking(const ContactProblem& problem, const std::vector<ContactReport>& contacts,
                              const Eigen::VectorXd& a)
{
  const std::string motion = describe_acceleration(problem, a);
  const bool falls = motion.starts_with("it falls");
  if (problem.contacts.empty())
    return "holds: there are no contacts, so nothing can slip" + (motion.empty() ? "" : "; " + motion);
  const std::size_t most = nearest_to_slipping(contacts);
  const auto leaving = std::ranges::count(contacts, ContactState::kDetaching, &ContactReport::state);
  std::string text = leaving == 0 ? "holds: every contact sticks" : "holds: every contact that stays sticks";
  if (leaving > 0) {
    text += ", but";
    for (std::size_t i = 0, k = 0; i < contacts.size(); ++i)
      if (contacts[i].state == ContactState::kDetaching) text += (k++ ? ", " : " ") + problem.contacts[i].name;
    text += leaving == 1 ? " detaches" : " detach";
  }
  if (falls) text += leaving == 0 ? " while " + motion : "; " + motion;
  const double share = contacts[most].utilisation;
  if (share > 0.0 && std::isfinite(share))
    text += "; nearest to slipping: " + problem.contacts[most].name + " (" +
            std::to_string(static_cast<int>(std::lround(100.0 * share))) + " % of its friction)";
  return text;
}

std::string leaving_words(const ContactProblem& problem, const std::vector<int>& leaving)
{
  std::string names;
  for (std::size_t k = 0; k < leaving.size(); ++k)
    names += (k == 0                   ? ""
              : k + 1 < leaving.size() ? ", "
                                       : " and ") +
             problem.contacts[static_cast<std::size_t>(leaving[k])].name;
  return leaving.empty() ? "nothing leaves" : names + (leaving.size() == 1 ? " leaves" : " leave");
}

std::string describe_balance(const ContactProblem& problem, const std::vector<ContactReport>& contacts,
                             const Eigen::VectorXd& efforts)
{
  if (problem.contacts.empty()) return "holds: there are no contacts; the efforts alone balance the load";
  const std::size_t most = nearest_to_slipping(contacts);
  std::string text = "holds: contacts and efforts balance the load";
  auto percent = [](double share) { return std::to_string(static_cast<int>(std::lround(100.0 * share))) + " %"; };
  const double share = contacts[most].utilisation;
  if (share > 0.0 && std::isfinite(share))
    text += "; nearest to slipping: " + problem.contacts[most].name + " (" + percent(share) + " of its friction)";
  double highest = 0.0;
  const Actuator* motor = nullptr;
  for (std::size_t k = 0; k < problem.actuators.size(); ++k) {
    const double effort = efforts[static_cast<Eigen::Index>(k)];
    const double limit = effort > 0.0 ? problem.actuators[k].upper : -problem.actuators[k].lower;
    if (!std::isfinite(limit) || !(limit > 0.0) || std::abs(effort) / limit <= highest) continue;
    highest = std::abs(effort) / limit;
    motor = &problem.actuators[k];
  }
  if (motor) text += "; highest effort: " + motor->name + " (" + percent(highest) + " of its limit)";
  return text;
}

}  // namespace stiction::internal
