// Robots in a state.
#include "scene_handle.hpp"

#include <nanobind/stl/map.h>

namespace stiction::python {
namespace {

using Numbers = std::map<std::string, double>;

SceneState state_of(nb::handle q, nb::handle v, nb::handle a, nb::handle tau)
{
  SceneState state{vector_of(q, "q"), vector_of(v, "v"), vector_of(a, "a"), vector_of(tau, "tau")};
  if (state.v.size() == 0) state.v.setZero(0);
  return state;
}

nb::tuple arrays_of(const SceneState& state)
{
  const auto copied = [](const Eigen::VectorXd& v) { return nb::cast(view(v), nb::rv_policy::copy); };
  return nb::make_tuple(copied(state.q), copied(state.v), copied(state.a), copied(state.effort));
}

ModelDescription& model_named(std::vector<ModelDescription>& models, const std::string& name)
{
  std::string names;
  for (ModelDescription& model : models) {
    if (model.name == name || (name.empty() && models.size() == 1)) return model;
    names += (names.empty() ? "" : ", ") + model.name;
  }
  throw InputError("model", "want one of " + names + ", got '" + name + "'");
}

/// The described state with other joint positions and rates of one model.
SceneState described(SceneHandle& handle, const std::string& model, const Numbers& joints, const Numbers& rates,
                     nb::handle xyz, nb::handle rpy)
{
  std::vector<ModelDescription> models = handle.description.models;
  if (!joints.empty() || !rates.empty() || !xyz.is_none() || !rpy.is_none()) {
    ModelDescription& changed = model_named(models, model);
    for (const auto& [joint, value] : joints) changed.joints[joint] = value;
    for (const auto& [joint, value] : rates) changed.rates[joint] = value;
    if (!xyz.is_none()) changed.pose.xyz = point_of(xyz, "xyz");
    if (!rpy.is_none()) changed.pose.rpy = point_of(rpy, "rpy");
  }
  return handle.scene.run([&](Scene& scene) { return scene.state(models); });
}

nb::object copied_matrix(const Eigen::MatrixXd& matrix) { return nb::cast(view(matrix), nb::rv_policy::copy); }
nb::object copied_vector(const Eigen::VectorXd& vector) { return nb::cast(view(vector), nb::rv_policy::copy); }

}  // namespace

void bind_scene(nb::module_& module)
{
  nb::class_<SceneHandle>(module, "_Scene")
      .def("__init__",
           [](SceneHandle* self, const Scenario& scenario, const std::map<std::string, std::string>& urdf_texts) {
             if (scenario.bare) throw InputError("models", "want a scenario with robots, got a problem file");
             Scenario described = scenario;
             for (ModelDescription& model : described.scene.models)
               if (const auto text = urdf_texts.find(model.name); text != urdf_texts.end()) {
                 model.urdf_file.clear();
                 model.urdf_text = text->second;
               }
             nb::gil_scoped_release released;
             std::vector<Warning> implausible;
             const SceneDescription description = resolved_scenario(described, &implausible).scene;
             Scene loaded(description);
             const ContactProblem problem = loaded.compute();
             for (const Warning& warning : loaded.warnings()) implausible.push_back(warning);
             new (self) SceneHandle(description, std::move(loaded));
             for (const Warning& warning : implausible) self->warnings.push_back(warning.message());
             for (const Contact& contact : problem.contacts) self->contact_names.push_back(contact.name);
           })
      .def_prop_ro("nq", [](SceneHandle& h) { return h.scene.run([](Scene& s) { return s.nq(); }); })
      .def_prop_ro("nv", [](SceneHandle& h) { return h.scene.run([](Scene& s) { return s.nv(); }); })
      .def_ro("contact_names", &SceneHandle::contact_names)
      .def_prop_ro("warnings",
                   [](const SceneHandle& h) {
                     nb::list messages;
                     for (const std::string& message : h.warnings) messages.append(text_of(message));
                     return messages;
                   })
      .def(
          "state",
          [](SceneHandle& h, const std::string& model, const Numbers& joints, const Numbers& rates, nb::handle xyz,
             nb::handle rpy) { return arrays_of(described(h, model, joints, rates, xyz, rpy)); },
          nb::arg("model"), nb::arg("joints"), nb::arg("rates"), nb::arg("xyz").none(), nb::arg("rpy").none())
      .def("problem",
           [](SceneHandle& h, nb::handle q, nb::handle v, nb::handle a, nb::handle tau) {
             const SceneState state = state_of(q, v, a, tau);
             return h.scene.run([&](Scene& s) {
               ContactProblem problem;
               s.compute(state, problem);
               return problem;
             });
           })
      .def("center_of_mass",
           [](SceneHandle& h, nb::handle q, nb::handle v, nb::handle a, nb::handle tau, const std::string& model) {
             const SceneState state = state_of(q, v, a, tau);
             return copied_vector(h.scene.run(
                 [&](Scene& s) { return model.empty() ? s.center_of_mass(state) : s.center_of_mass(state, model); }));
           })
      .def("mass",
           [](SceneHandle& h, const std::string& model) {
             return h.scene.run([&](Scene& s) { return model.empty() ? s.total_mass() : s.total_mass(model); });
           })
      .def("link_pose",
           [](SceneHandle& h, nb::handle q, nb::handle v, nb::handle a, nb::handle tau, const std::string& link) {
             const SceneState state = state_of(q, v, a, tau);
             return copied_matrix(
                 h.scene.run([&](Scene& s) { return Eigen::MatrixXd(s.link_pose(state, link).matrix()); }));
           })
      .def("integrate",
           [](SceneHandle& h, nb::handle q, nb::handle dv) {
             const Eigen::VectorXd from = vector_of(q, "q"), by = vector_of(dv, "dv");
             return copied_vector(h.scene.run([&](Scene& s) {
               if (from.size() != s.nq()) throw InputError("q", "want " + std::to_string(s.nq()) + " numbers");
               if (by.size() != s.nv()) throw InputError("dv", "want " + std::to_string(s.nv()) + " numbers");
               return s.integrate(from, by);
             }));
           })
      .def("region_input",
           [](SceneHandle& h, nb::handle q, nb::handle v, nb::handle a, nb::handle tau, std::string model) {
             const SceneState state = state_of(q, v, a, tau);
             if (model.empty()) model = model_named(h.description.models, model).name;
             return h.scene.run([&](Scene& s) {
               ContactProblem problem;
               s.compute(state, problem);
               return region_input(s, state, problem, model, h.description.loads);
             });
           })
      .def("grasp", [](SceneHandle& h, nb::handle q, nb::handle v, nb::handle a, nb::handle tau, std::string object,
                       nb::handle cone) {
        const SceneState state = state_of(q, v, a, tau);
        if (object.empty()) object = model_named(h.description.models, object).name;
        GraspOptions options;
        options.object = object;
        options.shape = shape_of(cone);
        return h.scene.run([&](Scene& s) {
          ContactProblem problem;
          s.compute(state, problem);
          Grasp grasp;
          grasp_of(s, state, problem, options).build(grasp);
          return grasp;
        });
      });
}

}  // namespace stiction::python
