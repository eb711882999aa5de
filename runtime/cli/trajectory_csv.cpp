#include "runtime/cli/trajectory_csv.h"

#include <fmt/format.h>

#include "runtime/cli/csv_columns.h"

namespace abut::cli {

TrajectoryCsv::TrajectoryCsv(const std::string& path) : file_(path) {
  file_.write("step,time,body,x,y,z,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz\n");
}

void TrajectoryCsv::write(const dynamics::Simulation& simulation) {
  const auto states = simulation.states();
  for (std::size_t i = 0; i < states.size(); ++i) {
    const dynamics::BodyState& state = states[i];
    std::string row = fmt::format("{},{},{}", simulation.steps(), simulation.time(),
                                  csv_field(simulation.scene().bodies[i].name));
    const auto append = [&row](const Vec3<double>& v) {
      row += fmt::format(",{},{},{}", v.x(), v.y(), v.z());
    };
    append(state.p_WB);
    const Eigen::Quaterniond& q = state.q_WB;
    row += fmt::format(",{},{},{},{}", q.w(), q.x(), q.y(), q.z());
    append(state.v_WB);
    append(simulation.angular_velocity(i));
    file_.write(row + "\n");
  }
}

ContactForcesCsv::ContactForcesCsv(const std::string& path) : file_(path) {
  file_.write("step,time,body_A,body_B,contacts,fx,fy,fz,taux,tauy,tauz\n");
}

void ContactForcesCsv::write(const dynamics::Simulation& simulation) {
  const auto name = [&](std::int32_t body) {
    return body == dynamics::kFixed
               ? std::string(dynamics::kWorld)
               : csv_field(simulation.scene().bodies[static_cast<std::size_t>(body)].name);
  };
  simulation.contact_forces(forces_);
  for (const dynamics::ContactForce& pair : forces_) {
    const Vec3<double> moment = pair.F_W[1].head<3>(), force = pair.F_W[1].tail<3>();
    file_.write(fmt::format("{},{},{},{},{},{},{},{},{},{},{}\n", simulation.steps(), simulation.time(),
                            name(pair.A), name(pair.B), pair.contacts, force.x(), force.y(), force.z(),
                            moment.x(), moment.y(), moment.z()));
  }
}

StatisticsCsv::StatisticsCsv(const std::string& path) : file_(path) {
  file_.write(
      "step,time,contacts,iterations,residual,kinetic,potential,control_work,stabilisation_work,"
      "penetration,stable_dt,substeps\n");
}

void StatisticsCsv::write(const dynamics::Simulation& simulation) {
  const dynamics::StepReport& report = simulation.report();
  work_ += report.stabilisation_work;
  control_work_ += report.control_work;
  file_.write(fmt::format("{},{},{},{},{:.3g},{},{},{},{},{:.6g},{:.6g},{}\n", simulation.steps(),
                          simulation.time(), report.contacts, report.solver.iterations,
                          report.solver.residual, report.kinetic, report.potential, control_work_, work_,
                          report.penetration, report.stable_dt, report.substeps));
}

}  // namespace abut::cli
