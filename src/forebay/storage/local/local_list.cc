#include "forebay/storage/local/local_list.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <utility>

#include "forebay/storage/local/local_file.h"

namespace forebay::storage {
namespace {

struct Entry {
  std::string name;  // a directory's ends with "/", so that names sort as the keys below them do
  struct stat status {};

  bool is_directory() const { return name.back() == '/'; }
};

using Identity = std::pair<dev_t, ino_t>;

Identity identity_of(const struct stat& status) {
  return {status.st_dev, status.st_ino};
}

struct CloseDirectory {
  void operator()(DIR* directory) const { ::closedir(directory); }
};
using Directory = std::unique_ptr<DIR, CloseDirectory>;

class Lister {
 public:
  Lister(const std::string& root, const ListRequest& request) : root_(root), request_(request) {}

  Result<ListPage> run() {
    const size_t slash = request_.prefix.rfind('/');
    const std::string directory = slash == std::string::npos ? "" : request_.prefix.substr(0, slash + 1);
    note_above(directory);
    FOREBAY_RETURN_IF_ERROR(walk(directory));
    return std::move(page_);
  }

 private:
  std::string path_of(const std::string& key) const {
    if (root_.empty()) {
      return key.empty() ? "." : key;
    }
    return root_ + "/" + key;
  }

  bool is_full() const {
    return request_.max_entries != 0 && page_.objects.size() + page_.prefixes.size() >= request_.max_entries;
  }

  /// False: the page is full.
  bool add(const std::string& key) {
    if (is_full()) {
      page_.next_page_token = last_;
      return false;
    }
    last_ = key;
    return true;
  }

  /// Whether the earlier pages have all of `key` and what is below it.
  bool is_listed(const std::string& key) const {
    const std::string& token = request_.page_token;
    if (token.empty()) {
      return false;
    }
    const bool goes_on_below = request_.delimiter.empty() && key.ends_with('/') && token.starts_with(key);
    return key <= token && !goes_on_below;
  }

  /// The directories from the root down to `directory`.
  void note_above(const std::string& directory);
  bool is_above(const struct stat& status) const {
    return std::ranges::find(above_, identity_of(status)) != above_.end();
  }
  Result<std::vector<Entry>> entries_of(const std::string& directory);
  Status walk(const std::string& directory);

  const std::string& root_;
  const ListRequest& request_;
  ListPage page_;
  std::string last_;
  std::vector<Identity> above_;
};

void Lister::note_above(const std::string& directory) {
  size_t end = directory.starts_with('/') ? 1 : 0;
  while (true) {
    struct stat status {};
    if (::stat(path_of(directory.substr(0, end)).c_str(), &status) == 0) {
      above_.push_back(identity_of(status));
    }
    if (end == directory.size()) {
      return;
    }
    end = directory.find('/', end) + 1;  // it ends with one
  }
}

Result<std::vector<Entry>> Lister::entries_of(const std::string& directory) {
  const std::string path = path_of(directory);
  const Directory stream(::opendir(path.c_str()));
  std::vector<Entry> entries;
  if (!stream) {
    return errno == ENOENT || errno == ENOTDIR ? Result<std::vector<Entry>>(std::move(entries))
                                               : errno_status(errno, path);
  }
  while (true) {
    errno = 0;
    const dirent* const item = ::readdir(stream.get());
    if (item == nullptr) {
      break;
    }
    const std::string_view name = item->d_name;
    if (name == "." || name == ".." || name.starts_with(kTemporaryPrefix) ||
        !(directory + item->d_name + "/").starts_with(request_.prefix)) {
      continue;
    }
    Entry entry;
    entry.name = name;
    const bool folded = item->d_type == DT_DIR && !request_.delimiter.empty();
    if (!folded && ::fstatat(::dirfd(stream.get()), item->d_name, &entry.status, 0) != 0) {
      continue;  // gone, or a link that leads nowhere
    }
    if (folded || S_ISDIR(entry.status.st_mode)) {
      if (!folded && is_above(entry.status)) {
        continue;
      }
      entry.name += '/';
    } else if (!S_ISREG(entry.status.st_mode) || !(directory + entry.name).starts_with(request_.prefix)) {
      continue;
    }
    entries.push_back(std::move(entry));
  }
  if (errno != 0) {
    return errno_status(errno, path);
  }
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.name < b.name; });
  return entries;
}

Status Lister::walk(const std::string& directory) {
  FOREBAY_ASSIGN_OR_RETURN(const std::vector<Entry> entries, entries_of(directory));
  for (const Entry& entry : entries) {
    const std::string key = directory + entry.name;
    if (is_listed(key)) {
      continue;
    }
    if (!entry.is_directory()) {
      if (!add(key)) {
        return ok_status();
      }
      page_.objects.push_back(object_stat_of(entry.status, key));
    } else if (!request_.delimiter.empty()) {
      if (!add(key)) {
        return ok_status();
      }
      page_.prefixes.push_back(key);
    } else {
      above_.push_back(identity_of(entry.status));
      FOREBAY_RETURN_IF_ERROR(walk(key));
      above_.pop_back();
      if (!page_.next_page_token.empty()) {
        return ok_status();
      }
    }
  }
  return ok_status();
}

}  // namespace

Result<ListPage> list_files(const std::string& root, const ListRequest& request) {
  return Lister(root, request).run();
}

}  // namespace forebay::storage
