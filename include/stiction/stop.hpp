#pragma once

#include <functional>
#include <stdexcept>

namespace stiction {

/// Thrown by work that was asked to stop: there is no answer, not even `undecided`.
class Stopped : public std::runtime_error {
 public:
  Stopped() : std::runtime_error("stopped before there was an answer") {}
};

/// Asked again and again during long work, in its thread: true ends it by Stopped. Empty: nothing stops it.
using StopCheck = std::function<bool()>;

/// @throws Stopped
inline void throw_if_stopped(const StopCheck& stop)
{
  if (stop && stop()) throw Stopped();
}

}  // namespace stiction
