// What a ROS 2 request becomes: a scenario that no file reader has looked at. It ends in a report that `verify`
// accepts, or in an InputError, and the next request is answered as if it had been the first.
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "stiction/error.hpp"
#include "stiction/report.hpp"

namespace {

using namespace stiction;

/// The input, piece by piece; zeros when it is used up.
class Bytes {
 public:
  Bytes(const std::uint8_t* data, std::size_t size) : data_(data), left_(size) {}

  bool more() const { return left_ > 0; }
  std::size_t below(std::size_t n) { return n == 0 ? 0 : take<std::uint8_t>() % n; }
  /// Of ordinary size, as a robot has them, or any bits.
  double number()
  {
    const auto kind = take<std::uint8_t>();
    if (kind < 100) return (kind - 50) / 16.0;
    if (kind < 200) return take<std::int16_t>() * 1e-3;
    return take<double>();
  }
  Eigen::Vector3d vector()
  {
    const double x = number(), y = number();
    return {x, y, number()};
  }
  std::string name()
  {
    static const char* const kNames[] = {"left/0", "robot", "robot/torso", "world", "left_knee", "native", "xy", ""};
    const auto kind = take<std::uint8_t>();
    if (kind < 200) return kNames[kind % std::size(kNames)];
    std::string text(kind - 200, '\0');
    for (char& c : text) c = take<char>();
    return text;
  }

 private:
  template <class T>
  T take()
  {
    T value{};
    const std::size_t count = std::min(sizeof(T), left_);
    std::memcpy(&value, data_, count);
    data_ += count;
    left_ -= count;
    return value;
  }

  const std::uint8_t* data_;
  std::size_t left_;
};

void change_model(ModelDescription& model, Bytes& bytes)
{
  switch (bytes.below(9)) {
    case 0:
      model.name = bytes.name();
      break;
    case 1:
      model.base = bytes.below(2) ? Base::kFixed : Base::kFloating;
      break;
    case 2:
      model.pose.xyz = bytes.vector();
      break;
    case 3:
      model.pose.rpy = bytes.vector();
      break;
    case 4:
      model.joints[bytes.name()] = bytes.number();
      break;
    case 5:
      model.rates[bytes.name()] = bytes.number();
      break;
    case 6:
      model.angular_velocity = bytes.vector();
      break;
    case 7:
      model.effort.kind = static_cast<Effort::Kind>(bytes.below(4));
      break;
    default:
      model.effort.given[bytes.name()] = bytes.number();
  }
}

void change_contact(ContactDescription& contact, ContactMotion& motion, Bytes& bytes)
{
  switch (bytes.below(13)) {
    case 0:
      contact.name = bytes.name();
      break;
    case 1:
      contact.link = bytes.name();
      break;
    case 2:
      contact.on = bytes.name();
      break;
    case 3:
      contact.points.resize(bytes.below(20), bytes.vector());
      break;
    case 4:
      contact.normal = bytes.below(2) ? bytes.vector() : Eigen::Vector3d(bytes.vector().normalized());
      break;
    case 5:
      contact.mu = bytes.number();
      break;
    case 6:
      contact.torsion = bytes.number();
      break;
    case 7:
      contact.max_normal = bytes.number();
      break;
    case 8:
      contact.side = bytes.below(2) ? Side::kBilateral : Side::kUnilateral;
      break;
    case 9:
      contact.normal_frame = static_cast<ContactFrame>(bytes.below(3));
      break;
    case 10:
      motion.slides = bytes.vector();
      break;
    case 11:
      motion.restitution_normal = bytes.number();
      break;
    default:
      motion.mu_second = bytes.number();
  }
}

void change_options(ScenarioOptions& options, Bytes& bytes)
{
  switch (bytes.below(10)) {
    case 0:
      options.cone = ConeShape::inner(static_cast<int>(bytes.below(40)) - 4);
      break;
    case 1:
      options.cone = ConeShape::outer(static_cast<int>(bytes.below(40)) - 4);
      break;
    case 2:
      options.solver = bytes.below(2) ? "qpoases" : bytes.name();
      break;
    case 3:
      options.object = bytes.name();
      break;
    case 4:
      options.gap = bytes.number();
      break;
    case 5:
      options.box = bytes.number();
      break;
    case 6:
      options.length = bytes.number();
      break;
    case 7:
      options.point = bytes.vector();
      break;
    case 8:
      options.noise = NoiseOption{bytes.number(), bytes.number(), static_cast<int>(bytes.below(50)), 1};
      break;
    default:
      options.modes = static_cast<int>(bytes.below(200)) - 1;
  }
}

void change(Scenario& scenario, Bytes& bytes)
{
  SceneDescription& scene = scenario.scene;
  switch (bytes.below(8)) {
    case 0:
      scenario.name = bytes.name();
      break;
    case 1:
      scene.gravity = bytes.vector();
      break;
    case 2:
      scenario.question = static_cast<Question>(bytes.below(7));
      break;
    case 3:
      scene.loads.push_back({bytes.name(), bytes.vector(), bytes.vector(), bytes.vector()});
      break;
    case 4:
      scenario.contact_motions.resize(bytes.below(6));
      break;
    case 5:
      change_options(scenario.options, bytes);
      break;
    case 6:
      change_model(scene.models[bytes.below(scene.models.size())], bytes);
      break;
    default: {
      const std::size_t i = bytes.below(scene.contacts.size());
      if (i < scenario.contact_motions.size()) change_contact(scene.contacts[i], scenario.contact_motions[i], bytes);
    }
  }
}

const Scenario& good()
{
  static const Scenario scenario = read_scenario_file(STICTION_SOURCE_DIR "/scenarios/biped_standing.yaml");
  return scenario;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
  static ScenarioChecker checker;
  static const std::string wanted = checker.check_numbers(good()).summary;
  Scenario scenario = good();
  for (Bytes bytes(data, size); bytes.more();) change(scenario, bytes);
  try {
    const ScenarioReport report = checker.check(scenario);
    if (report.verdict != Verdict::kUndecided && !verify_report(to_json(report), "report").valid) std::abort();
  } catch (const InputError&) {
  }
  if (checker.check_numbers(good()).summary != wanted) std::abort();
  return 0;
}
