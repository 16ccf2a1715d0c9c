// Asks a running server whether the box on the floor holds when it is pushed; see docs/ros2.md.
#include <cstdio>
#include <rclcpp/rclcpp.hpp>
#include <stiction_msgs/srv/check.hpp>

using stiction_msgs::srv::Check;

int main(int argc, char** argv)
{
  rclcpp::init(argc, argv);
  const auto node = rclcpp::Node::make_shared("push_box");
  const auto client = node->create_client<Check>("/stability_server/check");
  client->wait_for_service();

  stiction_msgs::msg::Contact floor;
  floor.name = "floor";
  floor.link = "box";
  floor.mu = 0.6;
  floor.normal.z = 1.0;
  for (const double x : {0.1, -0.1})
    for (const double y : {0.1, -0.1}) {
      geometry_msgs::msg::Point corner;
      corner.x = x;
      corner.y = y;
      corner.z = -0.1;
      floor.points.push_back(corner);
    }
  for (const double push : {4.0, 8.0}) {  // friction can carry 0.6 * 9.81 N
    const auto request = std::make_shared<Check::Request>();
    request->scenario.contacts = {floor};
    request->scenario.loads.resize(1);
    request->scenario.loads[0].link = "box";
    request->scenario.loads[0].force.x = push;
    auto future = client->async_send_request(request);
    rclcpp::spin_until_future_complete(node, future);
    const auto response = future.get();
    if (response->error.code != stiction_msgs::msg::Error::NONE)
      std::printf("%g N: error: %s\n", push, response->error.message.c_str());
    else
      std::printf("%g N: %s\n", push, response->result.summary.c_str());
  }
  rclcpp::shutdown();
}
