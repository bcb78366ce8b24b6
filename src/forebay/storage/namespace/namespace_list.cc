#include "forebay/storage/namespace/namespace_list.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "forebay/storage/local/local_file.h"

namespace forebay::storage {
namespace {

constexpr size_t kEntriesOfAPage = 1000;

std::string root_of(const MountEntry& entry) {
  return entry.path == "/" ? std::string() : entry.path.substr(1) + "/";
}

/// Whether the key lies in one of the folders, or is the name of one.
bool is_in(std::string_view key, const std::vector<std::string>& folders) {
  return std::ranges::any_of(folders, [key](std::string_view folder) {
    return key.starts_with(folder) || key == folder.substr(0, folder.size() - 1);
  });
}

}  // namespace

const std::string* NamespaceList::Source::head() const {
  if (next_object == page.objects.size() && next_prefix == page.prefixes.size()) {
    return nullptr;
  }
  return next_is_prefix() ? &page.prefixes[next_prefix] : &page.objects[next_object].key;
}

bool NamespaceList::Source::next_is_prefix() const {
  if (next_prefix == page.prefixes.size() || next_object == page.objects.size()) {
    return next_prefix < page.prefixes.size();
  }
  return page.prefixes[next_prefix] < page.objects[next_object].key;
}

namespace {

class NamespaceListStream final : public ListStream {
 public:
  explicit NamespaceListStream(std::shared_ptr<NamespaceList> list) : list_(std::move(list)) {}
  void next(const CallContext& context, ListCallback done) override { list_->next(context, std::move(done)); }

