#include <gtest/gtest.h>

#include "stiction/scene.hpp"

namespace stiction {
TEST(Smoke, Block)
{
  SceneDescription d;
  ModelDescription m;
  m.name = "b";
  m.urdf_text = "<robot name='b'><link name='l'><inertial><mass value='2'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial></link></robot>";
  d.models.push_back(m);
  ContactDescription c;
  c.name = "c"; c.link = "b/l"; c.points = {{1, 0, 0}}; c.mu = 0.5;
  d.contacts.push_back(c);
  Scene s(d);
  auto p = s.compute();
  p.validate();
  EXPECT_NEAR(p.F(2), 2 * 9.81, 1e-12);
}
}
