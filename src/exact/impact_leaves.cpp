// docs/proofs/impact.md: leaves, each of which speaks of all solutions in some modes, and the cover of all modes.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "exact/impact.hpp"
#include "exact/program.hpp"

namespace stiction::exact {
namespace {

const Q kBitsAndRim = power_of_two(-52) + power_of_two(-50);
const Q kWiderSpeed = power_of_two(-50);            // of the two ends' shares in a sector little wider than a quadrant
constexpr double kQuadrant = std::numbers::pi / 2;  // as a double: where sectors of slip meet

/// How a contact behaves in a leaf.
struct Mode {
  std::string normal = "any", tangential = "any", spin = "any";
  double from = 0, to = 0;  // angles of slip
};

Mode read_mode(const Json& from)
{
  Mode mode;
  mode.normal = from.value("normal", mode.normal);
  mode.tangential = from.value("tangential", mode.tangential);
  mode.spin = from.value("spin", mode.spin);
  if (mode.tangential == "slip") {
    mode.from = from.at("angles").at(0).get<double>();
    mode.to = from.at("angles").at(1).get<double>();
  }
  return mode;
}

/// Contacts of this kind have such a mode.
bool possible(const Impact& impact, std::size_t i, const Mode& mode)
{
  const Contact& c = impact.p.contacts[i];
  if (mode.normal == (c.bilateral ? "open" : "pulls")) return false;
  if ((mode.tangential != "any" && !impact.rubs(i)) || (mode.spin != "any" && !impact.twists(i))) return false;
  if (mode.normal == "any" && (mode.tangential != "any" || mode.spin != "any")) return false;
  if (mode.tangential != "slip") return true;
  if (c.tangents == 1) return mode.from == mode.to && (mode.from == 0 || mode.from == std::numbers::pi);
  constexpr double kWider = 1e-9, kRound = 10.0;
  return mode.from <= mode.to && mode.to - mode.from <= kQuadrant + kWider && std::abs(mode.from) < kRound;
}

/// Parts that a mode falls into; none where nothing is left to tell apart.
std::vector<Mode> parts_of(const Impact& impact, std::size_t i, const Mode& mode)
{
  std::vector<Mode> parts;
  const auto add = [&](const auto& change) {
    parts.push_back(mode);
    change(parts.back());
  };
  const auto slip = [&](double from, double to) {
    add([&](Mode& m) { m.tangential = "slip", m.from = from, m.to = to; });
  };
  const Contact& c = impact.p.contacts[i];
  if (mode.normal == "open" || (c.bilateral && !impact.rubs(i) && !impact.twists(i))) return parts;
  if (mode.normal == "any") {
    for (const char* normal : {"pushes", c.bilateral ? "pulls" : "open"}) add([&](Mode& m) { m.normal = normal; });
  } else if (impact.rubs(i) && mode.tangential == "any") {
    add([](Mode& m) { m.tangential = "stick"; });
    for (int k = 0; k < 4; ++k)
      if (c.tangents == 2)
        slip(k * kQuadrant, k * kQuadrant + kQuadrant);
      else if (k % 2 == 0)
        slip(k * kQuadrant, k * kQuadrant);
  } else if (impact.twists(i) && mode.spin == "any") {
    for (const char* spin : {"stick", "positive", "negative"}) add([&](Mode& m) { m.spin = spin; });
  } else if (mode.tangential == "slip" && mode.from < mode.to) {
    const double middle = 0.5 * (mode.from + mode.to);
    if (!(mode.from < middle && middle < mode.to)) return parts;
    slip(mode.from, middle);
    slip(middle, mode.to);
  }
  return parts;
}

bool includes(const Mode& wide, const Mode& narrow)
{
  const auto within = [](const std::string& one, const std::string& other) { return one == "any" || one == other; };
  return within(wide.normal, narrow.normal) && within(wide.spin, narrow.spin) &&
         within(wide.tangential, narrow.tangential) &&
         (wide.tangential != "slip" || (wide.from <= narrow.from && narrow.to <= wide.to));
}

/// Every solution with these modes is in one of the leaves.
bool covered(const Impact& impact, const std::vector<std::vector<Mode>>& leaves, std::vector<Mode> modes)
{
  if (leaves.empty()) return false;
  const auto open = std::ranges::mismatch(leaves[0], modes, includes).in1;
  if (open == leaves[0].end()) return true;
  const auto i = static_cast<std::size_t>(open - leaves[0].begin());
  const std::vector<Mode> parts = parts_of(impact, i, modes[i]);
  return !parts.empty() && std::ranges::all_of(parts, [&](const Mode& part) {
    std::vector<std::vector<Mode>> near;
    for (const std::vector<Mode>& leaf : leaves)
      if (includes(leaf[i], part) || includes(part, leaf[i])) near.push_back(leaf);
    modes[i] = part;
    return covered(impact, near, modes);
  });
}

Direction slip_direction(double angle)
{
  for (int k = 0; k <= 4; ++k)
    if (angle == k * kQuadrant) return {k % 2 == 0 ? 1 - k % 4 : 0, k % 2 == 1 ? 2 - k : 0};
  return direction(Q(angle));
}

/// Friction that slips or torsion that spins: it takes the power rate |normal impulse| |xi|, the first being
/// pressing'x, the second at least speed'x.
struct Loss {
  Q rate;
  Vector pressing, speed;  // per unknown (of a cone: its first one)
};

/// The program of a leaf, and with `gains` the row that says W > 0.
class LeafProgram {
 public:
  LeafProgram(const Impact& impact, const std::vector<Mode>& modes) : impact_(impact), p_(impact.p), caps_(p_.m, 0)
  {
    for (std::size_t i = 0; i < modes.size(); ++i) keep_rows(i, modes[i]);
    p_.every_loop_row([&](std::size_t r) { rows_.push_back({r, 0}); });
    for (std::size_t j = 0; j < p_.n; ++j) {
      Vector entries = column(p_.M, j);
      for (const Row& row : rows_) entries.push_back(p_.J[row.of_J][j]);
      add({Unknown::kFree, {entries}, kReach * impact.high.motion[j]});
      program.e.push_back(0);
      program.room.push_back(kSolve * impact.high.load[j]);
    }
    for (const Row& row : rows_) {
      program.e.push_back(-(1 + impact.restitution[row.of_J]) * impact.row_before[row.of_J]);
      program.room.push_back(kSolve * impact.high.row[row.of_J] + row.more);
    }
    std::size_t row = 0;
    for (std::size_t i = 0; i < modes.size(); ++i) add_contact(i, modes[i], row);
    p_.every_loop_row([&](std::size_t r) {
      caps_[r] = kReach * impact.high.force[r];
      add_impulse(Unknown::kFree, {{{r, 1}}}, caps_[r]);
    });
    for (Loss& loss : losses)
      for (Vector* of_unknowns : {&loss.pressing, &loss.speed}) of_unknowns->resize(program.unknowns.size(), 0);
  }

