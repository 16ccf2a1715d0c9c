#include "io/region_answer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "io/judgement.hpp"
#include "io/report.hpp"
#include "problem/text.hpp"
#include "stiction/error.hpp"

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

/// Change of F per metre that the model's centre of mass c is moved along x and y: its weight and inertia act there,
/// with the torque of m (c'' - g) = what the linear rows of its base ask of contacts and loads together.
Eigen::MatrixX2d shift_of(const Situation& situation, const std::string& model, const Eigen::VectorXd& a)
{
  const std::string root = situation.scene.root_link(model);
  const auto& names = situation.problem.dof_names;
  const auto base = std::ranges::find(names, model + "/base[0]") - names.begin();
  Eigen::VectorXd asked = situation.problem.M * a + situation.problem.F;
  for (const LoadDescription& load : situation.scenario.scene.loads)
    asked += situation.scene.generalised_force(situation.state, load);
  const Eigen::Vector3d force_W = situation.scene.link_pose(situation.state, root).linear() * asked.segment<3>(base);
  Eigen::MatrixX2d shift(asked.size(), 2);
  for (int k = 0; k < 2; ++k) {
    LoadDescription torque;
    torque.link = root;
    torque.torque = Eigen::Vector3d::Unit(k).cross(force_W);
    shift.col(k) = situation.scene.generalised_force(situation.state, torque);
  }
  return shift;
}

Json json_of(const Polygon& polygon)
{
  Json corners = Json::array();
  for (const Eigen::Vector2d& corner : polygon) corners.push_back({json(corner.x()), json(corner.y())});
  return corners;
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

struct RegionQuestion {
  ContactProblem problem;
  ConeShape shape;
  Eigen::VectorXd a;
  std::string model;
  Eigen::Vector2d position;
  Eigen::MatrixX2d shift;

  Json json() const
  {
    Json entry;
    entry["rules"]["cone"] = cone_json(shape);
    entry["problem"] = problem_json(problem);
    entry["a"] = internal::json(a);
    entry["model"] = model;
    entry["position"] = internal::json(Eigen::VectorXd(position));
    entry["shift"] = internal::json(Eigen::MatrixXd(shift));
    return entry;
  }
};

Json pieces_json(const std::vector<RegionPiece>& pieces)
{
  Json list = Json::array();
  for (const RegionPiece& piece : pieces) {
    Json entry;
    entry["signs"] = piece.signs;
    entry["forces"] = Json::array();  // one per corner of inner
    for (const Eigen::VectorXd& lambda : piece.forces) entry["forces"].push_back(json(lambda));
    entry["cuts"] = Json::array();
    for (const RegionCut& cut : piece.cuts)
      entry["cuts"].push_back({{"normal", json(Eigen::VectorXd(cut.normal))},
                               {"offset", json(cut.offset)},
                               {"proof", leaf_json(cut.proof)}});
    list.push_back(entry);
  }
  return list;
}

std::vector<RegionPiece> read_pieces(const Field& field)
{
  std::vector<RegionPiece> pieces(field.size());
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const Field forces = field[i]["forces"], cuts = field[i]["cuts"];
    pieces[i].signs = field[i]["signs"].integers();
    for (std::size_t k = 0; k < forces.size(); ++k) pieces[i].forces.push_back(forces[k].vector());
    for (std::size_t k = 0; k < cuts.size(); ++k)
      pieces[i].cuts.push_back({read_point(cuts[k]["normal"]), cuts[k]["offset"].number(), read_leaf(cuts[k]["proof"])});
  }
  return pieces;
}

Json proof_json(const Certificate& certificate, const std::vector<RegionPiece>& pieces)
{
  Json entry;
  entry["kind"] = internal::name_of(certificate.kind);
  write_certificate(certificate, entry);
  entry.erase("a");
  entry["efforts"] = json(certificate.efforts);
  entry["pieces"] = pieces_json(pieces);
  return entry;
}

std::string metres(const Eigen::Vector2d& point) { return fmt::format("({:.4g}, {:.4g})", point.x(), point.y()); }

}  // namespace

void RegionAnswer::read(const Situation& situation)
{
  require_rest(situation);
  model_ = moving_model(situation.scenario);
  a_ = situation.state.a;
  shift_ = shift_of(situation, model_, a_);
  position_ = situation.scene.center_of_mass(situation.state, model_).head<2>();
}

void RegionAnswer::ask(const Situation& situation, Extras)
{
  read(situation);
  const ScenarioOptions& asked = situation.scenario.options;
  RegionOptions options;
  options.shape = asked.cone;
  if (asked.gap) options.relative_gap = *asked.gap;
  options.clip = asked.box;
  finder_.find(situation.problem, a_, shift_, position_, options, result_);
}

