#include "harness/contender.h"

#include <sys/resource.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <numeric>
#include <thread>

namespace contender {
namespace {

double wall_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double peak_mib() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss / 1024.0;
}

void write_result(const Task& task, const nlohmann::json& result) {
  std::ofstream(task.result) << result.dump();
}

// Images made by all threads together until each has seen the deadline after a pass.
int64_t run_threads(int threads, double seconds, const std::function<int(int)>& pass) {
  const double end = wall_seconds() + seconds;
  std::vector<int64_t> images(threads, 0);
  std::vector<std::thread> running;
  for (int thread = 0; thread < threads; ++thread) {
    running.emplace_back([&, thread] {
      do {
        images[thread] += pass(thread);
      } while (wall_seconds() < end);
    });
  }
  for (std::thread& thread : running) {
    thread.join();
  }
  return std::accumulate(images.begin(), images.end(), int64_t{0});
}

}  // namespace

double cpu_seconds() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return now.tv_sec + now.tv_nsec * 1e-9;
}

Task read_task(int argc, char** argv) {
  const nlohmann::json given = nlohmann::json::parse(argc == 2 ? argv[1] : "", nullptr, false);
  if (!given.is_object()) {
    std::fprintf(stderr, "usage: %s TASK (a JSON object; benchmarks/harness/contender.py describes it)\n",
                 argv[0]);
    std::exit(2);
  }
  Task task;
  task.data = given.value("data", "");
  task.result = given.value("result", "/dev/stdout");
  task.seconds = given.value("seconds", task.seconds);
  if (given.contains("check") && given["check"].is_string()) {
    task.check = given["check"];
  }
  for (const auto& [key, value] : given["row"].items()) {
    if (value.is_string()) {
      task.text[key] = value;
    } else if (value.is_boolean()) {
      task.number[key] = value.get<bool>();
    } else if (value.is_number()) {
      task.number[key] = value;
    }
  }
  return task;
}

std::vector<std::string> read_pictures(const std::string& folder) {
  static const std::vector<std::string> kSuffixes = {".jpg", ".jpeg", ".png",  ".tif",
                                                     ".bmp", ".ppm",  ".webp", ".jp2"};
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    std::string suffix = entry.path().extension();
    std::transform(suffix.begin(), suffix.end(), suffix.begin(),
                   [](unsigned char c) { return std::tolower(c); });
    if (std::find(kSuffixes.begin(), kSuffixes.end(), suffix) != kSuffixes.end()) {
      paths.push_back(entry.path());
    }
  }
  std::sort(paths.begin(), paths.end());
  std::vector<std::string> contents;
  for (const auto& path : paths) {
    contents.push_back(read_file(path));
  }
  return contents;
}

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    std::fprintf(stderr, "cannot read %s\n", path.c_str());
    std::exit(1);
  }
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void measure(const Task& task, int threads, const std::map<std::string, std::string>& versions,
             const std::function<int(int thread)>& pass) {
  pass(0);
  const double begun = wall_seconds();
  const double begun_cpu = cpu_seconds();
  const double images = run_threads(threads, task.seconds, pass);
  const double cpu = cpu_seconds() - begun_cpu;
  const double wall = wall_seconds() - begun;
  write_result(task, {{"versions", versions},
                      {"images_per_cpu_second", images / cpu},
                      {"images_per_second", images / wall},
                      {"peak_rss_mib", peak_mib()}});
}

void report(const Task& task, const std::map<std::string, std::string>& versions,
            const std::map<std::string, double>& figures) {
  nlohmann::json result = {{"versions", versions}};
  for (const auto& [name, value] : figures) {
    result[name] = value;
  }
  write_result(task, result);
}

void decline(const Task& task, const std::map<std::string, std::string>& versions) {
  write_result(task, {{"versions", versions}, {"offered", false}});
}

void save(const Task& task, const std::map<std::string, std::string>& versions,
          const std::vector<float>& values, const std::vector<int64_t>& shape) {
  std::string extents;
  for (const int64_t extent : shape) {
    extents += std::to_string(extent) + ",";
  }
  std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (" + extents + "), }";
  constexpr size_t kPreamble = 10;  // magic, version, length of the header
  constexpr size_t kAlignment = 64;
  header.append((kAlignment - (kPreamble + header.size() + 1) % kAlignment) % kAlignment, ' ');
  header.push_back('\n');
  const auto length = static_cast<uint16_t>(header.size());
  std::ofstream file(task.check, std::ios::binary);
  file.write("\x93NUMPY\x01\x00", 8);
  file.write(reinterpret_cast<const char*>(&length), sizeof(length));
  file << header;
  file.write(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float));
  write_result(task, {{"versions", versions}});
}

}  // namespace contender
