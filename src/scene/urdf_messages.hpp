#pragma once

#include <urdf_model/model.h>

#include <memory>
#include <string>
#include <vector>

namespace stiction::internal {

/// What urdfdom made of a text. It also gives a model of much that it complained about.
struct UrdfReading {
  std::shared_ptr<urdf::ModelInterface> model;  ///< null: none
  std::vector<std::string> errors;              ///< in urdfdom's words
};

/// urdf::parseURDF that prints nothing, from any number of threads; what other threads log through console_bridge
/// meanwhile reaches the handler they chose.
UrdfReading read_quietly(const std::string& text);

}  // namespace stiction::internal
