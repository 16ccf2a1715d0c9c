#pragma once

#include <string>

#include "io/batch.hpp"

namespace stiction::internal {

/// "[#####-----]  50 %  12000 rows, 3 bad, 41000/s, 0:12 left" with `bar`, the same without the bar otherwise; the last
/// one says what was done. Below 80 columns.
std::string progress_text(const BatchProgress& progress, double seconds, bool bar);

}  // namespace stiction::internal
