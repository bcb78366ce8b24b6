#include "forebay/cli/machine/machine.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <hwy/targets.h>
#include <liburing.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>

#include "forebay/base/usable_cpus.h"
#include "forebay/cli/machine/control_groups.h"
#include "forebay/cli/machine/python.h"
#include "forebay/cuda/check/device_check.h"
#include "forebay/cuda/driver/devices.h"
#include "forebay/cuda/driver/kernel_image.h"

namespace forebay::cli {
namespace {

namespace fs = std::filesystem;

constexpr double kGib = 1024.0 * 1024 * 1024;

std::string read_text(const fs::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

Finding examine_processors() {
  const int count = usable_cpus();
  const std::optional<double> granted = processors_of_groups();
  if (granted && *granted < count) {
    return {"processors", Verdict::kLimited,
            fmt::format("{}, of which a control group grants {:.1f}", count, *granted),
            "choose num_threads by what is granted"};
  }
  return {"processors", Verdict::kGood, fmt::format("{}", count), ""};
}

Finding examine_simd() {
  // Highway gives better targets lower bits.
  const auto offered = static_cast<uint64_t>(hwy::SupportedTargets());
  const int64_t best = int64_t{1} << std::countr_zero(offered);
  const bool is_scalar = best == HWY_SCALAR || best == HWY_EMU128;
  return {"SIMD", is_scalar ? Verdict::kLimited : Verdict::kGood, hwy::TargetName(best),
          is_scalar ? "resize and colour run without vectors, several times slower" : ""};
}

Finding examine_memory() {
  struct sysinfo info;
  sysinfo(&info);
  const double total = static_cast<double>(info.totalram) * info.mem_unit;
  const std::optional<uint64_t> limit = memory_limit_of_groups();
  if (limit && static_cast<double>(*limit) < total) {
    return {"memory", Verdict::kLimited,
            fmt::format("{:.1f} GiB, a control group allows {:.1f} GiB", total / kGib, *limit / kGib),
            "set memory_limit of the pipeline below what is allowed"};
  }
  return {"memory", Verdict::kGood, fmt::format("{:.1f} GiB, no control group limits it", total / kGib), ""};
}

Finding examine_shared_memory() {
  struct statvfs volume;
  if (statvfs("/dev/shm", &volume) != 0) {
    return {"shared memory", Verdict::kAbsent, "/dev/shm is not there",
            "Python functions in processes cannot run"};
  }
  const double size = static_cast<double>(volume.f_blocks) * volume.f_frsize;
  const bool is_small = size < kGib;
  return {"shared memory", is_small ? Verdict::kLimited : Verdict::kGood,
          fmt::format("/dev/shm of {:.2f} GiB", size / kGib),
          is_small ? "in a container, start it with a larger --shm-size" : ""};
}

Finding examine_huge_pages() {
  const std::string chosen = chosen_word(read_text("/sys/kernel/mm/transparent_hugepage/enabled"));
  if (chosen.empty()) {
    return {"huge pages", Verdict::kAbsent, "the kernel has no transparent huge pages",
            "large pools and tables cost more page faults"};
  }
  const bool is_never = chosen == "never";
  return {"huge pages", is_never ? Verdict::kLimited : Verdict::kGood, "transparent: " + chosen,
          is_never ? "echo madvise > /sys/kernel/mm/transparent_hugepage/enabled" : ""};
}

Finding examine_io_uring() {
  io_uring ring;
  const int error = io_uring_queue_init(4, &ring, 0);
  if (error < 0) {
    return {"io_uring", Verdict::kAbsent, std::strerror(-error),
            "local files are read by a pool of threads instead; see kernel.io_uring_disabled and seccomp"};
  }
  io_uring_queue_exit(&ring);
  utsname kernel;
  uname(&kernel);
  return {"io_uring", Verdict::kGood, fmt::format("Linux {}", kernel.release), ""};
}

Finding examine_open_files() {
  rlimit limit;
  getrlimit(RLIMIT_NOFILE, &limit);
  constexpr rlim_t kEnough = 4096;
  const bool is_low = limit.rlim_cur < kEnough;
  return {"open files", is_low ? Verdict::kLimited : Verdict::kGood,
          fmt::format("{} (at most {})", limit.rlim_cur, limit.rlim_max), is_low ? "ulimit -n 65536" : ""};
}

Finding examine_locked_memory() {
  rlimit limit;
  getrlimit(RLIMIT_MEMLOCK, &limit);
  if (limit.rlim_cur == RLIM_INFINITY) {
    return {"locked memory", Verdict::kGood, "unlimited", ""};
  }
  return {"locked memory", Verdict::kLimited, fmt::format("{:.1f} MiB", limit.rlim_cur / 1048576.0),
          "matters for pinned buffers without a driver's help; ulimit -l"};
}

Finding examine_fuse() {
  const int file = open("/dev/fuse", O_RDWR | O_CLOEXEC);
  if (file < 0) {
    return {"FUSE", Verdict::kAbsent, fmt::format("/dev/fuse: {}", std::strerror(errno)),
            "folders cannot be mounted"};
  }
  close(file);
  return {"FUSE", Verdict::kGood, "/dev/fuse opens", ""};
}

std::string describe(const cuda::DeviceFacts& device) {
  return fmt::format("{}: {}, {:.1f} GiB, sm_{}{}", device.number, device.name, device.memory_bytes / kGib,
                     device.capability_major, device.capability_minor);
}

// The devices, and whether the first works when this build can tell.
Finding examine_gpu() {
  const Result<std::vector<cuda::DeviceFacts>> devices = cuda::list_devices();
  if (!devices.ok()) {
    return {"GPU", Verdict::kAbsent, std::string(message(devices.status())), "pipelines run on the CPU"};
  }
  std::vector<std::string> texts;
  std::transform(devices->begin(), devices->end(), std::back_inserter(texts), describe);
  const std::string detail = fmt::format("{}", fmt::join(texts, "; "));
  const Status check = cuda::kernel_targets().empty() ? ok_status() : cuda::check_device(0);
  if (!check.ok()) {
    return {"GPU", Verdict::kLimited, detail, fmt::format("device 0 does not work: {}", message(check))};
  }
  return {"GPU", Verdict::kLimited, detail, "this version's operators run on the CPU"};
}

Finding examine_cuda() {
  const Result<int> version = cuda::driver_version();
  const std::string driver = version.ok()
                                 ? fmt::format("driver for CUDA {}.{}", *version / 1000, *version % 1000 / 10)
                                 : "no driver";
  if (cuda::kernel_targets().empty()) {
    return {"CUDA", version.ok() ? Verdict::kLimited : Verdict::kAbsent,
            fmt::format("{}; this build has no kernels", driver),
            "memory of devices works without; `make cuda` builds with kernels"};
  }
  return {"CUDA", version.ok() ? Verdict::kGood : Verdict::kAbsent,
          fmt::format("{}; kernels for {}", driver, cuda::kernel_targets()), ""};
}

std::string output_of(const std::string& command) {
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) {
    return "";
  }
  std::string text;
  char part[512];
  while (std::fgets(part, sizeof(part), pipe) != nullptr) {
    text += part;
  }
  return pclose(pipe) == 0 ? text : "";
}

Finding examine_python() {
  const std::string python = own_python().string();
  const std::string script =
      "import importlib.util as u, sys; "
      "print(sys.version.split()[0], *(m for m in ('forebay', 'numpy', 'torch', 'jax', 'tensorflow') if "
      "u.find_spec(m)))";
  std::string found = output_of(fmt::format("'{}' -c \"{}\" 2>/dev/null", python, script));
  found.erase(std::find(found.begin(), found.end(), '\n'), found.end());
  if (found.empty()) {
    return {"Python", Verdict::kAbsent, "no python3 that runs",
            "the C++ library and this program work without"};
  }
  const bool has_forebay = found.find("forebay") != std::string::npos;
  return {"Python", has_forebay ? Verdict::kGood : Verdict::kLimited, fmt::format("{} ({})", found, python),
          has_forebay ? "" : "this Python cannot import forebay"};
}

}  // namespace

const char* name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::kGood:
      return "good";
    case Verdict::kLimited:
      return "limited";
    case Verdict::kAbsent:
      break;
  }
  return "absent";
}

std::string chosen_word(const std::string& text) {
  const size_t open = text.find('[');
  const size_t close = text.find(']', open == std::string::npos ? 0 : open);
  if (open == std::string::npos || close == std::string::npos) {
    return "";
  }
  return text.substr(open + 1, close - open - 1);
}

std::vector<Finding> examine_machine() {
  return {examine_processors(), examine_simd(),     examine_memory(),     examine_shared_memory(),
          examine_huge_pages(), examine_io_uring(), examine_open_files(), examine_locked_memory(),
          examine_fuse(),       examine_gpu(),      examine_cuda(),       examine_python()};
}

}  // namespace forebay::cli
