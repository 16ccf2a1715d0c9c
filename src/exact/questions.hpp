#pragma once

// judge_<question>_report of every question: what it says of a decided report.
#include "exact/problem.hpp"
#include "stiction/question_list.hpp"

namespace stiction::exact {

#define STICTION_EXACT_JUDGE(Name, name) Refusal judge_##name##_report(const Json& report);
STICTION_QUESTIONS(STICTION_EXACT_JUDGE)
#undef STICTION_EXACT_JUDGE

}  // namespace stiction::exact
