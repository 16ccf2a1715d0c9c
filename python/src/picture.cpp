// Scenes and answers as plain dicts and arrays, for the live view of stiction/view.
#include "types.hpp"

namespace stiction::python {
namespace {

nb::object numbers_of(const Eigen::Vector3d& v) { return owned_array(std::vector<double>{v.x(), v.y(), v.z()}); }

nb::object corners_of(const std::vector<Eigen::Vector3d>& corners)
{
  std::vector<double> values;
  for (const Eigen::Vector3d& corner : corners) values.insert(values.end(), corner.data(), corner.data() + 3);
  return owned_array(std::move(values), {corners.size(), 3});
}

/// (4, 4), row by row.
nb::object matrix_of_pose(const Eigen::Isometry3d& pose)
{
  const Eigen::Matrix<double, 4, 4, Eigen::RowMajor> rows = pose.matrix();
  return owned_array(std::vector<double>(rows.data(), rows.data() + 16), {4, 4});
}

const char* name_of(Picture::Role role)
{
  static constexpr std::array words{"body", "fixed", "obstacle", "ghost"};
  return words[static_cast<std::size_t>(role)];
}

const char* name_of(Picture::Kind kind)
{
  static constexpr std::array words{"force", "beyond", "load",  "push", "impulse",
                                    "blow",  "before", "after", "slip", "motion"};
  return words[static_cast<std::size_t>(kind)];
}

/// A list of dicts.
template <class Items, class Fill>
nb::list dicts_of(const Items& items, Fill fill)
{
  nb::list list;
  for (const auto& item : items) {
    nb::dict entry;
    fill(entry, item);
    list.append(entry);
  }
  return list;
}

void add_bodies(const Picture& picture, nb::dict& result)
{
  result["frames"] = dicts_of(picture.frames, [](nb::dict& d, const Picture::Frame& frame) {
    d["link"] = text_of(frame.link);
    d["role"] = name_of(frame.role);
    d["pose"] = matrix_of_pose(frame.pose);
  });
  result["bars"] = dicts_of(picture.bars, [](nb::dict& d, const Picture::Bar& bar) {
    d["role"] = name_of(bar.role);
    d["from"] = numbers_of(bar.from);
    d["to"] = numbers_of(bar.to);
  });
  result["surfaces"] = dicts_of(picture.surfaces, [](nb::dict& d, const Picture::Surface& surface) {
    d["name"] = text_of(surface.name);
    d["normal"] = numbers_of(surface.normal);
    d["corners"] = corners_of(surface.corners);
  });
  result["masses"] = dicts_of(picture.masses, [](nb::dict& d, const Picture::Mass& mass) {
    d["model"] = text_of(mass.model);
    d["center"] = numbers_of(mass.center);
    d["mass"] = mass.mass;
  });
}

nb::dict dict_of(const Picture& picture)
{
  nb::dict result;
  result["title"] = text_of(picture.title);
  result["headline"] = text_of(picture.headline);
  result["sentence"] = text_of(picture.sentence);
  result["motion"] = text_of(picture.motion);
  result["gravity"] = numbers_of(picture.gravity);
  result["focus"] = corners_of({picture.focus.min(), picture.focus.max()});
  add_bodies(picture, result);
  result["points"] = corners_of(picture.points);
  result["cones"] = dicts_of(picture.cones, [](nb::dict& d, const Picture::Cone& cone) {
    d["name"] = text_of(cone.name);
    d["apex"] = numbers_of(cone.apex);
    d["axis"] = numbers_of(cone.axis);
    d["mu"] = cone.mu;
    d["pulls"] = cone.pulls;
    d["contacts"] = cone.contacts;
  });
  result["arrows"] = dicts_of(picture.arrows, [](nb::dict& d, const Picture::Arrow& arrow) {
    d["kind"] = name_of(arrow.kind);
    d["name"] = text_of(arrow.name);
    d["from"] = numbers_of(arrow.from);
    d["vector"] = numbers_of(arrow.vector);
    d["label"] = text_of(arrow.label);
  });
  result["areas"] = dicts_of(picture.areas, [](nb::dict& d, const Picture::Area& area) {
    d["held"] = area.held;
    d["corners"] = corners_of(area.corners);
  });
  result["remedy"] = text_of(picture.remedy);
  for (const auto& [key, lines] : {std::pair("captions", &picture.captions), std::pair("remedies", &picture.remedies),
                                   std::pair("notes", &picture.notes)}) {
    nb::list texts;
    for (const std::string& line : *lines) texts.append(text_of(line));
    result[key] = texts;
  }
  return result;
}

void describe_model(nb::dict& d, const ModelDescription& model, const SceneDescription& scene)
{
  d["name"] = text_of(model.name);
  d["urdf_file"] = text_of(urdf_file_of(model, scene.package_paths));
  d["urdf_text"] = text_of(model.urdf_text);
  d["floating"] = model.base == Base::kFloating;
  d["placed"] = model.placing.has_value();
  d["xyz"] = numbers_of(model.pose.xyz);
  d["rpy"] = numbers_of(model.pose.rpy);
  nb::dict joints;
  for (const auto& [name, value] : model.joints) joints[text_of(name)] = value;
  d["joints"] = joints;
  d["accelerates"] = !model.accelerations.empty() || !model.multi_accelerations.empty() ||
                     !model.linear_acceleration.isZero(0.0) || !model.angular_acceleration.isZero(0.0);
}

void describe_obstacle(nb::dict& d, const Obstacle& obstacle, const SceneDescription& scene)
{
  d["name"] = text_of(obstacle.name);
  d["plane"] = obstacle.kind == Obstacle::Kind::kPlane;
  d["mesh_file"] = text_of(obstacle.kind == Obstacle::Kind::kMesh
                               ? mesh_file_of(obstacle.mesh_file, "", scene.package_paths, "obstacles")
                               : std::string());
  d["size"] = numbers_of(obstacle.size);
  d["xyz"] = numbers_of(obstacle.pose.xyz);
  d["rpy"] = numbers_of(obstacle.pose.rpy);
  d["mu"] = obstacle.mu;
}

}  // namespace

nb::dict described_scenario(const Scenario& scenario)
{
  const SceneDescription& scene = scenario.scene;
  nb::dict result;
  result["gravity"] = numbers_of(scene.gravity);
  result["package_paths"] = scene.package_paths;
  result["models"] =
      dicts_of(scene.models, [&](nb::dict& d, const ModelDescription& model) { describe_model(d, model, scene); });
  result["obstacles"] =
      dicts_of(scene.obstacles, [&](nb::dict& d, const Obstacle& obstacle) { describe_obstacle(d, obstacle, scene); });
  result["contacts"] = dicts_of(scene.contacts, [](nb::dict& d, const ContactDescription& contact) {
    d["name"] = text_of(contact.name);
    d["mu"] = contact.mu;
    d["mu_of_surface"] = contact.detect && contact.detect->mu_of_surface;
  });
  result["loads"] = dicts_of(scene.loads, [](nb::dict& d, const LoadDescription& load) {
    d["link"] = text_of(load.link);
    d["force"] = numbers_of(load.force);
    d["torque"] = numbers_of(load.torque);
    d["at"] = numbers_of(load.at);
    d["frame"] = load.frame == LoadDescription::Frame::kWorld ? "world" : "link";
  });
  nb::dict ground;
  if (scene.ground) {
    ground["normal"] = numbers_of(scene.ground->normal);
    ground["mu"] = scene.ground->mu;
  }
  result["ground"] = ground;
  return result;
}

void bind_picture(nb::module_& module)
{
  module.def("_mesh_file", mesh_file_of, nb::arg("mesh"), nb::arg("urdf_file"), nb::arg("package_paths"),
             nb::arg("path"));
  nb::class_<Locked<ScenarioChecker>>(module, "_ScenarioChecker")
      .def(nb::init<>())
      .def("check", [](Locked<ScenarioChecker>& checker, const Scenario& scenario) {
        return checker.run([&](ScenarioChecker& c) { return c.check(scenario); });
      });
  nb::class_<Locked<PictureMaker>>(module, "_PictureMaker")
      .def(nb::init<>())
      .def("picture", [](Locked<PictureMaker>& maker, const ScenarioReport& report) {
        return dict_of(maker.run([&](PictureMaker& m) { return m.picture_of(report); }));
      });
}

}  // namespace stiction::python
