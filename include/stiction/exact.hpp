#pragma once

#include <string>

namespace stiction {

struct ExactJudgement {
  bool valid = false;
  std::string message;  ///< what is proved, or why not
};

/// Judges the certificate of a report, of any question, in rational arithmetic, with code that shares nothing with the
/// judges of stiction/proof.hpp (docs/verify.md). What the report says beside its verdict is not looked at: `report`
/// must be one that verify_report accepts, which is also what checks its keys and sizes.
ExactJudgement judge_exactly(const std::string& report);

}  // namespace stiction
