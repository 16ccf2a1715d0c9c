#include "stiction/picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>

#include "draw/contact_surfaces.hpp"
#include "draw/told_motion.hpp"
#include "geometry/outline.hpp"
#include "io/question.hpp"
#include "stiction/error.hpp"

namespace stiction {
namespace internal {
namespace {

using Eigen::Vector3d;

/// A robot scene with what is drawn of it.
struct Stage {
  Scene scene;
  SceneState state;
  SceneOutline outline;

  Stage(Scene loaded, const SceneOutline& known)
      : scene(std::move(loaded)), state(scene.described_state()), outline(known)
  {
  }
  std::vector<Eigen::Isometry3d> poses(const SceneState& at)
  {
    std::vector<Eigen::Isometry3d> result;
    for (const LinkOutline& link : outline.links) result.push_back(scene.link_pose(at, link.name));
    return result;
  }
};

void add_link(const LinkOutline& link, const Eigen::Isometry3d& pose, Picture::Role role, Picture& picture)
{
  picture.frames.push_back({link.name, role, pose});
  for (const Hull& shape : link.shapes) {
    Picture::Solid solid{link.name, role, {}};
    for (const Corner& corner : shape) solid.hull.push_back({pose * corner.center, corner.radius});
    picture.solids.push_back(std::move(solid));
  }
  for (const Vector3d& end : link.ends) picture.bars.push_back({role, pose.translation(), pose * end, link.name});
}

/// Links without shapes have bars to where they touch something.
void add_bars_to_contacts(const ScenarioReport& report, const std::vector<Eigen::Isometry3d>& poses, Stage& stage)
{
  for (std::size_t i = 0; i < report.problem.contacts.size(); ++i) {
    const auto description = static_cast<std::size_t>(stage.scene.contact_origins()[i].description);
    const ContactDescription& contact = report.scenario.scene.contacts[description];
    for (std::size_t k = 0; k < poses.size(); ++k) {
      LinkOutline& link = stage.outline.links[k];
      if (link.shapes.empty() && (link.name == contact.link || link.name == contact.on))
        link.ends.push_back(poses[k].inverse() * report.problem.contacts[i].point_W);
    }
  }
}

void add_bodies(const ScenarioReport& report, Stage& stage, Picture& picture)
{
  const std::vector<Eigen::Isometry3d> poses = stage.poses(stage.state);
  add_bars_to_contacts(report, poses, stage);
  for (std::size_t i = 0; i < poses.size(); ++i)
    add_link(stage.outline.links[i], poses[i],
             stage.outline.links[i].moves ? Picture::Role::kBody : Picture::Role::kFixed, picture);
  for (const auto& [name, hull] : stage.outline.obstacles) {
    Picture::Solid solid{name, Picture::Role::kObstacle, {}};
    for (const Corner& corner : hull) solid.hull.push_back({corner.center, corner.radius});
    picture.solids.push_back(std::move(solid));
  }
  const auto& models = report.scenario.scene.models;
  const bool floating = std::ranges::any_of(models, [](const auto& m) { return m.base == Base::kFloating; });
  for (const ModelDescription& model : models)
    if (const double mass = stage.scene.total_mass(model.name);
        mass > 0.0 && (!floating || model.base == Base::kFloating))
      picture.masses.push_back({model.name, stage.scene.center_of_mass(stage.state, model.name), mass});
  for (const LoopDescription& loop : report.scenario.scene.loops)
    picture.pins.push_back(stage.scene.link_pose(stage.state, loop.link) * loop.at);
  for (const std::string& mesh : stage.outline.unread) picture.notes.push_back("not drawn: " + mesh);
}

/// Numbers that are only rounding of the largest one are zero.
constexpr double kNotDrawn = 1e-9;

/// Three digits, without an exponent up to a million.
std::string number(double value)
{
  if (!(value >= 1e3 && value < 1e6)) return fmt::format("{:.3g}", value);
  const double last = std::pow(10.0, std::floor(std::log10(value)) - 2.0);
  return fmt::format("{:.0f}", last * std::round(value / last));
}

/// "left 8 N, 84 %": name, size and how much of its friction a contact uses.
std::string contact_label(const std::string& name, double size, const char* unit, double utilisation)
{
  std::string label = fmt::format("{} {} {}", name, number(size), unit);
  if (size > 0.0 && std::isfinite(utilisation) && utilisation > 0.0)
    label += utilisation < 0.005 ? ", <1 %" : fmt::format(", {:.0f} %", 100.0 * utilisation);
  return label;
}

/// Contacts that are drawn as one: those of a patch that is small beside the scene and pushes everywhere.
std::vector<std::vector<std::size_t>> groups_of(const ScenarioReport& report, const Scene* scene, double size)
{
  constexpr double kSmallPatch = 0.16, kParallel = 1.0 - 1e-6;  // of the scene's size; cosine of normals of one face
  const std::vector<Contact>& contacts = report.problem.contacts;
  const auto pushes = [&](std::size_t k) {
    return contacts[k].side == Side::kUnilateral && k < report.contacts.size() && report.contacts[k].force_W &&
           report.contacts[k].found.force[0] >= 0.0;
  };
  const auto alike = [&](std::size_t i, std::size_t j) {
    return pushes(i) && pushes(j) && contacts[i].mu == contacts[j].mu &&
           contacts[i].axes_W.col(0).dot(contacts[j].axes_W.col(0)) > kParallel &&
           (contacts[i].point_W - contacts[j].point_W).norm() < kSmallPatch * size;
  };
  std::map<int, std::vector<std::size_t>> patches;
  for (std::size_t i = 0; i < contacts.size(); ++i)
    patches[scene ? scene->contact_origins()[i].description : static_cast<int>(i)].push_back(i);
  std::vector<std::vector<std::size_t>> groups;
  for (const auto& [description, patch] : patches) {
    const auto fits_all = [&](std::size_t i) {
      return std::ranges::all_of(patch, [&](std::size_t j) { return alike(i, j); });
    };
    if (std::ranges::all_of(patch, fits_all))
      groups.push_back(patch);
    else
      for (const std::size_t i : patch) groups.push_back({i});
  }
  return groups;
}

/// Force, place and friction in use of a group: its resultant, where normal forces have none of its moment.
void add_force(const ScenarioReport& report, const std::vector<std::size_t>& group, double largest, Picture& picture)
{
  Vector3d force = Vector3d::Zero(), weighted = Vector3d::Zero();
  double normal = 0.0, utilisation = 0.0;
  bool beyond = false;
  const Vector3d& first = report.problem.contacts[group[0]].point_W;
  for (const std::size_t i : group) {
    const Contact& contact = report.problem.contacts[i];
    const ReportedContact& found = report.contacts[i];
    constexpr double kRoundingOfUtilisation = 1e-9;  // utilisation on the rim is 1 up to that
    beyond |= found.found.utilisation > 1.0 + kRoundingOfUtilisation ||
              (contact.side == Side::kUnilateral && found.found.force[0] < 0.0);
    utilisation = std::max(utilisation, found.found.utilisation);
    force += *found.force_W;
    normal += found.found.force[0];
    weighted += found.found.force[0] * (contact.point_W - first);
  }
  Picture::Cone& cone = picture.cones.back();
  if (group.size() > 1 && normal > 0.0) cone.apex = first + weighted / normal;
  if (force.norm() <= kNotDrawn * largest) force.setZero();
  const std::string points = group.size() > 1 ? fmt::format(" ({} points)", group.size()) : "";
  cone.label.clear();
  picture.arrows.push_back({beyond ? Picture::Kind::kBeyond : Picture::Kind::kForce, cone.name, cone.apex, force,
                            contact_label(cone.name + points, force.norm(), "N", utilisation)});
}

void add_contacts(const ScenarioReport& report, const Scene* scene, double size, Picture& picture)
{
  double largest = 0.0;
  for (const ReportedContact& found : report.contacts)
    if (found.force_W && found.force_W->allFinite()) largest = std::max(largest, found.force_W->norm());
  for (const std::vector<std::size_t>& group : groups_of(report, scene, size)) {
    const Contact& contact = report.problem.contacts[group[0]];
    const std::string name =
        group.size() == 1
            ? contact.name
            : report.scenario.scene.contacts[static_cast<std::size_t>(scene->contact_origins()[group[0]].description)]
                  .name;
    picture.cones.push_back(
        {name, contact.point_W, contact.axes_W.col(0), contact.mu, contact.side == Side::kBilateral, name, group});
    const auto known = [&](std::size_t i) {
      return i < report.contacts.size() && report.contacts[i].force_W && report.contacts[i].force_W->allFinite();
    };
    if (std::ranges::all_of(group, known)) add_force(report, group, largest, picture);
  }
}

void add_slips(const ScenarioReport& report, const SlidingAnswer& answer, Picture& picture)
{
  for (std::size_t i = 0; i < answer.slips.size(); ++i)
    if (const auto& slip = answer.slips[i]) {
      const Contact& contact = report.problem.contacts[i];
      picture.arrows.push_back(
          {Picture::Kind::kSlip, contact.name, contact.point_W, contact.axes_W.rightCols<2>() * *slip, ""});
    }
}

void add_impact(const ImpactAnswer& answer, Picture& picture)
{
  const ImpactSolution* solution = answer.solution();
  const auto& contacts = answer.input.problem.contacts;
  double fastest = 0.0;
  for (std::size_t i = 0; solution && i < contacts.size(); ++i)
    fastest = std::max({fastest, solution->contacts[i].velocity_before.head<3>().norm(),
                        solution->contacts[i].velocity_after.head<3>().norm()});
  for (std::size_t i = 0; solution && i < contacts.size(); ++i) {
    const Contact& contact = contacts[i];
    const ContactImpact& through = solution->contacts[i];
    const Vector3d impulse = contact.axes_W * through.impulse.head<3>();
    picture.cones[i].label.clear();
    picture.arrows.push_back({Picture::Kind::kImpulse, contact.name, contact.point_W, impulse,
                              contact_label(contact.name, impulse.norm(), "N s", through.utilisation)});
    for (const auto& [kind, velocity, when] : {std::tuple(Picture::Kind::kBefore, &through.velocity_before, "before"),
                                               std::tuple(Picture::Kind::kAfter, &through.velocity_after, "after")}) {
      const Vector3d speed = contact.axes_W * velocity->head<3>();
      if (speed.norm() > kNotDrawn * fastest)
        picture.arrows.push_back(
            {kind, contact.name, contact.point_W, speed, fmt::format("{} {} m/s", when, number(speed.norm()))});
    }
  }
}

void add_region(const ScenarioReport& report, const RegionAnswer& answer, Picture& picture)
{
  double low = kInfinity;
  for (const Contact& contact : report.problem.contacts) low = std::min(low, contact.point_W.z());
  if (!std::isfinite(low)) low = 0.0;
  for (const RegionPiece& piece : answer.result.pieces)
    for (const auto& [held, polygon] : {std::pair(false, &piece.outer), std::pair(true, &piece.inner)}) {
      Picture::Area area{held, {}};
      for (const Eigen::Vector2d& corner : *polygon) area.corners.emplace_back(corner.x(), corner.y(), low);
      if (!area.corners.empty()) picture.areas.push_back(std::move(area));
    }
}

/// Forces at points of links, as arrows of a kind; torques as notes.
void add_loads(const std::vector<LoadDescription>& loads, Picture::Kind kind, const char* unit, Stage& stage,
               Picture& picture)
{
  for (const LoadDescription& load : loads) {
    const Eigen::Isometry3d pose = stage.scene.link_pose(stage.state, load.link);
    const bool in_world = load.frame == LoadDescription::Frame::kWorld;
    const Vector3d force = in_world ? load.force : Vector3d(pose.linear() * load.force);
    if (force.norm() > 0.0)
      picture.arrows.push_back(
          {kind, load.link, pose * load.at, force, fmt::format("load {} {}", number(force.norm()), unit)});
    if (load.torque.norm() > 0.0)
      picture.notes.push_back(
          fmt::format("not drawn: a torque of {} {} m on {}", number(load.torque.norm()), unit, load.link));
  }
}

void add_push(const ScenarioReport& report, const EquilibriumAnswer& answer, Stage& stage, Picture& picture)
{
  if (!answer.push || answer.push->kind != PushOption::Direction::kGiven) return;
  for (const ReportedMargin& margin : report.margins)
    if (margin.name == "push" && std::isfinite(margin.value) && margin.value > 0.0)
      picture.arrows.push_back({Picture::Kind::kPush, answer.push->link,
                                stage.scene.link_pose(stage.state, answer.push->link) * answer.push->at,
                                margin.value * answer.push->direction,
                                fmt::format("push up to {} N", number(margin.value))});
}

/// Grows a box by a solid.
void include(const Picture::Solid& solid, Eigen::AlignedBox3d& box)
{
  for (const Picture::Ball& ball : solid.hull) {
    box.extend(ball.center - Vector3d::Constant(ball.radius));
    box.extend(ball.center + Vector3d::Constant(ball.radius));
  }
}

/// What moves, and the contacts; of a grasp only the object.
Eigen::AlignedBox3d focus_of(const ScenarioReport& report, const Picture& picture)
{
  const auto* closure = std::get_if<ClosureAnswer>(&report.answer);
  const std::string only = closure ? closure->object + "/" : "";
  Eigen::AlignedBox3d box;
  for (const Picture::Solid& solid : picture.solids)
    if (solid.role != Picture::Role::kObstacle && solid.name.starts_with(only)) include(solid, box);
  if (only.empty() || box.isEmpty())
    for (const Picture::Bar& bar : picture.bars) box.extend(bar.from), box.extend(bar.to);
  for (const Vector3d& point : picture.points) box.extend(point);
  for (const Picture::Mass& mass : picture.masses)
    if (only.empty() || mass.model + "/" == only) box.extend(mass.center);
  for (const Picture::Area& area : picture.areas)
    for (const Vector3d& corner : area.corners) box.extend(corner);
  if (box.isEmpty()) box.extend(Vector3d::Zero());
  const Vector3d middle = box.center();
  constexpr double kPrecisionOfPlaces = 1e-9;  // of how far from the origin it is: there numbers end
  constexpr double kPoint = 1e-6;              // m: what is smaller has no extent to be drawn
  const double least = std::max(kPrecisionOfPlaces * middle.norm(), kPoint);
  if (box.sizes().maxCoeff() < least) {  // a point
    box.extend(middle + Vector3d::Constant(std::max(50.0 * least, 0.05)));
    box.extend(middle - Vector3d::Constant(std::max(50.0 * least, 0.05)));
  }
  return box;
}

/// How far the points of a drawing go at most between two lists of poses, and which one of each link goes furthest.
struct Travel {
  double furthest = 0.0;
  std::vector<std::pair<Vector3d, Vector3d>> by_link;  ///< from, displacement
};
Travel travel_between(const SceneOutline& outline, const std::vector<Eigen::Isometry3d>& from,
                      const std::vector<Eigen::Isometry3d>& to)
{
  Travel travel;
  for (std::size_t i = 0; i < from.size(); ++i) {
    std::pair<Vector3d, Vector3d> most{from[i].translation(), Vector3d::Zero()};
    const auto consider = [&](const Vector3d& point) {
      const Vector3d way = to[i] * point - from[i] * point;
      if (way.norm() > most.second.norm()) most = {from[i] * point, way};
    };
    for (const Hull& shape : outline.links[i].shapes)
      for (const Corner& corner : shape) {
        consider(corner.center);
        for (int axis = 0; corner.radius > 0.0 && axis < 3; ++axis)  // a ball may turn on the spot
          consider(corner.center + corner.radius * Vector3d::Unit(axis));
      }
    for (const Vector3d& end : outline.links[i].ends) consider(end), consider(Vector3d::Zero());
    travel.furthest = std::max(travel.furthest, most.second.norm());
    travel.by_link.push_back(most);
  }
  return travel;
}

/// Arrows at the points that move most, well apart from each other.
void add_motion_arrows(const SceneOutline& outline, const Travel& travel, double size, Picture& picture)
{
  constexpr std::size_t kMostArrows = 4;
  std::vector<std::size_t> order(travel.by_link.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, [&](std::size_t i, std::size_t j) {
    return travel.by_link[i].second.norm() > travel.by_link[j].second.norm();
  });
  std::vector<Vector3d> taken;
  for (const std::size_t i : order) {
    const auto& [from, way] = travel.by_link[i];
    const auto near = [&](const Vector3d& other) { return (other - from).norm() < 0.3 * size; };
    if (taken.size() == kMostArrows || way.norm() < 0.2 * travel.furthest || std::ranges::any_of(taken, near)) continue;
    taken.push_back(from);
    picture.arrows.push_back({Picture::Kind::kMotion, outline.links[i].name, from, way, ""});
  }
}

/// Ghosts one small step along a motion: so small that nothing goes further than a share of the scene.
void add_motion(const ToldMotion& told, Stage& stage, Picture& picture)
{
  constexpr double kStep = 0.15, kTrial = 1e-3, kUnnoticed = 1e-4;
  if (told.motion.size() != stage.scene.nv() || !told.motion.allFinite()) return;
  const double largest = told.motion.size() > 0 ? told.motion.cwiseAbs().maxCoeff() : 0.0;
  if (!(largest > 0.0)) return;
  const std::vector<Eigen::Isometry3d> from = stage.poses(stage.state);
  const auto poses_after = [&](double step) {
    SceneState state = stage.state;
    state.q = stage.scene.integrate(stage.state.q, step / largest * told.motion);
    return stage.poses(state);
  };
  const double size = picture.focus.sizes().maxCoeff();
  Travel travel = travel_between(stage.outline, from, poses_after(kTrial));
  if (!(travel.furthest > 0.0) || travel.furthest / kTrial * largest < kUnnoticed * told.noticeable) return;
  double step = kTrial * kStep * size / travel.furthest;
  for (int i = 0; i < 3; ++i) {  // turning far is not in proportion
    step = std::min(step, 1.0e3);
    travel = travel_between(stage.outline, from, poses_after(step));
    if (travel.furthest > 0.0) step *= kStep * size / travel.furthest;
  }
  const std::vector<Eigen::Isometry3d> to = poses_after(step);
  travel = travel_between(stage.outline, from, to);
  for (std::size_t i = 0; i < to.size(); ++i)
    if (travel.by_link[i].second.norm() > 0.1 * travel.furthest)
      add_link(stage.outline.links[i], to[i], Picture::Role::kGhost, picture);
  add_motion_arrows(stage.outline, travel, size, picture);
  picture.motion = told.words;
}

/// Of matrices: how contacts move relative to each other.
void add_contact_motion(const ContactProblem& problem, const ToldMotion& told, Picture& picture)
{
  if (told.motion.size() != problem.nv() || !told.motion.allFinite()) return;
  std::vector<Vector3d> ways;
  double longest = 0.0;
  for (const Contact& contact : problem.contacts) {
    Vector3d way = Vector3d::Zero();
    for (int k = 0; k <= contact.tangents; ++k)
      way += problem.J.row(contact.row + k).dot(told.motion) * contact.axes_W.col(k);
    ways.push_back(way);
    longest = std::max(longest, way.norm());
  }
  if (!(longest > 0.0)) return;
  const double scale = 0.15 * picture.focus.sizes().maxCoeff() / longest;
  for (std::size_t i = 0; i < ways.size(); ++i)
    picture.arrows.push_back(
        {Picture::Kind::kMotion, problem.contacts[i].name, problem.contacts[i].point_W, scale * ways[i], ""});
  picture.motion = told.words;
}

void add_words(const ScenarioReport& report, Picture& picture)
{
  constexpr std::size_t kTwoLines = 160;  // letters
  picture.title = report.scenario.name;
  const std::string verdict = to_string(report.verdict);
  picture.verdict = report.verdict;
  picture.sentence = report.summary;
  if (picture.sentence.starts_with(verdict + ": ")) picture.sentence.erase(0, verdict.size() + 2);
  AnswerText text = kind_of(report.scenario.question).text(report);
  picture.headline = headline_of(report.verdict, text);
  picture.captions = std::move(text.captions);
  picture.remedy = text.remedy;
  std::erase_if(text.remedies, [](const std::string& remedy) { return remedy.size() > kTwoLines; });
  picture.remedies = std::move(text.remedies);
}

/// The plane that a scene stays in whether or not it says so.
ScenePlane plane_of_drawing(const SceneDescription& description, const Scene& known)
{
  if (known.plane() != ScenePlane::kNone) return known.plane();
  SceneDescription flat = description;
  flat.plane = ScenePlane::kAuto;
  return Scene(flat, known).plane();
}

void drop_what_is_not_finite(Picture& picture)
{
  std::erase_if(picture.arrows, [](const auto& a) { return !a.from.allFinite() || !a.vector.allFinite(); });
  std::erase_if(picture.cones, [](const auto& c) { return !c.apex.allFinite() || !c.axis.allFinite(); });
  std::erase_if(picture.masses, [](const auto& m) { return !m.center.allFinite(); });
}

}  // namespace

/// What an outline depends on.
struct Looks {
  explicit Looks(const SceneDescription& scene) : package_paths(scene.package_paths), obstacles(scene.obstacles)
  {
    for (const ModelDescription& model : scene.models)
      models.push_back({model.name, model.urdf_file, model.urdf_text, model.base});
  }
  struct Model {
    std::string name, urdf_file, urdf_text;
    Base base;
    bool operator==(const Model&) const = default;
  };
  std::vector<Model> models;
  std::vector<std::string> package_paths;
  std::vector<Obstacle> obstacles;
  bool operator==(const Looks&) const = default;
};

}  // namespace internal

struct PictureMaker::Impl {
  struct Loaded {
    explicit Loaded(const SceneDescription& description)
        : looks(description), scene(description), outline(internal::outline_of(description))
    {
    }
    internal::Looks looks;
    Scene scene;
    internal::SceneOutline outline;
  };
  std::optional<Loaded> loaded;

