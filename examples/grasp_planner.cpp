// Which of many three-finger grasps of a mug is closed, and how well? No robot, no file: points and normals only.

#include <cmath>
#include <cstdio>
#include <numbers>
#include <vector>

#include "stiction/closure.hpp"

int main()
{
  constexpr double kRadius = 0.04, kHeight = 0.1;  // of the mug, m; its axis is z, it stands on z = 0
  stiction::WrenchConvention convention;
  convention.reference = {0.0, 0.0, 0.5 * kHeight};
  convention.torque_length = kRadius;

  stiction::ClosureChecker checker;  // one per thread; after the first grasp it allocates nothing
  std::vector<stiction::GraspContact> best, fingers(3);
  double best_epsilon = 0.0;
  int tried = 0, closed = 0;
  for (double spread = 10.0; spread <= 120.0; spread += 5.0)  // degrees between the thumb's opposite and each finger
    for (double height = 0.01; height < kHeight; height += 0.01) {
      for (int i = 0; i < 3; ++i) {  // the thumb, and two fingers across
        const double angle = (i == 0 ? 0.0 : 180.0 + (i == 1 ? spread : -spread)) * std::numbers::pi / 180.0;
        const Eigen::Vector3d out(std::cos(angle), std::sin(angle), 0.0);
        fingers[i].point = kRadius * out + Eigen::Vector3d(0.0, 0.0, i == 0 ? 0.5 * kHeight : height);
        fingers[i].normal = -out;
        fingers[i].mu = 0.5;
      }
      ++tried;
      if (checker.closed(fingers, convention) != stiction::Verdict::kHolds) continue;
      ++closed;
      stiction::Grasp grasp;
      set_grasp(fingers, convention, stiction::ConeShape::exact(), grasp);
      stiction::ClosureOptions options;
      options.epsilon_l1 = true;
      options.epsilon_gap = 0.1;
      const double epsilon = checker.check(grasp, options).epsilon_l1.lower;
      if (epsilon <= best_epsilon) continue;
      best_epsilon = epsilon;
      best = fingers;
    }
  std::printf("%d of %d grasps are closed\n", closed, tried);
  for (const stiction::GraspContact& tip : best)
    std::printf("  %+.3f %+.3f %.3f\n", tip.point.x(), tip.point.y(), tip.point.z());
  stiction::ContactNoise noise{.position = 0.002, .angle = 0.1, .samples = 1000, .seed = 1};
  std::printf("the best resists %.2f N per newton of squeeze in any direction; closed in %.1f %% of noisy draws\n",
              best_epsilon, 100.0 * checker.rate(best, convention, noise).rate);
}
