// forebay bench: runs the main job on a folder of pictures and tells how fast it was and where the time went.
#include <fmt/core.h>

#include <algorithm>

#include <CLI/CLI.hpp>
#include <cctype>
#include <ctime>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "forebay/base/clock.h"
#include "forebay/cli/command/command.h"
#include "forebay/cli/command/progress_bar.h"
#include "forebay/memory/copy.h"
#include "forebay/pipeline/pipeline.h"
#include "forebay/tensor/dtype.h"

namespace forebay::cli {
namespace {

constexpr double kNs = 1e-9;

struct BenchOptions {
  std::string data;
  int threads = 1;
  int batch_size = 64;
  int size = 224;
  double seconds = 5;
  bool as_json = false;
};

struct Measured {
  int64_t images = 0;
  int64_t batches = 0;
  double wall_s = 0;
  double cpu_s = 0;
  double first_batch_s = 0;
  uint64_t bytes_copied = 0;
};

double cpu_seconds() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * kNs;
}

double wall_seconds() {
  return static_cast<double>(steady_clock().now_ns()) * kNs;
}

// Pictures that lie in the folder itself have no classes; they are read as a list.
std::vector<std::string> loose_files(const std::string& folder) {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::string suffix = entry.path().extension().string();
    std::transform(suffix.begin(), suffix.end(), suffix.begin(),
                   [](unsigned char c) { return std::tolower(c); });
    if (entry.is_regular_file() && (suffix == ".jpg" || suffix == ".jpeg" || suffix == ".png")) {
      files.push_back(entry.path().string());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

// Random crop, resize, flip, normalise: what networks for classification are trained on.
Status build_main_job(const BenchOptions& options, Pipeline& pipe) {
  std::error_code error;
  if (!std::filesystem::is_directory(options.data, error)) {
    return not_found("{} is not a folder", options.data);
  }
  std::vector<std::pair<std::string, pipeline::Argument>> source = {{"random_shuffle", true}};
  if (std::vector<std::string> files = loose_files(options.data); files.empty()) {
    source.emplace_back("file_root", options.data);
  } else {
    source.emplace_back("files", std::move(files));
  }
  const std::vector<DataNode> read = pipe.add("readers.file", {}, source, "reader");
  if (read.empty()) {
    return pipe.build();
  }
  const std::vector<DataNode> decoded = pipe.add("decoders.image_random_crop", {read[0]}, {});
  const std::vector<double> size(2, options.size);
  const std::vector<DataNode> resized = pipe.add("resize", decoded, {{"size", size}});
  const std::vector<DataNode> flip = pipe.add("random.coin_flip", {}, {});
  if (resized.empty() || flip.empty()) {
    return pipe.build();
  }
  const std::vector<DataNode> done = pipe.add("crop_mirror_normalize", resized,
                                              {{"mirror", flip[0]},
                                               {"mean", std::vector<double>{123.675, 116.28, 103.53}},
                                               {"std", std::vector<double>{58.395, 57.12, 57.375}}});
  if (done.empty()) {
    return pipe.build();
  }
  pipe.set_outputs({done[0], read[1]});
  return pipe.build();
}

Result<Measured> measure(const BenchOptions& options, Pipeline& pipe, double begun) {
  Measured measured;
  FOREBAY_RETURN_IF_ERROR(pipe.run().status());
  measured.first_batch_s = wall_seconds() - begun;
  const double start = wall_seconds();
  const double start_cpu = cpu_seconds();
  const uint64_t start_copied = memory::bytes_copied();
  ProgressBar bar("measuring", static_cast<uint64_t>(options.seconds * 1000));
  while (measured.wall_s < options.seconds) {
    FOREBAY_ASSIGN_OR_RETURN(const pipeline::Delivery delivery, pipe.run());
    measured.images += static_cast<int64_t>(delivery.samples.size());
    ++measured.batches;
    measured.wall_s = wall_seconds() - start;
    bar.show(static_cast<uint64_t>(measured.wall_s * 1000),
             fmt::format("{:.0f} images/s", measured.images / measured.wall_s));
  }
  measured.cpu_s = cpu_seconds() - start_cpu;
  measured.bytes_copied = memory::bytes_copied() - start_copied;
  return measured;
}

void print_text(const Measured& measured, const pipeline::Explanation& explanation) {
  fmt::print("{:.0f} images/s, {:.0f} images per CPU-second ({} images in {:.1f} s)\n",
             measured.images / measured.wall_s, measured.images / measured.cpu_s, measured.images,
             measured.wall_s);
  fmt::print("first batch after {:.3f} s; {} bytes copied a batch\n\n{}\n", measured.first_batch_s,
             measured.bytes_copied / measured.batches, explanation.to_string());
}

void print_json(const Measured& measured, const pipeline::Explanation& explanation) {
  const nlohmann::json facts = {{"images", measured.images},
                                {"images_per_second", measured.images / measured.wall_s},
                                {"images_per_cpu_second", measured.images / measured.cpu_s},
                                {"first_batch_s", measured.first_batch_s},
                                {"bytes_copied_per_batch", measured.bytes_copied / measured.batches},
                                {"explanation", nlohmann::json::parse(explanation.to_json())}};
  fmt::print("{}\n", facts.dump(1));
}

Status run_bench(const BenchOptions& options) {
  Pipeline pipe({.batch_size = options.batch_size,
                 .num_threads = options.threads,
                 .seed = 1,
                 .on_error = pipeline::OnError::kSkip});
  const double begun = wall_seconds();
  FOREBAY_RETURN_IF_ERROR(build_main_job(options, pipe));
  FOREBAY_ASSIGN_OR_RETURN(const Measured measured, measure(options, pipe, begun));
  const pipeline::Explanation explanation = pipe.session().explain();
  options.as_json ? print_json(measured, explanation) : print_text(measured, explanation);
  return ok_status();
}

}  // namespace

void add_bench(CLI::App& program, Invocation& invocation) {
  CLI::App* command =
      program.add_subcommand("bench", "Run the main job on pictures: how fast, and where time goes");
  auto options = std::make_shared<BenchOptions>();
  command->add_option("data", options->data, "A folder of pictures, or of one folder a class")->required();
  command->add_option("--threads", options->threads, "Worker threads")->check(CLI::Range(1, 1024));
  command->add_option("--batch-size", options->batch_size, "Images in a batch")->check(CLI::Range(1, 65536));
  command->add_option("--size", options->size, "Height and width of the result")->check(CLI::Range(1, 16384));
  command->add_option("--seconds", options->seconds, "How long to measure")->check(CLI::Range(0.01, 3600.0));
  command->add_flag("--json", options->as_json, "Print JSON");
  command->callback([&invocation, options] { invocation.run = [options] { return run_bench(*options); }; });
}

}  // namespace forebay::cli
