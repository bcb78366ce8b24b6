#include "forebay/storage/memory/memory_store.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "forebay/memory/copy.h"
#include "forebay/storage/range.h"

namespace forebay::storage {
namespace {

constexpr size_t kObjectsOfAPage = 1000;

/// Copies `content` with room for the bytes that decoders read past the end, so that reads need no copy.
Result<memory::BufferRef> copy_of(Bytes content) {
  FOREBAY_ASSIGN_OR_RETURN(memory::BufferRef buffer,
                           memory::Buffer::allocate(content.size() + kDecoderPaddingBytes));
  if (!content.empty()) {
    memory::copy(buffer->data(), content.data(), content.size());
  }
  std::memset(buffer->mutable_bytes().data() + content.size(), 0, kDecoderPaddingBytes);
  return buffer;
}

std::string derived_key(std::string_view key, std::string_view version) {
  return std::string(version) + "/" + std::string(key);
}

/// Keeps the parts until commit.
class MemoryWriter final : public ObjectWriter {
 public:
  MemoryWriter(std::shared_ptr<MemoryStore> store, std::string key, WriteOptions options)
      : store_(std::move(store)), key_(std::move(key)), options_(std::move(options)) {}

  PartLimits limits() const override { return {.in_flight = 16}; }

  void append(Bytes part, const CallContext& context, StatusCallback done) override {
    if (failure_.ok() && !is_wanted(context)) {
      failure_ = not_wanted(context, store_->uri_of(key_));
    }
    if (failure_.ok()) {
      content_.insert(content_.end(), part.begin(), part.end());
    }
    done(failure_);
  }

  void commit(const CallContext& context, StatCallback done) override {
    if (!failure_.ok()) {
      done(failure_);
      return;
    }
    store_->write(key_, content_, options_, context, std::move(done));
  }

 private:
  std::shared_ptr<MemoryStore> store_;
  std::string key_;
  WriteOptions options_;
  std::vector<std::byte> content_;
  Status failure_;  // of an append
};

class MemoryList final : public ListStream {
 public:
  MemoryList(std::shared_ptr<const MemoryStore> store, ListRequest request)
      : store_(std::move(store)), request_(std::move(request)) {
    if (request_.page_entries == 0) {
      request_.page_entries = kObjectsOfAPage;
    }
  }

  void next(const CallContext& context, ListCallback done) override {
    if (!is_wanted(context)) {
      done(not_wanted(context, store_->uri_of(request_.prefix)));
      return;
    }
    if (is_at_end_) {
      done(out_of_range("{}: the listing has ended", store_->uri_of(request_.prefix)));
      return;
    }
    ListPage page = store_->list_objects(request_);
    is_at_end_ = page.is_last;
    if (!page.objects.empty()) {
      request_.start_after = page.objects.back().key;
    }
    if (!page.prefixes.empty()) {
      request_.start_after = std::max(request_.start_after, page.prefixes.back());
    }
    done(std::move(page));
  }

