// Opens an index, mapped if it is a local file.

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <utility>

#include "forebay/dataset/index/sample_index.h"
#include "forebay/storage/blocking.h"

namespace forebay::dataset {
namespace {

struct Mapping {
  void* address = MAP_FAILED;
  size_t bytes = 0;

  Mapping() = default;
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  ~Mapping() {
    if (address != MAP_FAILED) {
      ::munmap(address, bytes);
    }
  }
};

Result<std::shared_ptr<const Mapping>> map_file(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) {
    return errno_status(errno, path);
  }
  struct stat status {};
  Status error;
  auto mapping = std::make_shared<Mapping>();
  if (::fstat(file, &status) != 0) {
    error = errno_status(errno, path);
  } else if (!S_ISREG(status.st_mode) || status.st_size <= 0) {
    error = data_loss("{}: no sample index: the file is empty or missing", path);
  } else {
    mapping->bytes = static_cast<size_t>(status.st_size);
    mapping->address = ::mmap(nullptr, mapping->bytes, PROT_READ, MAP_SHARED | MAP_POPULATE, file, 0);
    error = mapping->address == MAP_FAILED ? errno_status(errno, path) : ok_status();
  }
  ::close(file);
  FOREBAY_RETURN_IF_ERROR(error);
  return mapping;
}

}  // namespace

Result<std::shared_ptr<const SampleIndex>> SampleIndex::open(const storage::ObjectAddress& address) {
  const std::optional<std::string> path = address.store->local_file(address.key);
  if (path) {
    FOREBAY_ASSIGN_OR_RETURN(std::shared_ptr<const Mapping> mapping, map_file(*path));
    const Bytes image(static_cast<const std::byte*>(mapping->address), mapping->bytes);
    return from_image(image, std::move(mapping), address.uri());
  }
  FOREBAY_ASSIGN_OR_RETURN(const storage::ReadBytes read,
                           storage::read_now(*address.store, {.key = address.key}));
  return from_image(read.bytes, read.owner, address.uri());
}

}  // namespace forebay::dataset
