#include "ask/check_slips.hpp"

#include <cmath>

#include "base/numerics.hpp"
#include "base/text.hpp"
#include "stiction/error.hpp"

namespace stiction::internal {

void check_slips(const ContactProblem& problem, const SlipDirections& slips)
{
  if (slips.size() != problem.contacts.size())
    throw InputError("slides", "want one entry per contact (" + std::to_string(problem.contacts.size()) + "), got " +
                                   std::to_string(slips.size()));
  for (std::size_t i = 0; i < slips.size(); ++i) {
    if (!slips[i]) continue;
    const Contact& c = problem.contacts[i];
    const Eigen::Vector2d& d = *slips[i];
    const std::string path = "slides[" + std::to_string(i) + "]";
    const std::string got = ", got (" + text(d[0]) + ", " + text(d[1]) + ") for contact " + quoted(c.name);
    if (!(std::abs(d.norm() - 1.0) <= kUnitRounding)) throw InputError(path, "want a unit vector" + got);
    if (c.tangents < 2 && !d.tail(2 - c.tangents).isZero(0.0))
      throw InputError(
          path, "want a direction within the contact's " + std::to_string(c.tangents) + " tangential rows" + got);
    if (c.torsional && c.torsion > 0.0)
      throw InputError(path, "want no torsion at a contact that slides, as its spin is not given, got torsion " +
                                 text(c.torsion) + " for contact " + quoted(c.name));
  }
}

}  // namespace stiction::internal