  /// The last row: the half of (1 - eps) Lambda'gamma-, less what slipping above the floors takes, is >= -w.
  void say_that_it_gains(const Vector& least_impulse, const Vector& least_speed)
  {
    Q least_loss = 0, most = 0;
    Vector rate(p_.m);
    for (std::size_t r = 0; r < p_.m; ++r) {
      rate[r] = (1 - impact_.restitution[r]) * impact_.row_before[r] / 2;
      most += abs(rate[r]) * caps_[r];
    }
    for (std::size_t k = 0; k < losses.size() && !least_impulse.empty(); ++k)
      least_loss += losses[k].rate * least_impulse[k] * least_speed[k] / 2;
    for (std::size_t u = 0; u < program.unknowns.size(); ++u) {
      Unknown& x = program.unknowns[u];
      for (std::size_t k = 0; k < x.columns.size(); ++k) {
        Q entry = 0;
        for (const auto& [r, share] : impulses_[u][k]) entry += rate[r] * share;
        for (std::size_t l = 0; l < losses.size() && k == 0 && !least_impulse.empty(); ++l)
          entry -=
              losses[l].rate * (least_impulse[l] * losses[l].speed[u] + least_speed[l] * losses[l].pressing[u]) / 2;
        x.columns[k].push_back(entry);
        if (!x.blur.empty()) x.blur[k].push_back(0);
      }
    }
    program.e.push_back(-least_loss);
    program.room.push_back(doubt());
    Vector slack(program.e.size(), 0);
    slack.back() = -1;
    add({Unknown::kPositive, {slack}, most + least_loss + doubt()});
  }