std::string RegionAnswer::summary() const
{
  std::string where;
  switch (result_.kind) {
    case RegionKind::kEmpty:
      where = "the support region is empty: no position of the centre of mass is held";
      break;
    case RegionKind::kUnbounded:
      where = "the support region is unbounded along " + metres(result_.direction);
      break;
    case RegionKind::kBounded:
      where =
          fmt::format("the support region has an area of {:.6g} to {:.6g} m²", result_.area_lower, result_.area_upper);
      break;
    case RegionKind::kUndecided:
      where = "the support region could not be found: " + result_.reason;
      break;
  }
  const Margin& distance = result_.distance;
  const bool known = distance.state == Margin::State::kKnown;
  switch (result_.verdict) {
    case Verdict::kHolds:
      if (known)
        return fmt::format("holds: the centre of mass is {:.4g} m inside the support region; {}", distance.lower,
                           where);
      return "holds: the centre of mass is inside the support region; " + where;
    case Verdict::kFails:
      if (known)
        return fmt::format("fails: the centre of mass is {:.4g} m outside the support region; {}", -distance.upper,
                           where);
      return "fails: " + where;
    case Verdict::kUndecided:
      break;
  }
  return "undecided: whether the centre of mass is inside could not be proved; " + where;
}

void RegionAnswer::write_row(std::vector<RowCell>& cells) const
{
  const bool distance =
      result_.distance.state == Margin::State::kKnown || result_.distance.state == Margin::State::kUndecided;
  const bool area = result_.kind != RegionKind::kUndecided;
  cells.push_back({"region", {}, name_of(result_.kind)});
  cells.push_back({"com", distance ? std::optional(result_.distance.lower) : std::nullopt});
  cells.push_back({"area_lower", area ? std::optional(result_.area_lower) : std::nullopt});
  cells.push_back({"area_upper", area ? std::optional(result_.area_upper) : std::nullopt});
}

void RegionAnswer::write_json(const Report& report, Json& json_report) const
{
  Json& region = json_report["region"];
  region["model"] = model_;
  region["kind"] = name_of(result_.kind);
  region["position"] = json(Eigen::VectorXd(position_));
  region["direction"] = result_.kind == RegionKind::kUnbounded ? json(Eigen::VectorXd(result_.direction)) : Json();
  region["area"] = {json(result_.area_lower), json(result_.area_upper)};
  region["pieces"] = Json::array();
  for (const RegionPiece& piece : result_.pieces)
    region["pieces"].push_back({{"inner", json_of(piece.inner)}, {"outer", json_of(piece.outer)}});
  region["reason"] = result_.reason;
  region["jacobians"] = "of the given posture";
  json_report["margins"] = Json::object();
  if (const Margin& distance = result_.distance;
      distance.state == Margin::State::kKnown || distance.state == Margin::State::kUndecided) {
    if (distance.state == Margin::State::kKnown) json_report["margins"]["com"] = json(distance.lower);
    json_report["margins"]["intervals"]["com"] = {json(distance.lower), json(distance.upper)};
  } else if (distance.state == Margin::State::kUnbounded) {
    json_report["margins"]["com"] = json(kInfinity);
  } else if (distance.state == Margin::State::kNone) {
    json_report["margins"]["com"] = nullptr;
  }
  const bool proved = result_.verdict != Verdict::kUndecided;
  json_report["certificate"] = question(report);
  json_report["certificate"].update(proof_json(proved ? result_.certificate : Certificate{}, result_.pieces));
}

Json RegionAnswer::question(const Report& report) const
{
  return RegionQuestion{report.problem, report.scenario.options.cone, a_, model_, position_, shift_}.json();
}

AnswerText RegionAnswer::text(const Report& report) const
{
  AnswerText text;
  text.notes.push_back(fmt::format(
      "centre of mass of {} at {} m; it is moved horizontally, contacts and Jacobians stay those of the given posture",
      model_, metres(position_)));
  if (result_.kind == RegionKind::kUnbounded && !report.scenario.options.box)
    text.notes.push_back("no polygons of an unbounded region: clip it with options.box");
  if (report.scenario.options.box)
    text.notes.push_back(fmt::format("clipped to {:.4g} m around the centre of mass", *report.scenario.options.box));
  if (result_.pieces.size() > 1)
    text.notes.push_back(
        fmt::format("the union of {} convex pieces: bilateral contacts push or pull", result_.pieces.size()));
  if (result_.kind == RegionKind::kBounded && !result_.reason.empty()) text.notes.push_back(result_.reason);
  for (const RegionPiece& piece : result_.pieces)
    text.notes.push_back(fmt::format("polygons of {} corners inside and {} outside, by {} boundary searches",
                                     piece.inner.size(), piece.outer.size(), result_.directions));
  return text;
}