  internal::Stage stage(const SceneDescription& description)
  {
    if (loaded && loaded->looks == internal::Looks(description))
      return {Scene(description, loaded->scene), loaded->outline};
    loaded.reset();  // stays empty when loading fails
    loaded.emplace(description);
    return {loaded->scene, loaded->outline};
  }
};

PictureMaker::PictureMaker() : impl_(std::make_unique<Impl>()) {}
PictureMaker::~PictureMaker() = default;
PictureMaker::PictureMaker(PictureMaker&&) noexcept = default;
PictureMaker& PictureMaker::operator=(PictureMaker&&) noexcept = default;

Picture picture_of(const ScenarioReport& report) { return PictureMaker().picture_of(report); }

Picture PictureMaker::picture_of(const ScenarioReport& report)
{
  using namespace internal;
  Picture picture;
  add_words(report, picture);
  std::optional<Stage> stage;
  if (!report.scenario.bare) {
    stage.emplace(impl_->stage(report.scenario.scene));
    picture.gravity = report.scenario.scene.gravity;
    picture.plane = plane_of_drawing(report.scenario.scene, stage->scene);
    add_bodies(report, *stage, picture);
  } else {
    picture.notes.push_back("a problem file has contacts, but no bodies to draw");
  }
  for (const Contact& contact : report.problem.contacts)
    if (contact.point_W.allFinite()) picture.points.push_back(contact.point_W);
  if (const auto* region = std::get_if<RegionAnswer>(&report.answer)) add_region(report, *region, picture);
  picture.focus = focus_of(report, picture);
  add_contacts(report, stage ? &stage->scene : nullptr, picture.focus.sizes().maxCoeff(), picture);
  if (const auto* sliding = std::get_if<SlidingAnswer>(&report.answer)) add_slips(report, *sliding, picture);
  if (const auto* impact = std::get_if<ImpactAnswer>(&report.answer)) add_impact(*impact, picture);
  if (stage) {
    add_loads(report.scenario.scene.loads, Picture::Kind::kLoad, "N", *stage, picture);
    add_loads(report.scenario.impulses, Picture::Kind::kBlow, "N s", *stage, picture);
    if (const auto* asked = std::get_if<EquilibriumAnswer>(&report.answer)) add_push(report, *asked, *stage, picture);
  }
  drop_what_is_not_finite(picture);
  if (stage) add_surfaces(report.scenario.scene, stage->scene.contact_origins(), report.problem, picture);
  const ToldMotion told = told_motion(report, stage ? stage->state.v : report.scenario.bare->v);
  if (stage)
    add_motion(told, *stage, picture);
  else
    add_contact_motion(report.problem, told, picture);
  return picture;
}

}  // namespace stiction
