#pragma once

namespace stiction {

/// Three-valued; the default claims nothing. "holds": a solution in which every contact sticks exists. "fails": none
/// does.
enum class Verdict { kUndecided, kHolds, kFails };

/// "holds", "fails", "undecided"
const char* to_string(Verdict verdict);

}  // namespace stiction
