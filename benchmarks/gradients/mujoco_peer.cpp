#include <mujoco/mujoco.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <map>
#include <sstream>

#include "benchmarks/gradients/peers.h"
#include "runtime/core/error.h"

namespace abut::gradients {
namespace {

// The deepest contact as a sensor: its distance.
void sense(const mjModel*, mjData* data, int stage) {
  if (stage != mjSTAGE_POS) return;
  const mjContact* const first = data->contact;
  const mjContact* const end = first + data->ncon;
  const mjContact* const deepest =
      std::min_element(first, end, [](const mjContact& a, const mjContact& b) { return a.dist < b.dist; });
  data->sensordata[0] = deepest == end ? std::numeric_limits<double>::quiet_NaN() : deepest->dist;
}

// Finite-differenced transitions of a free body B beside a fixed A, whose sensor is the contact.
class MuJoCo : public Library {
 public:
  MuJoCo() { mjcb_sensor = &sense; }
  ~MuJoCo() override { mjcb_sensor = nullptr; }

  std::string name() const override { return "MuJoCo 2.2.2"; }
  std::string how() const override { return "`mjd_transitionFD`, centred, of a sensor of the contact"; }
  bool has_points() const override { return false; }
  std::vector<double> steps() const override { return {1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7}; }

  Gradient gradient(const Question& question, double step) override {
    Scene& scene = scene_of(question);
    mjData* const data = scene.data.get();
    // It inflates bodies by the margin, which makes its answers worse: no more of it than finds the contact.
    const double margin = std::max(0.0, question.distance) * 1.05 + 2 * step;
    std::fill_n(scene.model->geom_margin, 2, margin);
    std::fill_n(scene.model->geom_gap, 2, margin);
    mj_resetData(scene.model.get(), data);
    const Eigen::Quaterniond q(question.X_AB.R);
    const double pose[7] = {
        question.X_AB.p.x(), question.X_AB.p.y(), question.X_AB.p.z(), q.w(), q.x(), q.y(), q.z()};
    std::copy_n(pose, 7, data->qpos);
    mj_forward(scene.model.get(), data);
    Eigen::Matrix<double, 1, 12> C;  // by (translation in A; turn in B; velocities)
    mjd_transitionFD(scene.model.get(), data, step, 1, nullptr, nullptr, C.data(), nullptr);
    Gradient result = Gradient::Constant(std::numeric_limits<double>::quiet_NaN());
    result.row(0) << C.middleCols<3>(3), C.leftCols<3>() * question.X_AB.R;
    return result;
  }

 private:
  struct Scene {
    std::unique_ptr<mjModel, void (*)(mjModel*)> model{nullptr, mj_deleteModel};
    std::unique_ptr<mjData, void (*)(mjData*)> data{nullptr, mj_deleteData};
  };

  static std::string mesh(const char* name, const asset::ConvexView& view) {
    std::ostringstream out;
    out.precision(17);
    out << "<mesh name=\"" << name << "\" vertex=\"";
    for (std::int32_t i = 0; i < view.vertex_count; ++i)
      out << view.x[i] << ' ' << view.y[i] << ' ' << view.z[i] << ' ';
    out << "\"/>";
    return out.str();
  }

  Scene& scene_of(const Question& question) {
    const auto [at, fresh] = scenes_.try_emplace({question.A.x, question.B.x});
    Scene& scene = at->second;
    if (!fresh) return scene;
    const auto geom = [](const std::string& name) {
      return "<geom type=\"mesh\" condim=\"1\" name=\"" + name + "\" mesh=\"" + name + "\"/>";
    };
    const std::string text =
        "<mujoco><option gravity=\"0 0 0\"/><asset>" + mesh("A", question.A) + mesh("B", question.B) +
        "</asset><worldbody>" + geom("A") + "<body><freejoint/>" + geom("B") +
        "</body></worldbody><sensor><user objtype=\"geom\" objname=\"B\" datatype=\"real\" dim=\"1\" "
        "needstage=\"pos\"/></sensor></mujoco>";
    const auto files = std::make_unique<mjVFS>();
    mj_defaultVFS(files.get());
    mj_makeEmptyFileVFS(files.get(), "pair.xml", static_cast<int>(text.size()));
    std::memcpy(files->filedata[mj_findFileVFS(files.get(), "pair.xml")], text.data(), text.size());
    char error[500] = "";
    scene.model.reset(mj_loadXML("pair.xml", files.get(), error, sizeof error));
    mj_deleteVFS(files.get());
    if (!scene.model) throw InvalidInput(std::string("MuJoCo: ") + error);
    scene.data.reset(mj_makeData(scene.model.get()));
    return scene;
  }

  std::map<std::pair<const double*, const double*>, Scene> scenes_;
};

}  // namespace

std::unique_ptr<Library> make_mujoco() { return std::make_unique<MuJoCo>(); }

}  // namespace abut::gradients
