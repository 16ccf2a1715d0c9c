#pragma once

#include "stiction/engine.hpp"

namespace stiction::internal {

/// engine.decide() for one of a sequence of programs that differ in e only. The native engine starts from its last answer when the
/// program is really that of the call before with another e, which it checks; answers then depend on the sequence.
void decide_again(Engine& engine, const ConeProgram& program, ConeAnswer& answer);

}  // namespace stiction::internal