namespace {

/// How far beyond a cut its proof is judged, as a share of the region's size: exactly on it the proof is balanced on a needle.
constexpr double kBeyond = 1e-7;

/// A certificate of (EQ) for another position of the centre of mass.
class RegionJudge {
 public:
  RegionJudge(const Field& certificate, Eigen::Vector2d position)
      : problem(read_problem(certificate["problem"])),
        shape(read_cone(certificate["rules"]["cone"])),
        a(certificate["a"].vector()),
        position_(std::move(position))
  {
    problem.validate();
    shift_ = certificate["shift"].matrix(problem.nv(), 2);
  }

  Verdict judge(const Certificate& certificate, const Eigen::Vector2d& c, std::string* why)
  {
    const Eigen::VectorXd F = problem.F;
    problem.F += shift_ * (c - position_);
    const Verdict verdict = judge_equilibrium(problem, a, shape, certificate, why);
    problem.F = F;
    return verdict;
  }

  /// Whether the forces hold at c, with the efforts that they ask for.
  bool holds(const Eigen::VectorXd& lambda, const Eigen::Vector2d& c, std::string* why)
  {
    Certificate certificate{CertificateKind::kForces,
                            a,
                            lambda,
                            {},
                            Eigen::VectorXd::Zero(static_cast<Eigen::Index>(problem.actuators.size()))};
    if (lambda.size() != problem.rows()) {
      *why = "the forces have the wrong size";
      return false;
    }
    const Eigen::VectorXd asked = problem.M * a + problem.F + shift_ * (c - position_) - problem.J.transpose() * lambda;
    for (std::size_t i = 0; i < problem.actuators.size(); ++i)
      certificate.efforts[static_cast<Eigen::Index>(i)] = asked[problem.actuators[i].dof];
    return judge(certificate, c, why) == Verdict::kHolds;
  }

  /// Whether the leaf proves that nothing holds beyond a cut, as far as `size` to each side: what it compares is affine in the
  /// position, so four corners speak for all between them.
  bool fails_beyond(const RegionCut& cut, const Eigen::Vector2d& center, double size, std::string* why)
  {
    const Eigen::Vector2d along(-cut.normal.y(), cut.normal.x());
    const Eigen::Vector2d foot = center + cut.normal * (cut.offset - cut.normal.dot(center));
    for (double depth : {kBeyond * size, size})
      for (double side : {-size, size})
        if (judge({CertificateKind::kMotion, a, {}, {cut.proof}, {}}, foot + depth * cut.normal + side * along, why) !=
            Verdict::kFails)
          return false;
    return true;
  }

  ContactProblem problem;
  ConeShape shape;
  Eigen::VectorXd a;

 private:
  Eigen::MatrixX2d shift_;
  Eigen::Vector2d position_;
};

double area(const Polygon& polygon)
{
  double twice = 0.0;
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    const Eigen::Vector2d &a = polygon[i], &b = polygon[(i + 1) % polygon.size()];
    twice += a.x() * b.y() - a.y() * b.x();
  }
  return 0.5 * twice;
}

/// How far a point is inside a convex polygon, at most: the least distance from its sides.
double depth(const Polygon& polygon, const Eigen::Vector2d& point)
{
  double least = kInfinity;
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    const Eigen::Vector2d along = polygon[(i + 1) % polygon.size()] - polygon[i], to = point - polygon[i];
    if (along.norm() > 0.0) least = std::min(least, (along.x() * to.y() - along.y() * to.x()) / along.norm());
  }
  return least;
}

/// Empty when area and margin of a region of one piece are those of its polygons.
std::string numbers_disagreement(const Field& report)
{
  const Field region = report["region"];
  if (region["kind"].text() != "bounded" || region["pieces"].size() != 1) return "";
  const Polygon inner = read_polygon(region["pieces"][0]["inner"]), outer = read_polygon(region["pieces"][0]["outer"]);
  constexpr double kRoom = 1e-9;  // summed in another order, corners a rounding apart
  if (inner.size() >= 3 && region["area"][0].number() > area(inner) * (1 + kRoom))
    return "the area is more than that of the inner region";
  if (outer.size() >= 3 && region["area"][1].number() < area(outer) * (1 - kRoom))
    return "the area is less than that of the outer region";
  if (report["verdict"].text() != "holds" || inner.size() < 3 || !report["margins"].has("com")) return "";
  if (report["margins"]["com"].number() > depth(inner, read_point(region["position"])) + kRoom)
    return "the centre of mass is not that deep inside";
  return "";
}

