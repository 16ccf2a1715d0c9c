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
    case CertificateKind::kNone:
      break;
  }
  return "none";
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

}  // namespace stiction::internal
