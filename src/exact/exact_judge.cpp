// Judges reports again in rational arithmetic: inequalities have no tolerance but that of the data which the pages of
// docs/proofs state. Written from these pages alone; it shares no code with the judges, so that a mistake would have to
// be made twice.
#include "stiction/exact.hpp"

#include <exception>
#include <map>

#include "exact/equilibrium.hpp"
#include "exact/questions.hpp"

namespace stiction {

namespace exact {
namespace {

/// Both questions about forces in the cones: with accelerations to be found, or (EQ) with prescribed ones.
Refusal judge_forces(const Json& report, bool sticking)
{
  const Json& certificate = report.at("certificate");
  const std::string kind = certificate.at("kind").get<std::string>(), verdict = report.at("verdict").get<std::string>();
  if ((verdict == "holds") != (kind == "forces")) return "a certificate of " + kind + " does not prove " + verdict;
  Problem p = read_problem(certificate);
  if (const Json& rules = certificate.at("rules"); !sticking && rules.contains("tolerance"))
    p.backward = std::max(kRounding, number(rules.at("tolerance")));
  if (p.backward > power_of_two(-7)) return "the tolerance of the data is beyond a hundredth";
  const bool free = sticking && certificate.at("rules").at("detachment").get<std::string>() == "free";
  if (free != (kind == "modes") && !(free && kind == "forces"))
    return "a certificate of " + kind + " does not fit the rules of detachment";
  if (p.cone.kind == (kind == "forces" ? Cone::kOuter : Cone::kInner) && kind != "modes")
    return "facets on that side of the friction cones do not prove " + verdict;
  if (free) return judge_free(p, certificate);
  return sticking ? judge_sticking(p, certificate) : judge_equilibrium(p, certificate);
}

}  // namespace

Refusal judge_all_sticking_report(const Json& report) { return judge_forces(report, true); }
Refusal judge_equilibrium_report(const Json& report) { return judge_forces(report, false); }

}  // namespace exact

ExactJudgement judge_exactly(const std::string& report_text)
{
  using namespace exact;
  using Judge = Refusal (*)(const Json& report);
  static const std::map<std::string, Judge> judges = {
#define STICTION_EXACT_JUDGE(Name, name) {#name, judge_##name##_report},
      STICTION_QUESTIONS(STICTION_EXACT_JUDGE)
#undef STICTION_EXACT_JUDGE
  };
  try {
    const Json report = Json::parse(report_text);
    const std::string question = report.at("question").get<std::string>(),
                      verdict = report.at("verdict").get<std::string>();
    if (verdict == "undecided") return {false, "the report is undecided: it claims nothing"};
    const auto judge = judges.find(question);
    if (judge == judges.end()) return {false, "there is no question " + question};
    const Refusal refusal = judge->second(report);
    if (!refusal.empty()) return {false, refusal};
    const std::string kind = report.at("certificate").at("kind").get<std::string>();
    return {true, "proved in rational arithmetic: " + verdict + ", by " + kind};
  } catch (const std::exception& error) {  // keys or sizes that verify would have refused
    return {false, std::string("the certificate is not one: ") + error.what()};
  }
}

}  // namespace stiction