 private:
  const std::shared_ptr<const MemoryStore> store_;
  ListRequest request_;
  bool is_at_end_ = false;
};

}  // namespace

std::string MemoryStore::uri_of(std::string_view key) const {
  return "mem://" + std::string(key);
}

StoreFeatures MemoryStore::features() const {
  return {.can_rename = true, .can_copy = true, .has_resident = true};
}

Result<MemoryStore::Object> MemoryStore::find(std::string_view key) const {
  const MutexLock lock(mutex_);
  const auto found = objects_.find(key);
  if (found == objects_.end()) {
    return no_such_object(uri_of(key));
  }
  return found->second;
}

Result<MemoryStore::Object> MemoryStore::find_version(const std::string& key,
                                                      const std::string& if_version) const {
  FOREBAY_ASSIGN_OR_RETURN(Object object, find(key));
  if (!if_version.empty() && if_version != object.stat.version) {
    return version_changed(uri_of(key), if_version, object.stat.version);
  }
  return object;
}

void MemoryStore::stat(std::string key, const CallContext& context, StatCallback done) {
  if (!is_wanted(context)) {
    done(not_wanted(context, uri_of(key)));
    return;
  }
  Result<Object> object = find(key);
  if (!object.ok()) {
    done(object.status());
    return;
  }
  done(object->stat);
}

ListPage MemoryStore::list_objects(const ListRequest& request) const {
  const MutexLock lock(mutex_);
  ListPage page;
  page.is_last = true;
  auto place = objects_.lower_bound(request.prefix);
  if (request.start_after > request.prefix) {
    place = objects_.upper_bound(request.start_after);
  }
  while (place != objects_.end() && place->first.starts_with(request.prefix)) {
    const size_t fold = request.delimiter.empty()
                            ? std::string::npos
                            : place->first.find(request.delimiter, request.prefix.size());
    const bool is_folded = fold != std::string::npos;
    const std::string name =
        is_folded ? place->first.substr(0, fold + request.delimiter.size()) : place->first;
    const bool is_listed = is_folded && name <= request.start_after;
    if (!is_listed && page.objects.size() + page.prefixes.size() == request.page_entries) {
      page.is_last = false;
      return page;
    }
    if (!is_folded) {
      page.objects.push_back(place->second.stat);
      ++place;
      continue;
    }
    if (!is_listed) {
      page.prefixes.push_back(name);
    }
    while (place != objects_.end() && place->first.starts_with(name)) {
      ++place;
    }
  }
  return page;
}

std::unique_ptr<ListStream> MemoryStore::open_list(ListRequest request) {
  return std::make_unique<MemoryList>(shared_from_this(), std::move(request));
}

Result<ReadBytes> MemoryStore::read_object(const ReadRequest& request) const {
  FOREBAY_ASSIGN_OR_RETURN(const Object object, find_version(request.key, request.if_version));
  const std::string uri = uri_of(request.key);
  FOREBAY_ASSIGN_OR_RETURN(const uint64_t length, range_length(request, object.stat.size_bytes, uri));
  const Bytes bytes = object.content->bytes().subspan(request.offset_bytes);
  const bool is_view = request.resource == nullptr && request.into.data() == nullptr &&
                       bytes.size() - length >= request.padding_bytes;
  if (is_view) {
    return ReadBytes{.owner = object.content,
                     .bytes = bytes.first(length),
                     .version = object.stat.version,
                     .readable_behind = bytes.size() - length};
  }
  if (request.only_resident) {
    return failed_precondition("{}: the {} bytes behind the range are not in memory", uri,
                               request.padding_bytes);
  }
  FOREBAY_ASSIGN_OR_RETURN(ReadTarget target, allocate_read(request, length, object.stat.version, uri));
  if (length > 0) {
    memory::copy(target.destination.data(), bytes.data(), length);
  }
  return std::move(target.answer);
}

void MemoryStore::read(ReadRequest request, const CallContext& context, ReadCallback done) {
  if (!is_wanted(context)) {
    done(not_wanted(context, uri_of(request.key)));
    return;
  }
  done(read_object(request));
}

Status MemoryStore::check_place(const std::string& key, const WriteOptions& options) const {
  if (key.empty()) {
    return invalid_argument("mem://: an object needs a key");
  }
  const auto found = objects_.find(key);
  if (options.if_absent && found != objects_.end()) {
    return already_exists("{}: the object already exists", uri_of(key));
  }
  if (options.if_version.empty()) {
    return ok_status();
  }
  if (found == objects_.end()) {
    return no_such_object(uri_of(key));
  }
  return found->second.stat.version == options.if_version
             ? ok_status()
             : version_changed(uri_of(key), options.if_version, found->second.stat.version);
}

ObjectStat MemoryStore::place(const std::string& key, memory::BufferRef content, uint64_t size_bytes) {
  Object object;
  object.stat.key = key;
  object.stat.size_bytes = size_bytes;
  object.stat.version = std::to_string(next_version_++);
  object.content = std::move(content);
  ObjectStat stat = object.stat;
  if (const auto replaced = objects_.find(key); replaced != objects_.end()) {
    forget_derived(replaced->second);
  }
  objects_.insert_or_assign(key, std::move(object));
  return stat;
}

// Nobody asks for side data of a version that no longer exists.
void MemoryStore::forget_derived(const Object& gone) {
  for (const auto& [kind, store] : derived_) {
    store->remove(derived_key(gone.stat.key, gone.stat.version), {}, [](const Status&) {});
  }
}

Result<ObjectStat> MemoryStore::put_object(const std::string& key, memory::BufferRef content,
                                           uint64_t size_bytes, const WriteOptions& options) {
  const MutexLock lock(mutex_);
  FOREBAY_RETURN_IF_ERROR(check_place(key, options));
  return place(key, std::move(content), size_bytes);
}

Result<ObjectStat> MemoryStore::put(const std::string& key, memory::BufferRef content,
                                    const WriteOptions& options) {
  const uint64_t size_bytes = content->size_bytes();
  return put_object(key, std::move(content), size_bytes, options);
}

void MemoryStore::write(std::string key, Bytes content, WriteOptions options, const CallContext& context,
                        StatCallback done) {
  if (!is_wanted(context)) {
    done(not_wanted(context, uri_of(key)));
    return;
  }
  Result<memory::BufferRef> copy = copy_of(content);
  if (!copy.ok()) {
    done(annotate(copy.status(), uri_of(key)));
    return;
  }
  done(put_object(key, *std::move(copy), content.size(), options));
}

Result<std::unique_ptr<ObjectWriter>> MemoryStore::open_writer(std::string key, WriteOptions options) {
  return std::make_unique<MemoryWriter>(shared_from_this(), std::move(key), std::move(options));
}

void MemoryStore::remove(std::string key, const CallContext& context, StatusCallback done) {
  if (!is_wanted(context)) {
    done(not_wanted(context, uri_of(key)));
    return;
  }
  bool removed = false;
  {
    const MutexLock lock(mutex_);
    const auto found = objects_.find(key);
    removed = found != objects_.end();
    if (removed) {
      forget_derived(found->second);
      objects_.erase(found);
    }
  }
  done(removed ? ok_status() : no_such_object(uri_of(key)));
}

void MemoryStore::copy(MoveRequest request, const CallContext& context, StatCallback done) {
  if (!is_wanted(context)) {
    done(not_wanted(context, uri_of(request.from)));
    return;
  }
  Result<Object> object = find_version(request.from, request.if_version);
  if (!object.ok()) {
    done(object.status());
    return;
  }
  done(put_object(request.to, std::move(object->content), object->stat.size_bytes,
                  {.if_absent = request.if_absent}));
}

Result<ObjectStat> MemoryStore::rename_object(const MoveRequest& request) {
  const MutexLock lock(mutex_);
  const auto found = objects_.find(request.from);
  if (found == objects_.end()) {
    return no_such_object(uri_of(request.from));
  }
  const Object object = found->second;
  if (!request.if_version.empty() && object.stat.version != request.if_version) {
    return version_changed(uri_of(request.from), request.if_version, object.stat.version);
  }
  FOREBAY_RETURN_IF_ERROR(check_place(request.to, {.if_absent = request.if_absent}));
  forget_derived(object);
  objects_.erase(found);
  return place(request.to, object.content, object.stat.size_bytes);
}

void MemoryStore::rename(MoveRequest request, const CallContext& context, StatCallback done) {
  if (!is_wanted(context)) {
    done(not_wanted(context, uri_of(request.from)));
    return;
  }
  done(rename_object(request));
}

Result<ObjectAddress> MemoryStore::derived(std::string_view key, std::string_view version,
                                           std::string_view kind) {
  const MutexLock lock(mutex_);
  std::shared_ptr<MemoryStore>& store = derived_[std::string(kind)];
  if (!store) {
    store = std::make_shared<MemoryStore>();
  }
  return ObjectAddress{store, derived_key(key, version)};
}

}  // namespace forebay::storage
