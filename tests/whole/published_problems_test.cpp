// Contact problems that others published, with verdicts of an independent conic solver. The files are not ours to
// ship: they are looked for beside the repository, or where STICTION_PROBLEMS says.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>

#include "stiction/equilibrium.hpp"
#include "stiction/problem_file.hpp"
#include "stiction/sticking.hpp"

namespace stiction {
namespace {

namespace fs = std::filesystem;

/// Dense algebra would take minutes for a vault of 366 blocks: it is asked as a sparse problem only.
constexpr std::uintmax_t kLargest = 1 << 20;

fs::path folder()
{
  if (const char* named = std::getenv("STICTION_PROBLEMS")) return named;
  return fs::path(STICTION_SOURCE_DIR) / ".." / "shared" / "data" / "problems";
}

std::vector<std::string> files(std::uintmax_t largest = kLargest)
{
  std::vector<std::string> found;
  std::error_code missing;
  for (const auto& entry : fs::directory_iterator(folder(), missing))
    if (entry.path().extension() == ".json" && entry.file_size() <= largest) found.push_back(entry.path().string());
  std::ranges::sort(found);
  return found;
}

std::string published_verdict(const std::string& file)
{
  std::ifstream stream(file);
  return nlohmann::json::parse(stream).at("verdict").get<std::string>();
}

/// As the file says, in the storage that the solver asks for.
ContactProblem problem_of(const std::string& file, const char* solver = "native")
{
  return read_problem_file(file, {{"options.solver", solver}}).bare->problem;
}

Verdict decide(const ContactProblem& problem)
{
  EquilibriumOptions options;
  options.largest_slack = options.structure = options.explain = false;
  return EquilibriumChecker().check(problem, {}, options).verdict;
}

/// One contact whose rows are square: its force is J'^-1 F, and there is nothing to solve.
std::string verdict_of_single_contact(const ContactProblem& problem)
{
  const Eigen::Matrix3d J = problem.J;
  const Eigen::Vector3d force = J.transpose().inverse() * problem.F;
  return force[0] >= 0.0 && force.tail<2>().norm() <= problem.contacts[0].mu * force[0] ? "holds" : "fails";
}

TEST(PublishedProblems, AreThere)
{
  if (files().empty())
    GTEST_SKIP() << "SKIPPED: no published problems in " << folder()
                 << ". Set STICTION_PROBLEMS to the folder that has them.";
  EXPECT_GE(files().size(), 70u);
  for (const auto& entry : fs::directory_iterator(folder()))
    if (entry.path().extension() == ".json" && entry.file_size() > kLargest)
      std::cout << "SKIPPED: " << entry.path().filename() << ", a problem of " << entry.file_size() / 1000000
                << " MB that dense algebra would take minutes for\n";
}

class PublishedProblem : public ::testing::TestWithParam<std::string> {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(PublishedProblem);

TEST_P(PublishedProblem, IsDecidedAsPublished)
{
  const ContactProblem problem = problem_of(GetParam());
  std::string published = published_verdict(GetParam());
  if (problem.contacts.size() == 1 && problem.nv() == 3) {
    // W_CubeH8 is published as one that holds; by hand, its one force needs a friction of 0.48 and has 0.3.
    const std::string by_hand = verdict_of_single_contact(problem);
    if (by_hand != published) std::cerr << GetParam() << ": published as " << published << ", but " << by_hand << "\n";
    published = by_hand;
  }
  const Verdict found = decide(problem);
  if (published != "near") {
    EXPECT_EQ(to_string(found), published);
  }
}

/// Files with masses have accelerations among their unknowns: M a - H'f = -F, H a = -gamma, written as frictionless
/// rows for a. As it was before, with M and H; empty when it is not of that form.
std::optional<ContactProblem> with_masses(const ContactProblem& problem)
{
  if (problem.loops.size() != 1 || problem.loops[0].row + problem.loops[0].rows != problem.nv()) return {};
  const Eigen::Index forces = problem.loops[0].row, n = problem.loops[0].rows;
  ContactProblem result;
  const Eigen::MatrixXd M = problem.J.block(forces, 0, n, n);
  result.M = 0.5 * (M + M.transpose());
  result.J = -problem.J.topLeftCorner(forces, n);
  result.F = -problem.F.head(n);
  result.gamma = -problem.F.tail(forces);
  result.contacts = problem.contacts;
  if (problem.J.block(forces, n, n, forces).transpose() != result.J ||
      !problem.J.topRightCorner(forces, forces).isZero(0.0))
    return {};
  return result;
}

TEST(PublishedProblems, StickAsPublishedWithTheirMasses)
{
  int found = 0;
  for (const std::string& file : files()) {
    const auto problem = with_masses(problem_of(file));
    if (!problem) continue;
    ++found;
    StickingOptions options;
    options.rules.detachment = Detachment::kForbidden;
    options.intervals = options.margins = options.repairs = false;
    EXPECT_EQ(to_string(StickingChecker().check(*problem, options).verdict), published_verdict(file)) << file;
  }
  if (files().empty()) GTEST_SKIP() << "SKIPPED: no published problems";
  EXPECT_GE(found, 2);
}

/// The same problem in other units, other generalised velocities, other tangents and another order.
ContactProblem in_other_words(const ContactProblem& problem, std::mt19937& rng)
{
  std::normal_distribution<double> gauss;
  const auto power = [&](double spread) { return std::exp2(spread * gauss(rng)); };
  ContactProblem other = problem;
  std::vector<std::size_t> order(problem.contacts.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::shuffle(order, rng);
  int row = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    Contact& contact = other.contacts[i] = problem.contacts[order[i]];
    Eigen::MatrixXd rows = problem.J.middleRows(contact.row, contact.rows()) * power(2.0);  // its force in other units
    if (contact.tangents == 2) {
      const double angle = gauss(rng), c = std::cos(angle), s = std::sin(angle);
      rows.middleRows(1, 2) = (Eigen::Matrix2d() << c, s, -s, c).finished() * rows.middleRows(1, 2).eval();
    }
    contact.row = row;
    other.J.middleRows(row, contact.rows()) = rows;
    row += contact.rows();
  }
  for (LoopConstraint& closure : other.loops) {
    other.J.middleRows(row, closure.rows) = problem.J.middleRows(closure.row, closure.rows);
    closure.row = row;
    row += closure.rows;
  }
  Eigen::MatrixXd mixing = Eigen::MatrixXd::Identity(problem.nv(), problem.nv());
  for (Eigen::Index j = 0; j < problem.nv(); ++j) {
    mixing(j, j) = power(3.0);  // degrees of freedom in other units
    const auto k = static_cast<Eigen::Index>(rng() % static_cast<unsigned>(problem.nv()));
    if (k != j) mixing(k, j) = 0.5 * mixing(j, j) * gauss(rng) / static_cast<double>(problem.nv());
  }
  other.J = (other.J * mixing).eval();
  other.F = power(5.0) * (mixing.transpose() * problem.F).eval();
  return other;
}

/// The same by the sparse engine, without help but where the verdict is near, and the vault.
TEST(PublishedProblems, AreDecidedSparselyAsPublished)
{
  const std::vector<std::string> all = files(std::uintmax_t{1} << 30);
  if (all.empty()) GTEST_SKIP() << "SKIPPED: no published problems in " << folder();
  EquilibriumOptions options;
  options.largest_slack = options.structure = options.explain = false;
  int helped = 0;
  for (const std::string& file : all) {
    const ContactProblem problem = problem_of(file, "sparse");
    ASSERT_EQ(problem.is_sparse(), problem.nv() >= ContactProblem::kFewestSparse) << file;
    const EquilibriumResult result = EquilibriumChecker().check(problem, {}, options);
    std::string published = published_verdict(file);
    if (problem.contacts.size() == 1 && problem.nv() == 3) published = verdict_of_single_contact(problem.dense());
    if (published != "near") {
      EXPECT_EQ(to_string(result.verdict), published) << file;
    }
    helped += !result.second_engine.empty();
  }
  EXPECT_LE(helped, 2);
}

TEST_P(PublishedProblem, IsDecidedTheSameInOtherWords)
{
  const ContactProblem problem = problem_of(GetParam());
  if (problem.nv() > 100) GTEST_SKIP() << "SKIPPED: a size that takes long";
  if (published_verdict(GetParam()) == "near") GTEST_SKIP() << "SKIPPED: near the boundary, where words decide";
  const Verdict verdict = decide(problem);
  std::mt19937 rng{11};
  for (int draw = 0; draw < 5; ++draw) EXPECT_EQ(to_string(decide(in_other_words(problem, rng))), to_string(verdict));
}

INSTANTIATE_TEST_SUITE_P(Files, PublishedProblem, ::testing::ValuesIn(files()), [](const auto& test) {
  std::string name = fs::path(test.param).stem().string();
  std::ranges::replace_if(name, [](unsigned char c) { return !std::isalnum(c); }, '_');
  return name;
});

}  // namespace
}  // namespace stiction
