// Impacts of random systems judged again in rational arithmetic: proofs that no scenario of the gallery has, such as
// those of lost energy with floors of impulses and speeds.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "stiction/exact.hpp"
#include "stiction/impact.hpp"
#include "support/impacts.hpp"

namespace stiction {
namespace {

using namespace testing;
using Json = nlohmann::ordered_json;
using Mode = ContactImpactMode;

Json list(const Eigen::VectorXd& v) { return std::vector<double>(v.data(), v.data() + v.size()); }
Json rows_of(const Eigen::MatrixXd& A)
{
  Json rows = Json::array();
  for (Eigen::Index i = 0; i < A.rows(); ++i) rows.push_back(list(A.row(i).transpose()));
  return rows;
}
const char* word(Verdict verdict)
{
  return verdict == Verdict::kHolds ? "holds" : verdict == Verdict::kFails ? "fails" : "undecided";
}

Json mode_json(const Mode& mode)
{
  static const char* const normals[] = {"any", "open", "pushes", "pulls"};
  static const char* const tangentials[] = {"any", "stick", "slip"};
  static const char* const spins[] = {"any", "stick", "positive", "negative"};
  return {{"normal", normals[static_cast<int>(mode.normal)]},
          {"tangential", tangentials[static_cast<int>(mode.tangential)]},
          {"spin", spins[static_cast<int>(mode.spin)]},
          {"angles", {mode.from, mode.to}}};
}

Json leaf_json(const ImpactLeaf& leaf)
{
  static const char* const kinds[] = {"unresolved", "empty", "solved", "loses"};
  Json json = {{"kind", kinds[static_cast<int>(leaf.kind)]},
               {"modes", Json::array()},
               {"solution", std::max(leaf.solution, 0)},
               {"witness", list(leaf.witness)},
               {"left_inverse", rows_of(leaf.left_inverse)}};
  for (const Mode& mode : leaf.modes) json["modes"].push_back(mode_json(mode));
  for (const SlipFloor& floor : leaf.floors)
    json["floors"].push_back({{"impulse", floor.impulse},
                              {"speed", floor.speed},
                              {"impulse_witness", list(floor.impulse_witness)},
                              {"speed_witness", list(floor.speed_witness)}});
  return json;
}

Json report_of(const Drawn& drawn, const ImpactResult& found)
{
  const ContactProblem& p = drawn.problem;
  Json report = {{"question", "impact"},
                 {"verdict", word(found.exists == Verdict::kFails ? found.exists : found.dissipates)},
                 {"impact",
                  {{"exists", word(found.exists)},
                   {"unique", word(found.unique)},
                   {"complete", found.complete},
                   {"dissipates", word(found.dissipates)}}}};
  Json& certificate = report["certificate"];
  certificate = {{"kind", "impulses"},
                 {"velocity", list(drawn.impact.velocity)},
                 {"laws", Json::array()},
                 {"solutions", Json::array()},
                 {"leaves", Json::array()},
                 {"problem",
                  {{"M", rows_of(p.M)},
                   {"F", list(p.F)},
                   {"J", rows_of(p.J)},
                   {"gamma", list(p.gamma)},
                   {"contacts", Json::array()},
                   {"closures", Json::array()}}}};
  for (const Contact& c : p.contacts)
    certificate["problem"]["contacts"].push_back({{"name", c.name},
                                                  {"side", c.side == Side::kBilateral ? "bilateral" : "unilateral"},
                                                  {"mu", c.mu},
                                                  {"row", c.row},
                                                  {"tangents", c.tangents},
                                                  {"torsional", c.torsional},
                                                  {"torsion", c.torsion},
                                                  {"max_normal", "inf"}});
  for (const ImpactLaw& law : drawn.impact.laws) {
    certificate["laws"].push_back(
        {{"normal", law.normal}, {"tangential", law.tangential}, {"spin", law.spin}, {"one_way", law.one_way}});
    if (law.mu_second) certificate["laws"].back()["mu_second"] = *law.mu_second;
  }
  for (const ImpactSolution& solution : found.solutions)
    certificate["solutions"].push_back({{"velocity", list(solution.velocity)}, {"impulse", list(solution.impulse)}});
  for (const ImpactLeaf& leaf : found.leaves) certificate["leaves"].push_back(leaf_json(leaf));
  return report;
}

/// One or two contacts with friction in space, round or elliptic, and torsion.
Drawn in_space(Rng& rng)
{
  const int contacts = 1 + static_cast<int>(rng() % 2);
  std::vector<Contact> list;
  Drawn d;
  int rows = 0;
  for (int i = 0; i < contacts; ++i) {
    Contact c = planar_contact("c" + std::to_string(i), rows, uniform(rng, 0.1, 1.0));
    c.tangents = 2;
    c.torsional = rng() % 4 == 0;
    c.torsion = c.torsional ? uniform(rng, 0.1, 1.0) : 0.0;
    rows += c.rows();
    list.push_back(c);
    d.impact.laws.push_back(bounce(uniform(rng, 0, 1)));
    if (rng() % 3 == 0) d.impact.laws.back().mu_second = uniform(rng, 0.1, 1.0);
  }
  const int nv = rows + static_cast<int>(rng() % 2);
  const Eigen::MatrixXd A = Eigen::Map<Eigen::MatrixXd>(gaussian(rng, nv * nv).data(), nv, nv);
  d.problem = problem_of(A * A.transpose() + 0.3 * Eigen::MatrixXd::Identity(nv, nv),
                         Eigen::Map<Eigen::MatrixXd>(gaussian(rng, rows * nv).data(), rows, nv));
  d.problem.contacts = list;
  d.impact.velocity = gaussian(rng, nv);
  return d;
}

/// A particle of 1 kg that meets the ground with (1, 0, -1) m/s, friction 1/2, without bouncing: what it is said to
/// slip with is the impulse's friction (t1, t2) for a normal impulse of 1.
bool slips_with(double t1, double t2)
{
  Drawn d;
  d.problem = problem_of(Eigen::Matrix3d::Identity(), (Eigen::Matrix3d() << 0, 0, 1, 1, 0, 0, 0, 1, 0).finished());
  Contact c = planar_contact("c", 0, 0.5);
  c.tangents = 2;
  d.problem.contacts = {c};
  d.impact.velocity = Eigen::Vector3d(1, 0, -1);
  d.impact.laws = {bounce(0.0)};
  ImpactResult said;
  said.exists = said.dissipates = Verdict::kHolds;
  said.solutions.resize(1);
  said.solutions[0].velocity = Eigen::Vector3d(1 + t1, t2, 0);
  said.solutions[0].impulse = Eigen::Vector3d(1, t1, t2);
  return judge_exactly(report_of(d, said).dump()).valid;
}

TEST(ExactImpact, FrictionOfASlipIsAtItsRimAndOpposesIt)
{
  EXPECT_TRUE(slips_with(-0.5, 0.0));
  EXPECT_FALSE(slips_with(-0.3, 0.0));   // inside the rim
  EXPECT_FALSE(slips_with(-0.4, 0.3));   // on the rim, beside the slip
  EXPECT_FALSE(slips_with(-0.75, 0.0));  // beyond it
}

TEST(ExactImpact, AgreesOnRandomSystemsAndRefusesForgedFloors)
{
  Rng rng{31};
  int decided = 0, floors = 0;
  for (int i = 0; i < 120; ++i) {
    const Drawn d = i % 3 == 0 ? draw(rng, 2) : in_space(rng);
    const ImpactResult found = ImpactChecker().check(d.problem, d.impact);
    Json report = report_of(d, found);
    if (report["verdict"].get<std::string>() == "undecided") continue;
    ++decided;
    const ExactJudgement judged = judge_exactly(report.dump());
    EXPECT_TRUE(judged.valid) << "draw " << i << ": " << judged.message;
    for (Json& leaf : report["certificate"]["leaves"]) {
      if (!leaf.contains("floors")) continue;
      ++floors;
      Json& floor = leaf["floors"][0];
      const bool impulse = floor["impulse"].get<double>() > 0.0;
      Json& least = floor[impulse ? "impulse" : "speed"];
      least = 100.0 * least.get<double>();
      EXPECT_FALSE(judge_exactly(report.dump()).valid) << "draw " << i;
      break;
    }
  }
  EXPECT_GT(decided, 80);
  EXPECT_GT(floors, 0);
}

}  // namespace
}  // namespace stiction
