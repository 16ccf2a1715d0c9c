// The question closure: can the contacts hold an object against everything? (docs/closure.md)
#pragma once

#include <array>

#include "io/question.hpp"

namespace stiction::internal {

inline constexpr std::pair<const char*, GraspPlane> kPlanes[] = {
    {"", GraspPlane::kNone}, {"xy", GraspPlane::kXY}, {"yz", GraspPlane::kYZ}, {"zx", GraspPlane::kZX}};

struct NamedClosure {
  const char* name;
  ClosureKind kind;
  ClosureVerdict ClosureResult::*found;
};
inline constexpr std::array<NamedClosure, 3> kClosures = {
    {{"form_closure", ClosureKind::kForm, &ClosureResult::form_closure},
     {"frictional_form_closure", ClosureKind::kFrictionalForm, &ClosureResult::frictional_form_closure},
     {"force_closure", ClosureKind::kForce, &ClosureResult::force_closure}}};

/// Contacts with the forces that resist the wrench, and the efforts of the hand.
std::vector<ReportedContact> resisting_contacts(const GraspInput& input, const Eigen::VectorXd& forces, bool unique);
std::vector<ReportedEffort> resisting_efforts(const GraspInput& input, const Eigen::VectorXd& efforts);

Json closure_asked(const ScenarioReport& report);
void write_closure(const ScenarioReport& report, Json& json);
AnswerText closure_text(const ScenarioReport& report);
Judgement judge_closure_report(const Field& report);

std::string summary_of(const ClosureAnswer& answer);
std::string closure_words(Verdict verdict, bool hand, const std::string& object, const std::string& explanation);

/// One sentence about a closure that was found, or why it was not.
inline const std::string& words_of(const ClosureVerdict& found)
{
  return found.verdict == Verdict::kUndecided ? found.reason : found.explanation;
}

}  // namespace stiction::internal
