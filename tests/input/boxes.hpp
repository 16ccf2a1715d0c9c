// A box of urdf/box.urdf (1 kg, edges of 0.2 m) on the floor, for several questions.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scene/helpers.hpp"

namespace stiction::testing {

inline constexpr double kG = 9.81, kHalf = 0.1;

/// Four corners on the floor, turned by `yaw` about the vertical.
inline SceneDescription box_on_floor(double mu, double yaw = 0.0)
{
  SceneDescription d = scene_of({model_from_file("box", own_urdf("box.urdf"), Base::kFloating)});
  d.models[0].pose = {{3.0, -2.0, kHalf}, {0.0, 0.0, yaw}};
  ContactDescription floor = contact("floor", "box/box", {kHalf, kHalf, -kHalf}, Eigen::Vector3d::UnitZ(), mu);
  floor.points = {{kHalf, kHalf, -kHalf}, {-kHalf, kHalf, -kHalf}, {-kHalf, -kHalf, -kHalf}, {kHalf, -kHalf, -kHalf}};
  d.contacts = {floor};
  return d;
}

template <class Ask>
std::string error_of(Ask ask)
{
  try {
    ask();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace stiction::testing