/// Empty when every inner corner is held and, for one piece, nothing beyond the outer polygon is.
std::string region_disagreement(const Field& report, RegionJudge& judge)
{
  const Field shown = report["region"]["pieces"], proofs = report["certificate"]["pieces"];
  if (shown.size() != proofs.size()) return "the pieces of the region are not the certificate's";
  for (std::size_t p = 0; p < shown.size(); ++p) {
    const Polygon inner = read_polygon(shown[p]["inner"]), outer = read_polygon(shown[p]["outer"]);
    const Field forces = proofs[p]["forces"], cuts = proofs[p]["cuts"];
    std::string why;
    if (forces.size() != inner.size()) return "a corner of the inner region has no forces as proof";
    for (std::size_t i = 0; i < inner.size(); ++i)
      if (!judge.holds(forces[i].vector(), inner[i], &why))
        return "the corner " + metres(inner[i]) + " of the inner region is not proved: " + why;
    Eigen::Vector2d center = Eigen::Vector2d::Zero();
    double size = 1e-3;  // m, for a point
    for (const Eigen::Vector2d& corner : outer) center += corner / static_cast<double>(outer.size());
    for (const Eigen::Vector2d& corner : outer) size = std::max(size, 2.0 * (corner - center).norm());
    for (std::size_t i = 0; i < cuts.size(); ++i) {
      RegionCut cut{read_point(cuts[i]["normal"]), cuts[i]["offset"].number(), read_leaf(cuts[i]["proof"])};
      for (const Eigen::Vector2d& corner : outer)
        if (cut.normal.dot(corner) > cut.offset + kBeyond * size)
          return "the corner " + metres(corner) + " of the outer region is beyond a cut";
      // Sides of the clipping square have no proof, and a leaf of one sign pattern speaks for its piece alone.
      if (cut.proof.motion.size() == 0 || shown.size() > 1) continue;
      if (!judge.fails_beyond(cut, center, size, &why)) return "a side of the outer region is not proved: " + why;
    }
  }
  return "";
}

/// What a report may say; what region_disagreement and numbers_disagreement looked at is as it is shown.
Json claims_of(const Field& report, const RegionQuestion& asked)
{
  Json claims;
  claims["region"]["model"] = asked.model;
  claims["region"]["position"] = json(Eigen::VectorXd(asked.position));
  claims["region"]["pieces"] = Json::array();
  for (std::size_t i = 0; i < report["region"]["pieces"].size(); ++i) {
    Json piece;
    piece["inner"] = json_of(read_polygon(report["region"]["pieces"][i]["inner"]));
    piece["outer"] = unproved();  // beyond a cut nothing is held, but not that the cuts enclose the polygon
    claims["region"]["pieces"].push_back(piece);
  }
  claims["region"]["jacobians"] = "of the given posture";
  leave_open(report["region"].json(), claims["region"]);
  claims["margins"] = unproved();
  return claims;
}

Judgement judge_region_report(const Field& report)
{
  const Field source = report["certificate"];
  Certificate certificate = read_certificate(source);
  certificate.efforts = source["efforts"].vector();
  RegionQuestion asked;
  asked.position = read_point(source["position"]);
  asked.model = source["model"].text();
  try {
    RegionJudge judge(source, asked.position);
    asked.problem = judge.problem;
    asked.shape = judge.shape;
    asked.a = judge.a;
    asked.shift = source["shift"].matrix(judge.problem.nv(), 2);
    Judgement judged;
    std::string why;
    judged.verdict = judge.judge(certificate, asked.position, &why);
    if (judged.verdict == Verdict::kUndecided) return Judgement::refusal("the certificate proves nothing: " + why);
    if (std::string wrong = region_disagreement(report, judge); !wrong.empty()) return Judgement::refusal(wrong);
    if (std::string wrong = numbers_disagreement(report); !wrong.empty()) return Judgement::refusal(wrong);
    judged.proved = std::string("by ") + internal::name_of(certificate.kind) + ", and the region";
    judged.claims = claims_of(report, asked);
    judged.question = asked.json();
    judged.proof = proof_json(certificate, read_pieces(source["pieces"]));
    return judged;
  } catch (const InputError& error) {
    if (error.path().starts_with("report")) throw;
    return Judgement::refusal(std::string("the certificate's problem is not one: ") + error.what());
  }
}

void require_for_region(const Scenario& scenario)
{
  require_no_sliding(scenario);
  moving_model(scenario);
}

std::vector<std::string> region_columns(const ScenarioOptions&) { return {"region", "com", "area_lower", "area_upper"}; }

}  // namespace

extern const QuestionKind kRegionKind{Question::kRegion, require_for_region, make_answer<RegionAnswer>, region_columns, judge_region_report};

}  // namespace stiction::internal
