#include "forebay/tensor/columns/shared_table.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <utility>

#include <fmt/format.h>

namespace forebay::tensor {
namespace {

constexpr int kSeals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;

// Packs into the file through a temporary mapping.
Status write_to(const PackPlan& plan, int descriptor, const std::string& what) {
  const auto bytes = static_cast<size_t>(plan.size_bytes());
  // Allocate the blocks now: if there were no space, writing to the mapping would kill the process.
  if (const int error = posix_fallocate(descriptor, 0, static_cast<off_t>(bytes)); error != 0) {
    return errno_status(error, fmt::format("{} bytes for {}", bytes, what));
  }
  void* const region = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  if (region == MAP_FAILED) {
    return errno_status(errno, fmt::format("mapping {}", what));
  }
  const Status status = plan.write({static_cast<std::byte*>(region), bytes});
  munmap(region, bytes);
  return status;
}

Result<Table> open_mapped(int descriptor, const std::string& what, const OpenPackedOptions& options) {
  struct stat facts {};
  if (fstat(descriptor, &facts) != 0) {
    return errno_status(errno, what);
  }
  if (!S_ISREG(facts.st_mode) || facts.st_size <= 0) {
    return data_loss("{}: not a packed table", what);
  }
  const auto bytes = static_cast<size_t>(facts.st_size);
  void* const region = mmap(nullptr, bytes, PROT_READ, MAP_SHARED, descriptor, 0);
  if (region == MAP_FAILED) {
    return errno_status(errno, fmt::format("mapping {}", what));
  }
  const memory::BufferRef buffer = memory::Buffer::wrap(region, bytes, memory::MemoryKind::kHost,
                                                        [region, bytes] { munmap(region, bytes); });
  Result<Table> table = open_packed(buffer, options);
  if (!table.ok()) {
    return annotate(table.status(), what);
  }
  return table;
}

}  // namespace

Result<FileDescriptor> share_table(const Table& table, const std::string& name) {
  FOREBAY_ASSIGN_OR_RETURN(const PackPlan plan, PackPlan::make(table));
  FileDescriptor descriptor(memfd_create(name.c_str(), MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (descriptor.get() < 0) {
    return errno_status(errno, "shared memory for a table");
  }
  FOREBAY_RETURN_IF_ERROR(write_to(plan, descriptor.get(), "a table in shared memory"));
  if (fcntl(descriptor.get(), F_ADD_SEALS, kSeals | F_SEAL_SEAL) != 0) {
    return errno_status(errno, "sealing a table in shared memory");
  }
  return descriptor;
}

Result<Table> open_shared_table(int descriptor, const OpenPackedOptions& options) {
  const int seals = fcntl(descriptor, F_GET_SEALS);
  if (seals < 0) {
    return errno_status(errno, fmt::format("descriptor {} as shared memory", descriptor));
  }
  if ((seals & (F_SEAL_SHRINK | F_SEAL_WRITE)) != (F_SEAL_SHRINK | F_SEAL_WRITE)) {
    return failed_precondition("the shared memory of descriptor {} is not sealed", descriptor);
  }
  return open_mapped(descriptor, "shared memory", options);
}

Status save_table(const Table& table, const std::string& path) {
  FOREBAY_ASSIGN_OR_RETURN(const PackPlan plan, PackPlan::make(table));
  std::string temporary = path + ".XXXXXX";
  const FileDescriptor file(mkostemp(temporary.data(), O_CLOEXEC));
  if (file.get() < 0) {
    return errno_status(errno, path);
  }
  Status status = write_to(plan, file.get(), path);
  constexpr mode_t kMode = 0644;
  if (status.ok() && (fchmod(file.get(), kMode) != 0 || std::rename(temporary.c_str(), path.c_str()) != 0)) {
    status = errno_status(errno, path);
  }
  if (!status.ok()) {
    unlink(temporary.c_str());
  }
  return status;
}

Result<Table> load_table(const std::string& path, const OpenPackedOptions& options) {
  const FileDescriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0) {
    return errno_status(errno, path);
  }
  return open_mapped(file.get(), path, options);
}

}  // namespace forebay::tensor
