// Forebay's resampling with DALI's numerics; the axes are prepared for each picture, as a pipeline does.
#include <cstdio>
#include <cstdlib>

#include "forebay/kernels/resampling/resample.h"
#include "harness/contender.h"

namespace {

using forebay::kernels::ResampleAxis;
using forebay::kernels::ResampleFilter;

const std::map<std::string, ResampleFilter> kFilters = {{"nearest", ResampleFilter::kNearest},
                                                        {"linear", ResampleFilter::kLinear},
                                                        {"cubic", ResampleFilter::kCubic},
                                                        {"lanczos3", ResampleFilter::kLanczos3}};

ResampleAxis make_axis(const contender::Task& task, const std::string& extent) {
  const ResampleFilter filter = kFilters.at(task.text.at("filter"));
  const int in_size = static_cast<int>(task.number.at("in_" + extent));
  return *ResampleAxis::make({.in_size = in_size,
                              .out_size = static_cast<int>(task.number.at(extent)),
                              .lo = 0,
                              .hi = static_cast<float>(in_size),
                              .min_filter = filter,
                              .mag_filter = filter,
                              .antialias = task.number.at("antialias") != 0});
}

}  // namespace

int main(int argc, char** argv) {
  const contender::Task task = contender::read_task(argc, argv);
  const std::map<std::string, std::string> versions = {{"forebay", FOREBAY_VERSION}};
  const std::string pixels = contender::read_file(task.text.at("pixels"));
  const int in_height = static_cast<int>(task.number.at("in_height"));
  const int in_width = static_cast<int>(task.number.at("in_width"));
  const int height = static_cast<int>(task.number.at("height"));
  const int width = static_cast<int>(task.number.at("width"));
  std::vector<uint8_t> out(static_cast<size_t>(height) * width * 3);
  const auto resize = [&] {
    forebay::kernels::resample_image<uint8_t, uint8_t>(
        {reinterpret_cast<const uint8_t*>(pixels.data()), in_height, in_width, 3, in_width * 3},
        make_axis(task, "height"), make_axis(task, "width"), {out.data(), height, width, 3, width * 3});
    return 1;
  };
  if (!task.check.empty()) {
    resize();
    contender::save(task, versions, {out.begin(), out.end()}, {height, width, 3});
    return 0;
  }
  contender::measure(task, 1, versions, [&](int) { return resize(); });
  return 0;
}
