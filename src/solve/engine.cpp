#include "stiction/engine.hpp"

#include <string>

#include "stiction/error.hpp"

namespace stiction {

std::unique_ptr<Engine> Engine::second_opinion() const { return make_native_engine(); }

std::unique_ptr<Engine> make_engine(std::string_view name)
{
  if (name == "native" || name == "auto") return make_native_engine();
  if (name == "sparse") return make_sparse_engine();
  if (name == "qpoases") return make_qpoases_engine();
  throw InputError("options.solver", "want auto, native, sparse or qpoases, got '" + std::string(name) + "'");
}

std::unique_ptr<Engine> stopping_with(const Engine& first, std::unique_ptr<Engine> other)
{
  other->set_stop(first.stop_check());
  return other;
}

}  // namespace stiction
