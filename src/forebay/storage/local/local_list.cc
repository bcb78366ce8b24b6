#include "forebay/storage/local/local_list.h"

#include <dirent.h>
#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <utility>

#include "forebay/storage/local/local_file.h"

namespace forebay::storage {
namespace {

constexpr size_t kFilesOfAPage = 1000;

struct CloseDirectory {
  void operator()(DIR* directory) const { ::closedir(directory); }
};
using Directory = std::unique_ptr<DIR, CloseDirectory>;

bool is_gone(int error_number) {
  return error_number == ENOENT || error_number == ENOTDIR;
}

}  // namespace

LocalList::LocalList(std::string root, ListRequest request, size_t names_in_memory)
    : root_(std::move(root)), request_(std::move(request)), names_in_memory_(names_in_memory) {
}

std::string LocalList::path_of(const std::string& key) const {
  if (root_.empty()) {
    return key.empty() ? "." : key;
  }
  return root_ + "/" + key;
}

bool LocalList::is_above(const struct stat& status) const {
  return std::ranges::find(above_, Identity(status.st_dev, status.st_ino)) != above_.end();
}

bool LocalList::is_listed(const std::string& key) const {
  const std::string& after = request_.start_after;
  const bool goes_on_below = request_.delimiter.empty() && key.ends_with('/') && after.starts_with(key);
  return !after.empty() && key <= after && !goes_on_below;
}

Status LocalList::check() const {
  if (!request_.delimiter.empty() && request_.delimiter != "/") {
    return invalid_argument("files are listed with the delimiter '/', not '{}'", request_.delimiter);
  }
  if (!root_.empty() && leaves_root(request_.prefix)) {
    return invalid_argument("'{}' leaves {}", request_.prefix, root_);
  }
  return ok_status();
}

void LocalList::next(const CallContext& context, ListCallback done) {
  if (!is_wanted(context)) {
    done(not_wanted(context, path_of(request_.prefix)));
    return;
  }
  done(next_page());
}

Status LocalList::open_first() {
  is_open_ = true;
  FOREBAY_RETURN_IF_ERROR(check());
  const size_t slash = request_.prefix.rfind('/');
  const std::string first = slash == std::string::npos ? "" : request_.prefix.substr(0, slash + 1);
  for (size_t end = first.starts_with('/') ? 1 : 0; end < first.size(); end = first.find('/', end) + 1) {
    enter(first.substr(0, end));
  }
  enter(first);
  if (!above_.empty()) {
    above_.pop_back();  // itself
  }
  return descend(first);
}

/// Goes along the way to the first folder, which may be named by "." and "..".
void LocalList::enter(const std::string& folder) {
  struct stat status {};
  if (::stat(path_of(folder).c_str(), &status) != 0) {
    return;
  }
  if (folder == "../" || folder.ends_with("/../")) {
    above_.clear();
  }
  const Identity identity(status.st_dev, status.st_ino);
  above_.erase(std::ranges::find(above_, identity), above_.end());
  above_.push_back(identity);
}

Status LocalList::descend(std::string directory) {
  struct stat status {};
  if (::stat(path_of(directory).c_str(), &status) != 0) {
    return is_gone(errno) ? ok_status() : errno_status(errno, path_of(directory));
  }
  if (is_above(status)) {
    return ok_status();
  }
  above_.emplace_back(status.st_dev, status.st_ino);
  levels_.push_back({.directory = std::move(directory)});
  return read_names(levels_.back());
}

std::string LocalList::name_of(int directory, const char* name, unsigned char type,
                               const Level& level) const {
  std::string key_name = name;
  if (key_name == "." || key_name == ".." || key_name.starts_with(kTemporaryPrefix)) {
    return {};
  }
  bool is_directory = type == DT_DIR;
  if (type != DT_DIR && type != DT_REG) {
    struct stat status {};
    const bool is_there = ::fstatat(directory, name, &status, 0) == 0;
    if (!is_there && !is_broken_link(path_of(level.directory + key_name))) {
      return {};  // removed meanwhile
    }
    is_directory = is_there && S_ISDIR(status.st_mode);
    if (is_there && ((is_directory && is_above(status)) || (!is_directory && !S_ISREG(status.st_mode)))) {
      return {};
    }
  }
  if (is_directory) {
    key_name += '/';
  }
  const std::string key = level.directory + key_name;
  const bool fits = key.starts_with(request_.prefix) || (is_directory && request_.prefix.starts_with(key));
  return fits && key_name > level.last && !is_listed(key) ? key_name : std::string();
}

Status LocalList::read_names(Level& level) {
  level.names.clear();
  level.next = 0;
  const std::string path = path_of(level.directory);
  const Directory stream(::opendir(path.c_str()));
  if (!stream) {
    level.is_rest = true;
    return is_gone(errno) ? ok_status() : errno_status(errno, path);
  }
  level.is_rest = true;
  const auto keep_first = [&] {
    if (level.names.size() > names_in_memory_) {
      const auto end = level.names.begin() + static_cast<std::ptrdiff_t>(names_in_memory_);
      std::nth_element(level.names.begin(), end, level.names.end());
      level.names.erase(end, level.names.end());
      level.is_rest = false;
    }
  };
  errno = 0;
  while (const dirent* const entry = ::readdir(stream.get())) {
    std::string name = name_of(::dirfd(stream.get()), entry->d_name, entry->d_type, level);
    if (!name.empty()) {
      level.names.push_back(std::move(name));
    }
    if (level.names.size() == 2 * names_in_memory_) {
      keep_first();
    }
    errno = 0;
  }
  if (errno != 0) {
    return errno_status(errno, path);
  }
  keep_first();
  std::ranges::sort(level.names);
  return ok_status();
}

Status LocalList::take(const std::string& key, ListPage& page) {
  if (key.ends_with('/')) {
    if (request_.delimiter.empty()) {
      return descend(key);
    }
    page.prefixes.push_back(key);
    return ok_status();
  }
  if (request_.names_only) {
    page.objects.push_back({.key = key});
    return ok_status();
  }
  FileStatus status;
  const std::string path = path_of(key);
  if (look_at(path.c_str(), &status) != 0) {
    if (is_gone(errno) && is_broken_link(path)) {
      page.objects.push_back({.key = key});
      return ok_status();
    }
    return is_gone(errno) ? ok_status() : errno_status(errno, path);
  }
  if (S_ISREG(status.st_mode)) {
    page.objects.push_back(object_stat_of(status, key));
  }
  return ok_status();
}

Result<ListPage> LocalList::next_page() {
  if (is_at_end_) {
    return out_of_range("{}: the listing has ended", path_of(request_.prefix));
  }
  if (!is_open_) {
    FOREBAY_RETURN_IF_ERROR(open_first());
  }
  const size_t page_entries = request_.page_entries == 0 ? kFilesOfAPage : request_.page_entries;
  ListPage page;
  while (!levels_.empty()) {
    Level& level = levels_.back();
    if (level.next == level.names.size()) {
      if (level.is_rest) {
        levels_.pop_back();
        above_.pop_back();
        continue;
      }
      FOREBAY_RETURN_IF_ERROR(read_names(level));
      continue;
    }
    if (page.objects.size() + page.prefixes.size() == page_entries) {
      return page;
    }
    level.last = std::move(level.names[level.next]);
    ++level.next;
    FOREBAY_RETURN_IF_ERROR(take(level.directory + level.last, page));
  }
  is_at_end_ = true;
  page.is_last = true;
  return page;
}

}  // namespace forebay::storage
