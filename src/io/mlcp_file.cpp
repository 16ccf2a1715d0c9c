// The paper's complementarity problems as a file (docs/mlcp.md).
#include "io/json.hpp"
#include "stiction/paper/mlcp.hpp"
#include "stiction/problem_file.hpp"
#include "stiction/sliding_input.hpp"

namespace stiction {
namespace internal {
namespace {

const char* kind_name(MlcpRole role)
{
  switch (role) {
    case MlcpRole::kAcceleration:
      return "acceleration";
    case MlcpRole::kNormalBilateral:
      return "normal_bilateral";
    case MlcpRole::kTangentialBilateral:
      return "tangential_bilateral";
    case MlcpRole::kTangentialUnilateral:
      return "tangential_unilateral";
    case MlcpRole::kNormalUnilateral:
      return "normal_unilateral";
    case MlcpRole::kFrictionRatio:
      return "friction_ratio";
    case MlcpRole::kFacet:
      break;
  }
  return "facet";
}

Json mlcp_json(const Mlcp& mlcp, const char* equations)
{
  Json entry;
  entry["equations"] = equations;
  entry["equalities"] = mlcp.equalities;
  entry["unknowns"] = Json::array();
  for (const MlcpVariable& variable : mlcp.variables)
    entry["unknowns"].push_back(
        {{"name", variable.name}, {"kind", kind_name(variable.role)}, {"index", variable.index}});
  entry["Q"] = json(mlcp.Q);
  entry["q"] = json(mlcp.q);
  return entry;
}

Json disk_json(const Contact& contact, const std::optional<Eigen::Vector2d>& slip)
{
  Json entry = {{"name", contact.name}, {"side", contact.side == Side::kUnilateral ? "unilateral" : "bilateral"}};
  entry["mu"] = contact.mu;
  entry["normal"] = contact.row;
  entry["tangents"] = Json::array();
  for (int k = 1; k <= contact.tangents; ++k) entry["tangents"].push_back(contact.row + k);
  if (contact.torsional) entry["torsion"] = {{"row", contact.row + 1 + contact.tangents}, {"of", contact.torsion}};
  if (contact.max_normal < kInfinity) entry["max_normal"] = contact.max_normal;
  if (slip) entry["slides"] = json(Eigen::VectorXd(slip->head(contact.tangents)));
  return entry;
}

/// Round disks have no facets unless the options give some.
bool has_facets(const ContactProblem& problem, const ConeShape& shape)
{
  if (shape.approximation != ConeApproximation::kExact) return true;
  for (const Contact& contact : problem.contacts)
    if (contact.tangents == 2 && contact.mu > 0.0) return false;
  return true;
}

Json facets_json(const ContactProblem& problem, const ConeShape& shape)
{
  const FacetMlcp facets = facet_mlcp(problem, shape);
  Json entry;
  entry["cone"] = cone_json(shape);
  entry["hypotheses_failed"] = facets.hypotheses.failed;
  entry["C"] = json(facets.C);
  entry["D"] = json(facets.D);
  if (!facets.hypotheses.hold()) return entry;
  entry["lambda_n"] = json(facets.lambda_n);
  entry["A"] = json(facets.A);
  entry["F"] = json(facets.F);
  entry["mlcp"] = mlcp_json(facets.mlcp, "(58)");
  return entry;
}

}  // namespace
}  // namespace internal

std::string mlcp_text(const Scenario& scenario)
{
  using namespace internal;
  const bool slides = scenario.question == Question::kSliding;
  if (!slides && scenario.question != Question::kAllSticking)
    throw InputError("question", std::string("want all_sticking or sliding, which have an MLCP, got ") +
                                     stiction::name_of(scenario.question));
  if (scenario.options.detachment != Detachment::kAllowed)
    throw InputError("options.detachment", scenario.options.detachment == Detachment::kFree
                                               ? "want allowed: which contacts leave is searched, each choice of them "
                                                 "has an MLCP of its own, got free"
                                               : "want allowed: contacts that may not open have no complementarity, "
                                                 "got forbidden");
  const Scenario matrices = as_bare_problem(scenario);
  const ContactProblem& problem = matrices.bare->problem;
  SlipDirections slips;
  if (slides) {
    std::vector<std::optional<Eigen::Vector3d>> given;
    for (const ContactMotion& motion : matrices.contact_motions) given.push_back(motion.slides);
    slips = slip_directions(problem, matrices.bare->v, given);
  }
  const StickingMlcp mlcp = sticking_mlcp(problem, slips);
  const RowRoles roles = row_roles(problem);
  const bool bilateral = !roles.normal_bilateral.empty() || !roles.tangential_bilateral.empty();

  Json file;
  file["stiction_mlcp"] = 1;
  if (!scenario.name.empty()) file["name"] = scenario.name;
  file["question"] = stiction::name_of(scenario.question);
  file["mlcp"] = mlcp_json(mlcp.full, slides ? "(73)" : bilateral ? "(65a)" : "(43)");
  file["hypotheses_failed"] = mlcp.hypotheses.failed;
  if (mlcp.forces) file["forces"] = mlcp_json(*mlcp.forces, slides ? "W of (74)" : "(62)");
  if (mlcp.normals) file["normals"] = mlcp_json(*mlcp.normals, slides ? "A of (74)" : bilateral ? "(63)" : "(37)");
  file["contacts"] = Json::array();
  for (std::size_t i = 0; i < problem.contacts.size(); ++i)
    file["contacts"].push_back(disk_json(problem.contacts[i], slips.empty() ? std::nullopt : slips[i]));
  if (!slides && has_facets(problem, scenario.options.cone))
    file["facets"] = facets_json(problem, scenario.options.cone);
  return file.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace stiction