  /// One row more: quantity'x <= limit.
  static Program below(Program program, const Vector& quantity, const Q& limit)
  {
    for (std::size_t u = 0; u < program.unknowns.size(); ++u)
      for (std::size_t k = 0; k < program.unknowns[u].columns.size(); ++k) {
        program.unknowns[u].columns[k].push_back(k == 0 && u < quantity.size() ? quantity[u] : Q(0));
        if (!program.unknowns[u].blur.empty()) program.unknowns[u].blur[k].push_back(0);
      }
    program.e.push_back(limit);
    program.room.push_back(0);
    Vector slack(program.e.size(), 0);
    slack.back() = 1;
    program.unknowns.push_back({Unknown::kPositive, {slack}, limit});
    return program;
  }

  Program program;
  std::vector<Loss> losses;

 private:
  struct Row {
    std::size_t of_J;
    Q more;  // what rounded directions add to its tolerance
  };
  using Shares = std::vector<std::pair<std::size_t, Q>>;  // row of J, impulse there per unit of the unknown

  void add(Unknown x)
  {
    impulses_.emplace_back(x.columns.size());
    program.unknowns.push_back(std::move(x));
  }

  /// Largest |xi^| of a row.
  Q fastest(std::size_t r) const { return (kReach + 4) * impact_.high.row[r]; }
  Q fastest_slip(std::size_t i) const
  {
    const std::size_t r = impact_.p.contacts[i].row + 1;
    const Q along = fastest(r), across = impact_.stretch(i, 1) * fastest(r + 1);
    return root_up(along * along + across * across);
  }

  void keep_rows(std::size_t i, const Mode& mode)
  {
    const Contact& c = p_.contacts[i];
    rows_.push_back({c.row, 0});
    if (mode.tangential != "any")
      for (std::size_t k = 0; k < c.tangents; ++k)
        rows_.push_back({c.row + 1 + k, mode.tangential == "slip" && c.tangents == 2
                                            ? Q(4 * kTrigonometric * fastest_slip(i) / impact_.stretch(i, k))
                                            : Q(0)});
    if (mode.spin != "any") rows_.push_back({c.last(), 0});
  }

  /// How far W may exceed what the laws say.
  Q doubt() const
  {
    Q sum = 0;
    for (std::size_t j = 0; j < p_.n; ++j)
      sum += (kSolve * impact_.high.load[j] + kBitsAndRim * sizes(column(p_.J, j), caps_)) * (kReach + 2) *
             impact_.high.motion[j] / 2;
    return sum + kSolve * times(caps_, impact_.high.row) / 2;
  }

  /// Unknowns whose impulses are these shares of them.
  void add_impulse(Unknown::Kind kind, const std::vector<Shares>& shares, const Q& most)
  {
    Unknown x{kind, {}, most};
    for (const Shares& each : shares) {
      Vector entries(program.e.size(), 0), blur = entries;
      for (const auto& [r, share] : each)
        for (std::size_t j = 0; j < p_.n; ++j) {
          entries[j] -= share * p_.J[r][j];
          blur[j] += kBitsAndRim * abs(share * p_.J[r][j]);
        }
      x.columns.push_back(entries);
      x.blur.push_back(blur);
    }
    add(std::move(x));
    impulses_.back() = shares;
  }

  /// xi of these rows of the program is along this direction, at most that fast.
  void add_slip(const std::vector<std::pair<std::size_t, Q>>& along, const Q& most)
  {
    Vector entries(program.e.size(), 0);
    for (const auto& [row, share] : along) entries[p_.n + row] -= share;
    add({Unknown::kPositive, {entries}, most});
  }

