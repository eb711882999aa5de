#include <mujoco/mujoco.h>

#include <cmath>
#include <ctime>
#include <memory>

#include "benchmarks/paper/beker2025_table7_tpush/pushing.h"
#include "runtime/core/error.h"

namespace abut::tpush {

Rollout push_in_mujoco(const std::string& file, const Targets& targets, int integrator, double dt) {
  char error[500] = "";
  const std::unique_ptr<mjModel, void (*)(mjModel*)> model(
      mj_loadXML(file.c_str(), nullptr, error, sizeof error), mj_deleteModel);
  if (!model) throw InvalidInput(file + ": " + error);
  model->opt.timestep = dt;
  model->opt.integrator = integrator;
  const std::unique_ptr<mjData, void (*)(mjData*)> data(mj_makeData(model.get()), mj_deleteData);
  data->qpos[3] = targets.rows[0][0];
  data->qpos[4] = targets.rows[0][1];
  Rollout rollout;
  const auto steps_per_control = std::lround(targets.interval / dt),
             steps = std::lround(targets.duration() / dt);
  const std::clock_t start = std::clock();
  for (long k = 0; k < steps; ++k) {
    if (k % steps_per_control == 0) rollout.way.push_back({data->qpos[0], data->qpos[1], data->qpos[2]});
    const auto& target = targets.at(static_cast<double>(k) * dt);
    data->ctrl[0] = target[0];
    data->ctrl[1] = target[1];
    mj_step(model.get(), data.get());
  }
  rollout.step_time = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC / static_cast<double>(steps);
  rollout.steps = steps;
  rollout.way.push_back({data->qpos[0], data->qpos[1], data->qpos[2]});
  rollout.finite = std::isfinite(data->qpos[0]);
  return rollout;
}

}  // namespace abut::tpush
