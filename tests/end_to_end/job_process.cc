// The main job over a list of files, as a process: prints what it delivered and what memory that took.
//
//   forebay_job_process --list FILE [--batches N] [--batch-size N] [--threads N] [--depth N] [--limit BYTES]
//                       [--size N] [--fuse 0|1] [--hold 0|1] [--prints-state 0|1] [--leave HOW]
//
// Lines: "sample INDEX", "error TEXT", "state TEXT"; at the end "grown_bytes N" (peak of the resident memory,
// less what was resident just before build()) and "held_bytes N".
// --leave ends the process after the first batch, with others in flight: "return" destroys the pipeline,
// "exit" calls exit() over it, "static" leaves it to the destructors of statics, "leak" to nobody.
#include <cstdlib>
#include <deque>
#include <fstream>
#include <iostream>
#include <map>
#include <string>

#include "main_job.h"

namespace forebay::end_to_end {
namespace {

using Settings = std::map<std::string, std::string>;

int64_t number(const Settings& settings, const std::string& name, int64_t fallback) {
  const auto found = settings.find(name);
  return found == settings.end() ? fallback : std::stoll(found->second);
}

/// A value of /proc/self/status, in bytes.
int64_t status_bytes(const std::string& name) {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    if (word == name + ":") {
      int64_t kilobytes = 0;
      status >> kilobytes;
      return kilobytes * 1024;
    }
  }
  return 0;
}

JobOptions options_of(const Settings& settings) {
  JobOptions options;
  options.pipeline.batch_size = static_cast<int>(number(settings, "--batch-size", 8));
  options.pipeline.num_threads = static_cast<int>(number(settings, "--threads", 2));
  options.pipeline.prefetch_queue_depth = static_cast<int>(number(settings, "--depth", 2));
  options.pipeline.memory_limit_bytes = static_cast<uint64_t>(number(settings, "--limit", 0));
  options.pipeline.fuse = number(settings, "--fuse", 1) != 0;
  options.pipeline.on_error =
      settings.contains("--limit") ? pipeline::OnError::kSkip : pipeline::OnError::kRaise;
  options.size = number(settings, "--size", 32);
  return options;
}

int leave(std::unique_ptr<Pipeline> pipe, const std::string& how) {
  static std::unique_ptr<Pipeline> kept;
  [[maybe_unused]] static Pipeline* volatile left;  // known until the end, so no leak to a leak checker
  if (how == "exit") {
    std::exit(0);
  } else if (how == "static") {
    kept = std::move(pipe);
  } else if (how == "leak") {
    left = pipe.release();
  }
  return 0;
}

int run_batches(Pipeline& pipe, const Settings& settings, int64_t resident_before_bytes) {
  std::deque<pipeline::Delivery> held;
  int64_t held_bytes = 0;
  const int64_t batches = number(settings, "--batches", 1);
  for (int64_t i = 0; i < batches; ++i) {
    auto delivery = pipe.run();
    if (!delivery.ok()) {
      std::cout << "failed " << delivery.status() << std::endl;
      if (number(settings, "--goes-on", 0) != 0 &&
          delivery.status().code() == StatusCode::kResourceExhausted) {
        continue;
      }
      return 1;
    }
    for (const pipeline::DeliveredSample& sample : delivery->samples) {
      std::cout << "sample " << sample.identity.sample_index << '\n';
    }
    if (number(settings, "--prints-state", 0) != 0) {
      std::cout << "state " << pipe.session().state() << std::endl;
    }
    if (number(settings, "--hold", 0) != 0) {
      held.push_back(*std::move(delivery));
    }
  }
  held_bytes = static_cast<int64_t>(pipe.session().budget().held_bytes());
  const pipeline::ErrorLog log = pipe.session().errors();
  for (const pipeline::SampleError& error : log.errors()) {
    std::cout << "error " << error.context.origin.object << ": " << error.cause << '\n';
  }
  std::cout << "grown_bytes " << status_bytes("VmHWM") - resident_before_bytes << '\n';
  std::cout << "held_bytes " << held_bytes << std::endl;
  return 0;
}

int run(const Settings& settings) {
  std::ofstream("/proc/self/clear_refs") << 5;  // the peak starts anew
  const int64_t resident_before_bytes = status_bytes("VmRSS");
  auto pipe = open_job({"readers.file", {{"file_list", settings.at("--list")}}}, options_of(settings));
  if (!pipe.ok()) {
    std::cout << "failed " << pipe.status() << std::endl;
    return 1;
  }
  if (!settings.contains("--leave")) {
    return run_batches(**pipe, settings, resident_before_bytes);
  }
  const auto delivery = (*pipe)->run();
  if (!delivery.ok()) {
    std::cout << "failed " << delivery.status() << std::endl;
    return 1;
  }
  return leave(*std::move(pipe), settings.at("--leave"));
}

}  // namespace
}  // namespace forebay::end_to_end

int main(int argc, char** argv) {
  forebay::end_to_end::Settings settings;
  for (int i = 1; i + 1 < argc; i += 2) {
    settings[argv[i]] = argv[i + 1];
  }
  if (!settings.contains("--list")) {
    std::cerr << "usage: forebay_job_process --list FILE [--batches N] ...\n";
    return 2;
  }
  return forebay::end_to_end::run(settings);
}