  /// `row`: the next one of rows_ that belongs to the contact.
  void add_contact(std::size_t i, const Mode& mode, std::size_t& row)
  {
    const Contact& c = p_.contacts[i];
    const std::size_t normal = row++;
    if (mode.normal == "open") return add_slip({{normal, 1}}, fastest(c.row));
    caps_[c.row] = kReach * impact_.most_normal(i, impact_.high).value_or(0);
    for (std::size_t k = 0; k < c.tangents && impact_.rubs(i); ++k)
      caps_[c.row + 1 + k] = c.mu * impact_.stretch(i, k) * caps_[c.row];
    if (impact_.twists(i)) caps_[c.last()] = c.torsion * caps_[c.row];
    if (mode.normal == "any" && c.bilateral) {  // a double cone: any impulse
      for (std::size_t r = c.row; r < c.end(); ++r)
        if (r == c.row || caps_[r] > 0) add_impulse(Unknown::kFree, {{{r, 1}}}, caps_[r]);
      return;
    }
    if (mode.normal == "any") add_slip({{normal, 1}}, fastest(c.row));
    const std::size_t first = program.unknowns.size();
    add_impulses(i, mode);
    const std::size_t end = program.unknowns.size();
    const auto lose = [&](const Q& rate, const Q& share) {
      Loss loss{rate, Vector(first, 0), Vector(program.unknowns.size(), 0)};
      loss.pressing.resize(end, program.unknowns[first].kind == Unknown::kCone && mode.normal == "pulls" ? -1 : 1);
      for (std::size_t u = slip_from_; u < program.unknowns.size(); ++u) loss.speed[u] = share;
      losses.push_back(loss);
    };
    slip_from_ = end;
    if (mode.tangential == "slip" && c.tangents == 1) {
      add_slip({{row, mode.from == 0 ? 1 : -1}}, fastest(c.row + 1));
      lose(c.mu, 1);
    } else if (mode.tangential == "slip") {
      const Direction from = slip_direction(mode.from), to = slip_direction(mode.to);
      for (const Direction& d : {from, to})
        add_slip({{row, d.x}, {row + 1, d.y / impact_.stretch(i, 1)}}, (1 + kWiderSpeed) * fastest_slip(i));
      lose(c.mu, (1 - power_of_two(-80)) * root_down((1 + from.x * to.x + from.y * to.y) / 2));
    }
    if (mode.tangential != "any") row += c.tangents;
    slip_from_ = program.unknowns.size();
    if (mode.spin == "any") return;
    if (mode.spin != "stick") {
      add_slip({{row, mode.spin == "positive" ? 1 : -1}}, fastest(c.last()));
      lose(c.torsion, 1);
    }
    ++row;
  }

  /// Impulses of a contact that pushes or pulls.
  void add_impulses(std::size_t i, const Mode& mode)
  {
    const Contact& c = p_.contacts[i];
    const int sign = mode.normal == "pulls" ? -1 : 1;
    const Q& most = caps_[c.row];
    Vector ends;  // of the torsion, per unit of normal impulse
    if (impact_.twists(i) && mode.spin != "negative") ends.push_back(-c.torsion);
    if (impact_.twists(i) && mode.spin != "positive") ends.push_back(c.torsion);
    const bool spins = ends.size() == 1;
    if (mode.tangential == "slip") {
      if (ends.empty()) ends.push_back(0);
      for (const Direction& point : friction_points(c, mode))
        for (const Q& end : ends) {
          Shares shares{{c.row, sign}};
          for (std::size_t k = 0; k < c.tangents; ++k)
            shares.emplace_back(c.row + 1 + k, -c.mu * impact_.stretch(i, k) * (k == 0 ? point.x : point.y));
          if (end != 0) shares.emplace_back(c.last(), end);
          add_impulse(Unknown::kPositive, {shares}, most);
        }
      return;
    }
    std::vector<Shares> shares{{{c.row, 1}}};
    if (spins) shares[0].emplace_back(c.last(), sign * ends[0]);
    const std::size_t tangents = impact_.rubs(i) ? c.tangents : 0;
    for (std::size_t k = 0; k < tangents; ++k) shares.push_back({{c.row + 1 + k, impact_.stretch(i, k)}});
    if (ends.size() == 2) shares.push_back({{c.last(), 1}});
    add_impulse(Unknown::kCone, shares, most);
    Unknown& cone = program.unknowns.back();
    cone.mu = c.mu;
    cone.torsion = ends.size() == 2 ? c.torsion : Q(0);
    cone.sign = sign;
    cone.tangents = tangents;
    cone.sideways = c.mu * most;
  }

  /// Points whose hull contains the arc of slip directions: its ends, and where their tangents meet.
  static std::vector<Direction> friction_points(const Contact& c, const Mode& mode)
  {
    if (c.tangents == 1) return {{mode.from == 0 ? 1 : -1, 0}};
    const Direction from = slip_direction(mode.from), to = slip_direction(mode.to);
    const Q share = 1 / (1 + from.x * to.x + from.y * to.y), more = 1 + power_of_two(-90);
    return {{more * from.x, more * from.y},
            {more * to.x, more * to.y},
            {more * share * (from.x + to.x), more * share * (from.y + to.y)}};
  }

