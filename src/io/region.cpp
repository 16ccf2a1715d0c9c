#include "io/region_answer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "io/judgement.hpp"
#include "io/number_text.hpp"
#include "io/report.hpp"
#include "proof/region_case.hpp"
#include "stiction/error.hpp"
#include "stiction/region_input.hpp"
#include "stiction/rest.hpp"

namespace stiction::internal {
namespace {

constexpr std::pair<RegionKind, const char*> kKindNames[] = {{RegionKind::kEmpty, "empty"},
                                                             {RegionKind::kBounded, "bounded"},
                                                             {RegionKind::kUnbounded, "unbounded"},
                                                             {RegionKind::kUndecided, "undecided"}};

const char* name_of(RegionKind kind)
{
  return std::ranges::find(kKindNames, kind, &std::pair<RegionKind, const char*>::first)->second;
}

/// The model whose centre of mass moves: `options.object`, or the only one that floats. @throws InputError
const std::string& moving_model(const Scenario& scenario)
{
  const std::string& wanted = scenario.options.object;
  const ModelDescription* found = nullptr;
  for (const ModelDescription& model : scenario.scene.models) {
    if (model.base != Base::kFloating || (!wanted.empty() && model.name != wanted)) continue;
    if (found)
      throw InputError("options.object", "want the model whose centre of mass moves (" + found->name + ", " +
                                             model.name + ", …), got none");
    found = &model;
  }
  if (!found && !wanted.empty())
    throw InputError("options.object", "want a model with a floating base, got " + quoted(wanted));
  if (!found) throw InputError("models", "want one with a floating base, whose centre of mass may move, got none");
  return found->name;
}

Json json_of(const Polygon& polygon)
{
  Json corners = Json::array();
  for (const Eigen::Vector2d& corner : polygon) corners.push_back({json(corner.x()), json(corner.y())});
  return corners;
}

/// What the scenario decides, whatever the answer.
struct RegionQuestion {
  RegionInput input;
  RegionRules rules;
  std::string model;