 private:
  const std::shared_ptr<NamespaceList> list_;
};

}  // namespace

std::unique_ptr<ListStream> list_namespace(std::shared_ptr<OpenMounts> mounts, ListRequest request) {
  return std::make_unique<NamespaceListStream>(
      std::make_shared<NamespaceList>(std::move(mounts), std::move(request)));
}

NamespaceList::NamespaceList(std::shared_ptr<OpenMounts> mounts, ListRequest request)
    : mounts_(std::move(mounts)), request_(std::move(request)) {
  if (request_.page_entries == 0) {
    request_.page_entries = kEntriesOfAPage;
  }
}

Status NamespaceList::open() {
  if (!request_.delimiter.empty() && request_.delimiter != "/") {
    return invalid_argument("a namespace is listed with the delimiter '/', not '{}'", request_.delimiter);
  }
  if (leaves_root(request_.prefix)) {
    return invalid_argument("forebay:///{}: '..' is not allowed", request_.prefix);
  }
  FOREBAY_ASSIGN_OR_RETURN(const MountTableRef table, mounts_->table());
  const std::string folder = request_.prefix.substr(0, request_.prefix.rfind('/') + 1);
  FOREBAY_ASSIGN_OR_RETURN(OpenMountRef mount, mounts_->covering(*table, folder));
  add_source(*table, std::move(mount), request_.prefix);
  if (!request_.delimiter.empty()) {
    add_folders(*table);
    return ok_status();
  }
  for (const MountEntry* entry : table->below(request_.prefix)) {
    FOREBAY_ASSIGN_OR_RETURN(OpenMountRef below, mounts_->open(*entry));
    add_source(*table, below, below->root);
  }
  return ok_status();
}

void NamespaceList::add_source(const MountTable& table, OpenMountRef mount, const std::string& prefix) {
  const std::string& after = request_.start_after;
  if (after > mount->root && !after.starts_with(mount->root)) {
    return;  // all of its keys come before
  }
  Source source;
  for (const MountEntry* entry : table.below(mount->root)) {
    source.hidden.push_back(root_of(*entry));
  }
  source.first = prefix;
  source.mount = std::move(mount);
  sources_.push_back(std::move(source));
}

/// The mount points below, as folders.
void NamespaceList::add_folders(const MountTable& table) {
  std::set<std::string> folders;
  for (const MountEntry* entry : table.below(request_.prefix)) {
    const std::string root = root_of(*entry);
    const std::string folder = root.substr(0, root.find('/', request_.prefix.size()) + 1);
    if (root.size() > request_.prefix.size() && folder > request_.start_after) {
      folders.insert(folder);
    }
  }
  Source source;
  source.page.prefixes.assign(folders.begin(), folders.end());
  source.is_at_end = true;
  sources_.push_back(std::move(source));
}

ListRequest NamespaceList::request_to(const OpenMount& mount, const std::string& prefix) const {
  ListRequest request = request_;
  request.prefix = mount.upstream_key(prefix);
  request.start_after.clear();
  if (!request_.start_after.empty() && request_.start_after.starts_with(mount.root)) {
    request.start_after = mount.upstream_key(request_.start_after);
  }
  return request;
}

void NamespaceList::next(const CallContext& context, ListCallback done) {
  if (!is_open_) {
    is_open_ = true;
    status_ = open();
  }
  if (!is_wanted(context)) {
    done(not_wanted(context, "forebay:///" + request_.prefix));
    return;
  }
  if (is_at_end_) {
    done(out_of_range("forebay:///{}: the listing has ended", request_.prefix));
    return;
  }
  context_ = context;
  done_ = std::move(done);
  page_ = ListPage();
  run();
}

// Answers that come inline are taken by the loop, so that a long listing is no deep recursion. An answer that
// comes later goes on from its own thread.
void NamespaceList::run() {
  do {
    Source* const source = status_.ok() ? unanswered() : nullptr;
    if (source == nullptr) {
      deliver();
      return;
    }
    phase_.store(Phase::kAsked);
    ask(*source);
  } while (phase_.exchange(Phase::kLeft) == Phase::kAnswered);
}

void NamespaceList::ask(Source& source) {
  if (!source.stream) {
    source.stream = source.mount->store->open_list(request_to(*source.mount, source.first));
  }
  source.stream->next(context_, [self = shared_from_this(), &source](Result<ListPage> page) {
    self->take(source, std::move(page));
    if (self->phase_.exchange(Phase::kAnswered) == Phase::kLeft) {
      self->run();
    }
  });
}

void NamespaceList::take(Source& source, Result<ListPage> page) {
  if (!page.ok()) {
    status_ = page.status();
    return;
  }
  source.is_at_end = page->is_last;
  source.next_object = 0;
  source.next_prefix = 0;
  source.page = ListPage();
  for (ObjectStat& object : page->objects) {
    object.key = source.mount->namespace_key(object.key);
    if (!is_in(object.key, source.hidden)) {
      source.page.objects.push_back(std::move(object));
    }
  }
  for (const std::string& prefix : page->prefixes) {
    std::string folder = source.mount->namespace_key(prefix);
    if (!is_in(folder, source.hidden)) {
      source.page.prefixes.push_back(std::move(folder));
    }
  }
}

NamespaceList::Source* NamespaceList::lowest() {
  Source* lowest = nullptr;
  for (Source& source : sources_) {
    const std::string* const head = source.head();
    if (head != nullptr && (lowest == nullptr || *head < *lowest->head())) {
      lowest = &source;
    }
  }
  return lowest;
}

// Moves keys into the page until it is full or a source has to be asked.
NamespaceList::Source* NamespaceList::unanswered() {
  while (page_.objects.size() + page_.prefixes.size() < request_.page_entries) {
    Source* const next = lowest();
    for (Source& source : sources_) {
      const bool is_used_up = source.head() == nullptr && !source.is_at_end;
      if (is_used_up && (source.stream || next == nullptr || source.first <= *next->head())) {
        return &source;
      }
    }
    if (next == nullptr) {
      is_at_end_ = true;
      return nullptr;
    }
    move_head(*next);
  }
  return nullptr;
}

void NamespaceList::move_head(Source& source) {
  if (!source.next_is_prefix()) {
    page_.objects.push_back(std::move(source.page.objects[source.next_object++]));
    return;
  }
  std::string folder = std::move(source.page.prefixes[source.next_prefix++]);
  for (Source& other : sources_) {
    other.next_prefix += other.next_is_prefix() && *other.head() == folder ? 1 : 0;
  }
  page_.prefixes.push_back(std::move(folder));
}

void NamespaceList::deliver() {
  ListCallback done = std::move(done_);
  if (!status_.ok()) {
    done(status_);
    return;
  }
  page_.is_last = is_at_end_;
  done(std::move(page_));
}

}  // namespace forebay::storage
