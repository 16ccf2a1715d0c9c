// A URDF ends in a robot whose numbers are finite, or in an InputError.
#include <cstdint>
#include <cstdlib>

#include "stiction/error.hpp"
#include "stiction/scene.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    stiction::inspect_urdf_text(text);
    stiction::SceneDescription description;
    description.models.emplace_back();
    description.models[0].name = "robot";
    description.models[0].urdf_text = text;
    stiction::Scene scene(description);
    const stiction::ContactProblem problem = scene.compute();
    if (!problem.M.allFinite() || !problem.F.allFinite()) std::abort();
  } catch (const stiction::InputError&) {
  }
  return 0;
}
