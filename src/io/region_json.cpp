#include <cmath>
#include <optional>

#include "base/text.hpp"
#include "io/judgement.hpp"
#include "io/region_answer.hpp"
#include "io/report.hpp"
#include "proof/region_case.hpp"
#include "stiction/region_input.hpp"

namespace stiction::internal {
namespace {

Json json_of(const Polygon& polygon)
{
  Json corners = Json::array();
  for (const Eigen::Vector2d& corner : polygon) corners.push_back({json(corner.x()), json(corner.y())});
  return corners;
}

/// What the scenario decides, whatever the answer.
Json question_json(const RegionAnswer& asked)
{
  const RegionInput& input = asked.input;
  Json entry;
  entry["rules"]["cone"] = cone_json(asked.rules.shape);
  entry["rules"]["clip"] = asked.rules.clip ? json(*asked.rules.clip) : Json();
  entry["problem"] = problem_json(input.problem);
  entry["a"] = json(input.a);
  entry["model"] = asked.model;
  entry["position"] = json(Eigen::VectorXd(input.position));
  entry["shift"] = json(Eigen::MatrixXd(input.shift));
  return entry;
}

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
  entry["kind"] = name_of(proof.position.kind);
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

Json region_json(const RegionAnswer& answer)
{
  const RegionResult& result = answer.result;
  Json region;
  region["model"] = answer.model;
  region["kind"] = name_of(result.kind);
  region["position"] = json(Eigen::VectorXd(answer.input.position));
  region["direction"] = result.kind == RegionKind::kUnbounded ? json(Eigen::VectorXd(result.direction)) : Json();
  region["area"] = {json(result.area.lower), json(result.area.upper)};
  region["pieces"] = Json::array();
  for (const RegionPiece& piece : result.pieces)
    region["pieces"].push_back({{"inner", json_of(piece.inner)}, {"outer", json_of(piece.outer)}});
  region["reason"] = result.reason;
  region["jacobians"] = "of the given posture";
  return region;
}

}  // namespace

Json region_asked(const ScenarioReport& report) { return question_json(std::get<RegionAnswer>(report.answer)); }

void write_region(const ScenarioReport& report, Json& json_report)
{
  const RegionAnswer& answer = std::get<RegionAnswer>(report.answer);
  json_report["region"] = region_json(answer);
  json_report["margins"] = margins_json(report.margins);
  json_report["certificate"] = question_json(answer);
  json_report["certificate"].update(proof_json(answer.input, answer.result.proof));
}

namespace {

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

/// What was asked. @throws InputError when it is no problem, NotAReport when it is no report.
RegionAnswer read_asked(const Field& certificate)
{
  RegionAnswer asked;
  asked.model = certificate["model"].text();
  asked.rules.shape = read_cone(certificate["rules"]["cone"]);
  if (const Field clip = certificate["rules"]["clip"]; !clip.is_null()) asked.rules.clip = clip.number();
  RegionInput& input = asked.input;
  input.problem = read_problem(certificate["problem"]);
  input.problem.validate();
  input.a = certificate["a"].vector();
  input.shift = certificate["shift"].matrix(input.problem.nv(), 2);
  input.position = read_point(certificate["position"]);
  input.base = floating_base(input.problem, asked.model);
  if (input.base < 0)
    throw InputError("model", "want a model of the problem with a floating base, got " + internal::quoted(asked.model));
  return asked;
}

RegionKind read_kind(const Field& field)
{
  const std::string name = field.text();
  for (const RegionKind kind :
       {RegionKind::kEmpty, RegionKind::kBounded, RegionKind::kUnbounded, RegionKind::kUndecided})
    if (name == name_of(kind)) return kind;
  field.fail("bounded, unbounded, empty or undecided");
}

RegionClaims read_claims(const Field& report)
{
  RegionClaims claims;
  const Field region = report["region"], margins = report["margins"];
  const std::string verdict = report["verdict"].text();
  for (const Verdict one : {Verdict::kHolds, Verdict::kFails})
    if (verdict == name_of(one)) claims.verdict = one;
  claims.kind = read_kind(region["kind"]);
  if (claims.kind == RegionKind::kUnbounded) claims.direction = read_point(region["direction"]);
  if (region["area"].size() != 2) region["area"].fail("two numbers");
  claims.area.lower = region["area"][0].number();
  claims.area.upper = region["area"][1].number();
  if (margins.has("com") && margins["com"].is_null() != (claims.kind == RegionKind::kEmpty))
    margins["com"].fail("null for an empty region, a number for another");
  if (margins.has("intervals")) {
    const Field com = margins["intervals"]["com"];
    if (com.size() != 2) com.fail("two numbers");
    claims.distance.lower = com[0].number();
    claims.distance.upper = com[1].number();
  }
  if (margins.has("com") && !margins["com"].is_null()) {
    const double shown = margins["com"].number();
    if (margins.has("intervals") && shown != claims.distance.lower)
      margins["com"].fail("the lower end of its interval");
    claims.distance.lower = shown;
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
  result.area = claims.area;
  result.reason = report["region"]["reason"].text();
  for (const RegionPieceProof& proof : certificate.pieces) {
    RegionPiece& piece = result.pieces.emplace_back();
    for (const Eigen::Vector2d& s : proof.inner) piece.inner.push_back(input.position + s);
    for (const Eigen::Vector2d& s : proof.outer) piece.outer.push_back(input.position + s);
  }
  const Field margins = report["margins"];
  Margin& distance = result.distance;
  distance = claims.distance;
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
  if (std::isfinite(claims.area.upper)) return "and the region";
  return polygons ? "and what is held; not that nothing beyond is held" : "and nothing about the region";
}

/// judge_region takes intervals that say less than is proved; a report says all of it.
bool says_less(const RegionClaims& claims, const RegionClaims& proved, bool with_distance)
{
  constexpr double kOtherRounding = 1e-9;  // of another machine
  const auto differ = [](double claimed, double known) {
    return claimed != known && !(std::abs(claimed - known) <= kOtherRounding * std::abs(known));
  };
  return differ(claims.area.lower, proved.area.lower) || differ(claims.area.upper, proved.area.upper) ||
         (with_distance && (differ(claims.distance.lower, proved.distance.lower) ||
                            differ(claims.distance.upper, proved.distance.upper)));
}

}  // namespace

/// Judges from the report's own numbers. Uses the proof room only: no engine can repeat its own mistake here.
Judgement judge_region_report(const Field& report)
{
  const Field source = report["certificate"];
  const RegionCertificate certificate = read_region_certificate(source);
  const RegionClaims claims = read_claims(report);
  RegionAnswer asked;
  if (const auto refused = refused_problem([&] { asked = read_asked(source); })) return *refused;
  std::string why;
  if (!judge_region(asked.input, asked.rules, certificate, claims, &why)) return Judgement::refusal(why);
  const std::optional<RegionClaims> proved = proved_region(asked.input, asked.rules, certificate);
  if (!proved || says_less(claims, *proved, report["margins"].has("intervals")))
    return Judgement::refusal("the area and the margin are known better than the report says");
  asked.result = proved_result(claims, certificate, asked.input, report);
  Judgement judged;
  judged.verdict = claims.verdict;
  judged.summary = summary_of(asked.result);
  judged.proved =
      std::string("by ") + name_of(certificate.position.kind) + ", " + extent_of(claims, !certificate.pieces.empty());
  judged.claims["region"] = region_json(asked);
  judged.claims["region"]["reason"] = unproved();
  judged.claims["margins"] = margins_json(margins_of(asked.result));
  judged.question = question_json(asked);
  judged.proof = proof_json(asked.input, certificate);
  return judged;
}

}  // namespace stiction::internal