  Json json() const
  {
    Json entry;
    entry["rules"]["cone"] = cone_json(rules.shape);
    entry["rules"]["clip"] = rules.clip ? internal::json(*rules.clip) : Json();
    entry["problem"] = problem_json(input.problem);
    entry["a"] = internal::json(input.a);
    entry["model"] = model;
    entry["position"] = internal::json(Eigen::VectorXd(input.position));
    entry["shift"] = internal::json(Eigen::MatrixXd(input.shift));
    return entry;
  }
};

Json json_of(const RegionInput& input, const RegionPieceProof& piece)
{
  Json entry;
  entry["signs"] = piece.signs;
  entry["inner"] = json_of(piece.inner);  // displacements from the position
  entry["forces"] = Json::array();        // one per corner of inner
  for (const Eigen::VectorXd& lambda : piece.forces) entry["forces"].push_back(json(lambda));
  entry["outer"] = json_of(piece.outer);
  entry["cuts"] = Json::array();  // one per side of outer
  for (std::size_t i = 0; i < piece.sides.size(); ++i) {
    Eigen::Vector2d normal;
    double offset = 0.0;
    side_line(input, piece, i, normal, offset);
    entry["cuts"].push_back(
        {{"normal", json(Eigen::VectorXd(normal))}, {"offset", json(offset)}, {"proof", leaf_json(piece.sides[i])}});
  }
  if (piece.bound.empty()) return entry;
  entry["bound"] = json_of(piece.bound);
  entry["bound_sides"] = Json::array();
  for (const MotionLeaf& leaf : piece.bound_sides) entry["bound_sides"].push_back(leaf_json(leaf));
  return entry;
}

Json proof_json(const RegionInput& input, const RegionCertificate& proof)
{
  Json entry;
  entry["kind"] = internal::name_of(proof.position.kind);
  write_certificate(proof.position, entry);
  entry.erase("a");  // it is the question's
  entry["efforts"] = json(proof.position.efforts);
  entry["pieces"] = Json::array();
  for (const RegionPieceProof& piece : proof.pieces) entry["pieces"].push_back(json_of(input, piece));
  entry["empty"] = Json::array();
  for (const MotionLeaf& leaf : proof.empty) entry["empty"].push_back(leaf_json(leaf));
  entry["ray"] = Json();
  if (proof.ray)
    entry["ray"] = {{"signs", proof.ray->signs},
                    {"point", json(Eigen::VectorXd(proof.ray->point))},
                    {"forces", json(proof.ray->forces)},
                    {"direction", json(Eigen::VectorXd(proof.ray->direction))},
                    {"ray", json(proof.ray->ray)}};
  return entry;
}

Eigen::Vector2d read_point(const Field& field)
{
  if (field.size() != 2) field.fail("two numbers");
  return field.vector();
}

Polygon read_polygon(const Field& field)
{
  Polygon polygon;
  for (std::size_t i = 0; i < field.size(); ++i) polygon.push_back(read_point(field[i]));
  return polygon;
}

std::string metres(const Eigen::Vector2d& point)
{
  return fmt::format("({:.4g}, {:.4g})", tidy(point.x(), 1.0), tidy(point.y(), 1.0));
}

}  // namespace

void RegionAnswer::read(const Situation& situation)
{
  require_rest(situation.scene, situation.state, situation.problem);
  model_ = moving_model(situation.scenario);
  input_ = region_input(situation.scene, situation.state, situation.problem, model_, situation.scenario.scene.loads);
}

void RegionAnswer::ask(const Situation& situation, Extras)
{
  read(situation);
  const ScenarioOptions& asked = situation.scenario.options;
  RegionOptions options;
  options.shape = asked.cone;
  if (asked.gap) options.relative_gap = *asked.gap;
  options.clip = asked.box;
  checker_.check(input_, options, result_);
}

Json RegionAnswer::question(const Report& report) const
{
  return RegionQuestion{input_, {report.scenario.options.cone, report.scenario.options.box}, model_}.json();
}

namespace {

/// One sentence about a region and the position in it.
std::string summary_of(const RegionResult& result)
{
  std::string where;
  switch (result.kind) {
    case RegionKind::kEmpty:
      where = "the support region is empty: no position of the centre of mass is held";
      break;
    case RegionKind::kUnbounded:
      where = "the support region is unbounded along " + metres(result.direction);
      break;
    case RegionKind::kBounded:
      where = "the support region has an area of " + interval_text(result.area_lower, result.area_upper, 6) + " m²";
      break;
    case RegionKind::kUndecided:
      where = result.pieces.empty() ? "the support region could not be found: " + result.reason
                                    : fmt::format("the support region has an area of {:.6g} m² at least: {}",
                                                  result.area_lower, result.reason);
      break;
  }
  const Margin& distance = result.distance;
  const bool known = distance.state == Margin::State::kKnown;
  switch (result.verdict) {
    case Verdict::kHolds:
      if (known && distance.lower > 0.0)
        return fmt::format("holds: the centre of mass is {:.4g} m inside the support region; {}", distance.lower,
                           where);
      return "holds: the centre of mass is inside the support region; " + where;
    case Verdict::kFails:
      if (known && distance.upper < 0.0)
        return fmt::format("fails: the centre of mass is {:.4g} m outside the support region; {}", -distance.upper,
                           where);
      return "fails: " + where;
    case Verdict::kUndecided:
      break;
  }
  return "undecided: whether the centre of mass is inside could not be proved; " + where;
}

Json margins_json(const Margin& distance)
{
  Json margins = Json::object();
  if (distance.enclosed()) {
    if (distance.state == Margin::State::kKnown) margins["com"] = json(distance.lower);
    margins["intervals"]["com"] = {json(distance.lower), json(distance.upper)};
  } else if (distance.state == Margin::State::kUnbounded) {
    margins["com"] = json(kInfinity);
  } else if (distance.state == Margin::State::kNone) {
    margins["com"] = nullptr;
  }
  return margins;
}

/// What a report says about a region, but for its reason.
Json region_json(const RegionResult& result, const std::string& model, const Eigen::Vector2d& position)
{
  Json region;
  region["model"] = model;
  region["kind"] = name_of(result.kind);
  region["position"] = json(Eigen::VectorXd(position));
  region["direction"] = result.kind == RegionKind::kUnbounded ? json(Eigen::VectorXd(result.direction)) : Json();
  region["area"] = {json(result.area_lower), json(result.area_upper)};
  region["pieces"] = Json::array();
  for (const RegionPiece& piece : result.pieces)
    region["pieces"].push_back({{"inner", json_of(piece.inner)}, {"outer", json_of(piece.outer)}});
  region["reason"] = result.reason;
  region["jacobians"] = "of the given posture";
  return region;
}

}  // namespace

std::string RegionAnswer::summary() const { return summary_of(result_); }

void RegionAnswer::write_row(std::vector<RowCell>& cells) const
{
  const bool distance = result_.distance.enclosed();
  const bool area = result_.kind != RegionKind::kUndecided || !result_.pieces.empty();
  cells.push_back({"region", {}, name_of(result_.kind)});
  cells.push_back({"com", distance ? std::optional(result_.distance.lower) : std::nullopt});
  cells.push_back({"area_lower", area ? std::optional(result_.area_lower) : std::nullopt});
  cells.push_back({"area_upper", area ? std::optional(result_.area_upper) : std::nullopt});
}

void RegionAnswer::write_json(const Report& report, Json& json_report) const
{
  json_report["region"] = region_json(result_, model_, input_.position);
  json_report["margins"] = margins_json(result_.distance);
  json_report["certificate"] = question(report);
  json_report["certificate"].update(proof_json(input_, result_.proof));
}

AnswerText RegionAnswer::text(const Report& report) const
{
  AnswerText text;
  text.notes.push_back(fmt::format(
      "centre of mass of {} at {} m; it is moved horizontally, contacts and Jacobians stay those of the given posture",
      model_, metres(input_.position)));
  if (result_.kind == RegionKind::kUnbounded && !report.scenario.options.box)
    text.notes.push_back("no polygons of an unbounded region: clip it with options.box");
  if (report.scenario.options.box)
    text.notes.push_back(fmt::format("clipped to {:.4g} m around the centre of mass", *report.scenario.options.box));
  if (result_.pieces.size() > 1)
    text.notes.push_back(
        fmt::format("the union of {} convex pieces: bilateral contacts push or pull", result_.pieces.size()));
  if (result_.kind == RegionKind::kBounded && !result_.reason.empty()) text.notes.push_back(result_.reason);
  for (const RegionPiece& piece : result_.pieces)
    text.notes.push_back(fmt::format("proved from inside by a polygon of {} corners, from outside by one of {}",
                                     piece.inner.size(), piece.outer.size()));
  return text;
}

namespace {

RegionPieceProof read_piece(const Field& field)
{
  RegionPieceProof piece;
  piece.signs = field["signs"].integers();
  piece.inner = read_polygon(field["inner"]);
  piece.outer = read_polygon(field["outer"]);
  const Field forces = field["forces"], cuts = field["cuts"];
  for (std::size_t i = 0; i < forces.size(); ++i) piece.forces.push_back(forces[i].vector());
  for (std::size_t i = 0; i < cuts.size(); ++i) piece.sides.push_back(read_leaf(cuts[i]["proof"]));
  if (!field.has("bound")) return piece;
  piece.bound = read_polygon(field["bound"]);
  const Field walls = field["bound_sides"];
  for (std::size_t i = 0; i < walls.size(); ++i) piece.bound_sides.push_back(read_leaf(walls[i]));
  return piece;
}

RegionCertificate read_region_certificate(const Field& field)
{
  RegionCertificate certificate;
  certificate.position = read_certificate(field);
  certificate.position.efforts = field["efforts"].vector();
  const Field pieces = field["pieces"], empty = field["empty"], ray = field["ray"];
  for (std::size_t i = 0; i < pieces.size(); ++i) certificate.pieces.push_back(read_piece(pieces[i]));
  for (std::size_t i = 0; i < empty.size(); ++i) certificate.empty.push_back(read_leaf(empty[i]));
  if (!ray.is_null())
    certificate.ray = RegionRay{ray["signs"].integers(), read_point(ray["point"]), ray["forces"].vector(),
                                read_point(ray["direction"]), ray["ray"].vector()};
  return certificate;
}

RegionInput read_input(const Field& certificate, const std::string& model)
{
  RegionInput input;
  input.problem = read_problem(certificate["problem"]);
  input.problem.validate();
  input.a = certificate["a"].vector();
  input.shift = certificate["shift"].matrix(input.problem.nv(), 2);
  input.position = read_point(certificate["position"]);
  input.base = floating_base(input.problem, model);
  if (input.base < 0)
    throw InputError("model", "want a model of the problem with a floating base, got " + quoted(model));
  return input;
}

RegionClaims read_claims(const Field& report)
{
  RegionClaims claims;
  const Field region = report["region"], margins = report["margins"];
  const std::string verdict = report["verdict"].text(), kind = region["kind"].text();
  for (const Verdict one : {Verdict::kHolds, Verdict::kFails})
    if (verdict == internal::name_of(one)) claims.verdict = one;
  const auto* found = std::ranges::find_if(kKindNames, [&](const auto& entry) { return kind == entry.second; });
  if (found == std::end(kKindNames)) region["kind"].fail("bounded, unbounded, empty or undecided");
  claims.kind = found->first;
  if (claims.kind == RegionKind::kUnbounded) claims.direction = read_point(region["direction"]);
  if (region["area"].size() != 2) region["area"].fail("two numbers");
  claims.area_lower = region["area"][0].number();
  claims.area_upper = region["area"][1].number();
  if (margins.has("com") && margins["com"].is_null() != (claims.kind == RegionKind::kEmpty))
    margins["com"].fail("null for an empty region, a number for another");
  if (margins.has("intervals")) {
    const Field com = margins["intervals"]["com"];
    if (com.size() != 2) com.fail("two numbers");
    claims.distance_lower = com[0].number();
    claims.distance_upper = com[1].number();
  }
  if (margins.has("com") && !margins["com"].is_null()) {
    const double shown = margins["com"].number();
    if (margins.has("intervals") && shown != claims.distance_lower)
      margins["com"].fail("the lower end of its interval");
    claims.distance_lower = shown;
  }
  return claims;
}

/// The result that a report with these claims, judged, shows.
RegionResult proved_result(const RegionClaims& claims, const RegionCertificate& certificate, const RegionInput& input,
                           const Field& report)
{
  RegionResult result;
  result.verdict = claims.verdict;
  result.kind = claims.kind;
  result.direction = claims.direction;
  result.area_lower = claims.area_lower;
  result.area_upper = claims.area_upper;
  result.reason = report["region"]["reason"].text();
  for (const RegionPieceProof& proof : certificate.pieces) {
    RegionPiece& piece = result.pieces.emplace_back();
    for (const Eigen::Vector2d& s : proof.inner) piece.inner.push_back(input.position + s);
    for (const Eigen::Vector2d& s : proof.outer) piece.outer.push_back(input.position + s);
  }
  const Field margins = report["margins"];
  Margin& distance = result.distance;
  distance.lower = claims.distance_lower;
  distance.upper = claims.distance_upper;
  if (margins.has("intervals"))
    distance.state = margins.has("com") ? Margin::State::kKnown : Margin::State::kUndecided;
  else if (margins.has("com"))
    distance.state = margins["com"].is_null() ? Margin::State::kNone : Margin::State::kUnbounded;
  return result;
}

/// What of a region is proved, and what is not.
std::string extent_of(const RegionClaims& claims, bool polygons)
{
  if (claims.kind == RegionKind::kEmpty) return "and that nothing is held anywhere";
  if (claims.kind == RegionKind::kUnbounded && !polygons) return "and that the region is unbounded";
  if (std::isfinite(claims.area_upper)) return "and the region";
  return polygons ? "and what is held; not that nothing beyond is held" : "and nothing about the region";
}

/// Judges from the report's own numbers. Uses the proof room only: no engine can repeat its own mistake here.
Judgement judge_region_report(const Field& report)
{
  const Field source = report["certificate"];
  const RegionCertificate certificate = read_region_certificate(source);
  const RegionClaims claims = read_claims(report);
  RegionQuestion asked;
  asked.model = source["model"].text();
  asked.rules.shape = read_cone(source["rules"]["cone"]);
  if (!source["rules"]["clip"].is_null()) asked.rules.clip = source["rules"]["clip"].number();
  try {
    asked.input = read_input(source, asked.model);
  } catch (const InputError& error) {
    if (error.path().starts_with("report")) throw;
    return Judgement::refusal(std::string("the certificate's problem is not one: ") + error.what());
  }
  std::string why;
  if (!judge_region(asked.input, asked.rules, certificate, claims, &why)) return Judgement::refusal(why);
  const RegionResult result = proved_result(claims, certificate, asked.input, report);
  Judgement judged;
  judged.verdict = claims.verdict;
  judged.summary = summary_of(result);
  judged.proved = std::string("by ") + internal::name_of(certificate.position.kind) + ", " +
                  extent_of(claims, !certificate.pieces.empty());
  judged.claims["region"] = region_json(result, asked.model, asked.input.position);
  judged.claims["region"]["reason"] = unproved();
  judged.claims["margins"] = margins_json(result.distance);
  judged.question = asked.json();
  judged.proof = proof_json(asked.input, certificate);
  return judged;
}

void require_for_region(const Scenario& scenario)
{
  require_no_sliding(scenario);
  moving_model(scenario);
}

std::vector<std::string> region_columns(const ScenarioOptions&)
{
  return {"region", "com", "area_lower", "area_upper"};
}

}  // namespace

extern const QuestionKind kRegionKind{Question::kRegion, require_for_region, make_answer<RegionAnswer>, region_columns,
                                      judge_region_report};

}  // namespace stiction::internal