  const Impact& impact_;
  const Problem& p_;
  Vector caps_;                                // largest |impulse| per row of J
  std::vector<Row> rows_;                      // of J that are kept
  std::vector<std::vector<Shares>> impulses_;  // per unknown and column
  std::size_t slip_from_ = 0;
};

/// No solution in the leaf gains energy.
bool loses(const LeafProgram& plain, const Json& leaf)
{
  LeafProgram gains = plain;
  gains.say_that_it_gains({}, {});
  if (!leaf.contains("floors")) return separates(gains.program, vector(leaf.at("witness")));
  Vector impulses, speeds;
  for (const Json& floor : leaf.at("floors")) {
    const std::size_t k = impulses.size();
    if (k >= plain.losses.size()) return false;
    impulses.push_back(number(floor.at("impulse")));
    speeds.push_back(number(floor.at("speed")));
    const auto exceeds = [&](const Vector& quantity, const Q& least, const char* witness) {
      return least == 0 ||
             (least > 0 && separates(LeafProgram::below(gains.program, quantity, least), vector(floor.at(witness))));
    };
    if (!exceeds(plain.losses[k].pressing, impulses[k], "impulse_witness") ||
        !exceeds(plain.losses[k].speed, speeds[k], "speed_witness"))
      return false;
  }
  if (impulses.size() != plain.losses.size()) return false;
  LeafProgram above = plain;
  above.say_that_it_gains(impulses, speeds);
  return separates(above.program, vector(leaf.at("witness")));
}

/// How far the change of velocity in the leaf may be from `change`: empty where Y does not fit.
Vector velocity_radius(const Impact& impact, const Program& program, const Matrix& Y, const Vector& change)
{
  Vector radius(impact.p.n, 0);
  for (std::size_t i = 0; i < impact.p.n; ++i) {
    if (impact.high.motion[i] == 0) continue;
    if (Y.at(i).size() != program.e.size()) return {};
    radius[i] = abs(times(Y[i], program.e) - change[i]) + sizes(Y[i], program.room);
    for (std::size_t u = 0; u < program.unknowns.size(); ++u) {
      const Unknown& x = program.unknowns[u];
      for (std::size_t k = 0; k < x.columns.size(); ++k)
        radius[i] += x.most_of(k) * (abs(times(Y[i], x.columns[k]) - (u == i ? 1 : 0)) +
                                     (x.blur.empty() ? Q(0) : sizes(Y[i], x.blur[k])));
    }
  }
  return radius;
}

/// Every solution in the leaf is near one that is shown.
bool is_solved(const Impact& impact, const Matrix& solutions, const LeafProgram& leaf, const Json& from,
               LeafFindings& found)
{
  const auto which = from.at("solution").get<std::size_t>();
  if (which >= solutions.size()) return false;
  const Vector& after = solutions[which];
  const Problem& p = impact.p;
  Vector change;
  for (std::size_t j = 0; j < p.n; ++j) change.push_back(after[j] - impact.before[j]);
  const Vector radius = velocity_radius(impact, leaf.program, matrix(from.at("left_inverse")), change);
  if (radius.empty() && p.n > 0) return false;
  Q gain = impact.energy_gain(after);
  for (std::size_t j = 0; j < p.n; ++j) {
    const Q half = impact.different(impact.low, j) / 2;
    if (radius[j] > half) return false;
    found.one = found.one && radius[j] + abs(after[j] - solutions[0][j]) <= half;
    gain += radius[j] * (abs(times(p.M[j], after)) + sizes(p.M[j], radius) / 2);
  }
  found.no_gain = found.no_gain && gain <= impact.noticeable_gain(impact.low);
  return true;
}

}  // namespace

LeafFindings look_at_leaves(const Impact& impact, const Matrix& solutions, const Json& leaves)
{
  LeafFindings found;
  std::vector<std::vector<Mode>> modes_of;
  bool proved = true;
  for (const Json& leaf : leaves) {
    std::vector<Mode> modes;
    for (const Json& mode : leaf.at("modes")) modes.push_back(read_mode(mode));
    proved = proved && modes.size() == impact.p.contacts.size();
    for (std::size_t i = 0; i < modes.size() && proved; ++i) proved = possible(impact, i, modes[i]);
    if (!proved) return found;
    modes_of.push_back(modes);
    const LeafProgram program(impact, modes);
    const std::string kind = leaf.at("kind").get<std::string>();
    if (kind == "empty") {
      proved = separates(program.program, vector(leaf.at("witness")));
    } else if (kind == "solved") {
      proved = is_solved(impact, solutions, program, leaf, found);
    } else {
      found.complete = false;
      proved = kind == "loses" && loses(program, leaf);
    }
    if (!proved) return found;
  }
  found.covers = covered(impact, modes_of, std::vector<Mode>(impact.p.contacts.size()));
  return found;
}

}  // namespace stiction::exact
