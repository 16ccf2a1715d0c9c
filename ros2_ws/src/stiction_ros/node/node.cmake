# The server, a component and an executable around it, and an example of a client; included where rclcpp is found.
find_package(diagnostic_updater REQUIRED)
find_package(rclcpp_components REQUIRED)
find_package(std_msgs REQUIRED)
find_package(tf2_ros REQUIRED)
foreach(package ${messages} std_msgs)
  list(APPEND message_types ${package}::${package}__rosidl_typesupport_cpp)
endforeach()

add_library(stability_server_component SHARED node/stability_server.cpp)
target_compile_options(stability_server_component PRIVATE ${warnings})
target_link_libraries(stability_server_component
  PUBLIC stiction_ros_core ${message_types} rclcpp::rclcpp rclcpp_components::component tf2_ros::tf2_ros
    diagnostic_updater::diagnostic_updater)
rclcpp_components_register_nodes(stability_server_component "stiction_ros::StabilityServer")

add_executable(stability_server node/main.cpp)
target_link_libraries(stability_server PRIVATE stability_server_component)
add_executable(push_box examples/push_box.cpp)
target_link_libraries(push_box PRIVATE rclcpp::rclcpp ${message_types})

install(TARGETS stability_server_component LIBRARY DESTINATION lib)
install(TARGETS stability_server push_box RUNTIME DESTINATION lib/${PROJECT_NAME})
install(PROGRAMS examples/push_box.py DESTINATION lib/${PROJECT_NAME})

if(BUILD_TESTING)
  find_package(ament_cmake_pytest REQUIRED)
  ament_add_pytest_test(bag_check test/bag_check_test.py ENV PYTEST_DISABLE_PLUGIN_AUTOLOAD=1)
  ament_add_pytest_test(client test/client_test.py TIMEOUT 180
    ENV PYTEST_DISABLE_PLUGIN_AUTOLOAD=1)   # needs none, and those of other packages may not fit this pytest
endif()
