#include "forebay/storage/remote/shared_places.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <memory>
#include <span>
#include <system_error>

#include "forebay/base/file_descriptor.h"
#include "forebay/base/log/log.h"
#include "forebay/net/aws_signature.h"
#include "forebay/storage/home/forebay_home.h"

namespace forebay::storage {
namespace {

/// The file. Only ever mapped, so that all see the same; new, it is full buckets.
struct LimitFile {
  std::atomic<int64_t> requests;
  std::atomic<int64_t> bytes;
};
static_assert(std::atomic<int64_t>::is_always_lock_free, "processes share it");

/// Times begin anew with each boot, and so do the places.
std::string this_boot() {
  std::string boot;
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::getline(file, boot);
  return boot.empty() ? "one" : boot;
}

void remove_earlier_boots(const std::string& limits, const std::string& folder) {
  std::error_code error;
  for (std::filesystem::directory_iterator entry(limits, error), end; !error && entry != end;
       entry.increment(error)) {
    if (std::error_code ignored; entry->path() != folder) {
      std::filesystem::remove_all(entry->path(), ignored);
    }
  }
}

/// The file in memory, until the last place goes.
class MappedLimits {
 public:
  static Result<std::shared_ptr<MappedLimits>> map(const FileDescriptor& file, const std::string& path) {
    void* const address = mmap(nullptr, sizeof(LimitFile), PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
    if (address == MAP_FAILED) {
      return errno_status(errno, path);
    }
    return std::make_shared<MappedLimits>(static_cast<LimitFile*>(address));
  }
  explicit MappedLimits(LimitFile* content) : content_(content) {}
  ~MappedLimits() { munmap(content_, sizeof(LimitFile)); }
  MappedLimits(const MappedLimits&) = delete;
  MappedLimits& operator=(const MappedLimits&) = delete;

  LimitFile& content() const { return *content_; }

 private:
  LimitFile* const content_;
};

Result<LimitPlaces> places_in_home(std::string_view identity) {
  FOREBAY_ASSIGN_OR_RETURN(const std::string home, forebay_home());
  const std::string folder = home + "/limits/" + this_boot();
  if (!std::filesystem::exists(folder)) {
    remove_earlier_boots(home + "/limits", folder);
    FOREBAY_RETURN_IF_ERROR(make_private_folder(folder));
  }
  return open_limit_places(folder + "/" + net::sha256_hex(std::as_bytes(std::span(identity))));
}

}  // namespace

// Whoever makes the file at the same time makes the same of it.
Result<LimitPlaces> open_limit_places(const std::string& path) {
  const FileDescriptor file(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file.is_valid() || ftruncate(file.get(), sizeof(LimitFile)) != 0) {
    return errno_status(errno, path);
  }
  FOREBAY_ASSIGN_OR_RETURN(const std::shared_ptr<MappedLimits> mapped, MappedLimits::map(file, path));
  LimitFile& content = mapped->content();
  return LimitPlaces{BucketPlace(mapped, &content.requests), BucketPlace(mapped, &content.bytes)};
}

LimitPlaces host_limit_places(std::string_view identity) {
  Result<LimitPlaces> places = places_in_home(identity);
  if (places.ok()) {
    return *std::move(places);
  }
  static std::atomic<bool> has_warned{false};
  if (!has_warned.exchange(true)) {
    log_warning("limits of rates hold for this process alone: {}", message(places.status()));
  }
  return {};
}

}  // namespace forebay::storage
