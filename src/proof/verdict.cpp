#include "stiction/verdict.hpp"

namespace stiction {

const char* to_string(Verdict verdict)
{
  switch (verdict) {
    case Verdict::kHolds:
      return "holds";
    case Verdict::kFails:
      return "fails";
    case Verdict::kUndecided:
      break;
  }
  return "undecided";
}

}  // namespace stiction
