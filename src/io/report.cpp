#include "io/report.hpp"

namespace stiction::internal {

const char* name_of(ContactState state)
{
  switch (state) {
    case ContactState::kSticking:
      return "sticking";
    case ContactState::kRim:
      return "rim";
    case ContactState::kDetaching:
      return "detaching";
    case ContactState::kSliding:
      return "sliding";
    case ContactState::kUnloaded:
      return "unloaded";
  }
  return "";
}

const char* name_of(CertificateKind kind)
{
  switch (kind) {
    case CertificateKind::kForces:
      return "forces";
    case CertificateKind::kMotion:
      return "motion";
    case CertificateKind::kContradiction:
      return "contradiction";
    case CertificateKind::kUnbalanced:
      return "unbalanced";
    case CertificateKind::kModes:
      return "modes";
    case CertificateKind::kPenetration:
      return "penetration";
    case CertificateKind::kNone:
      break;
  }
  return "none";
}

const char* name_of(Detachment detachment)
{
  switch (detachment) {
    case Detachment::kAllowed:
      return "allowed";
    case Detachment::kForbidden:
      return "forbidden";
    case Detachment::kFree:
      return "free";
  }
  return "";
}

Eigen::Vector3d contact_force_in_world(const Contact& contact, const double* rows)
{
  Eigen::Vector3d force;
  for (int i = 0; i < 3; ++i) {
    // volatile: a fused multiply-add would round differently on other processors
    volatile double sum = contact.axes_W(i, 0) * rows[0];
    for (int t = 1; t <= contact.tangents; ++t) {
      const volatile double product = contact.axes_W(i, t) * rows[t];
      sum = sum + product;
    }
    force[i] = sum;
  }
  return force;
}

void refuse(ScenarioReport& report, const std::string& why)
{
  report.verdict = Verdict::kUndecided;
  report.summary = "undecided: the proof does not stand as it is written: " + why;
}

std::vector<ReportedContact> reported_contacts(const ContactProblem& problem, const std::vector<ContactReport>& found,
                                               const Eigen::VectorXd& lambda)
{
  std::vector<ReportedContact> contacts;
  for (std::size_t i = 0; i < problem.contacts.size(); ++i) {
    const Contact& contact = problem.contacts[i];
    contacts.push_back({contact.name, found[i], contact_force_in_world(contact, lambda.data() + contact.row)});
  }
  return contacts;
}

ReportedMargin reported_margin(const char* name, const Margin& margin, SafeEnd safe)
{
  ReportedMargin reported{name, margin};
  reported.interval = margin.state != Margin::State::kNone;
  if (margin.state == Margin::State::kKnown) reported.value = safe == SafeEnd::kLower ? margin.lower : margin.upper;
  if (margin.state == Margin::State::kUnbounded) reported.value = kInfinity;
  return reported;
}

ReportedMargin reported_margin(const char* name, const std::optional<double>& value)
{
  if (!value) return {name, {Margin::State::kNone, -kInfinity, kInfinity, ""}};
  return {name, {Margin::State::kKnown, *value, *value, ""}, *value};
}

}  // namespace stiction::internal
