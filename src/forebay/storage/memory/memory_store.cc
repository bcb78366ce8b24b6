#include "forebay/storage/memory/memory_store.h"

#include <utility>
#include <vector>

#include "forebay/memory/copy.h"
#include "forebay/storage/range.h"

namespace forebay::storage {
namespace {

Result<memory::BufferRef> copy_of(Bytes content) {
  FOREBAY_ASSIGN_OR_RETURN(memory::BufferRef buffer, memory::Buffer::allocate(content.size()));
  if (!content.empty()) {
    memory::copy(buffer->data(), content.data(), content.size());
  }
  return buffer;
}

/// Parts are kept until commit.
class MemoryWriter final : public ObjectWriter {
 public:
  MemoryWriter(std::shared_ptr<MemoryStore> store, std::string key, WriteOptions options)
      : store_(std::move(store)), key_(std::move(key)), options_(std::move(options)) {}

  void append(Bytes part, StatusCallback done) override {
    content_.insert(content_.end(), part.begin(), part.end());
    done(ok_status());
  }

  void commit(StatCallback done) override { store_->write(key_, content_, options_, std::move(done)); }

 private:
  std::shared_ptr<MemoryStore> store_;
  std::string key_;
  WriteOptions options_;
  std::vector<std::byte> content_;
};

}  // namespace

std::string MemoryStore::uri_of(std::string_view key) const {
  return "mem://" + std::string(key);
}

Result<MemoryStore::Object> MemoryStore::find(std::string_view key) const {
  std::lock_guard lock(mutex_);
  const auto found = objects_.find(key);
  if (found == objects_.end()) {
    return no_such_object(uri_of(key));
  }
  return found->second;
}

void MemoryStore::stat(std::string key, StatCallback done) {
  Result<Object> object = find(key);
  if (!object.ok()) {
    done(object.status());
    return;
  }
  done(object->stat);
}

ListPage MemoryStore::list_objects(const ListRequest& request) const {
  std::lock_guard lock(mutex_);
  ListPage page;
  auto place = objects_.lower_bound(request.prefix);
  if (!request.page_token.empty()) {
    place = objects_.upper_bound(request.page_token);
  }
  std::string last;
  while (place != objects_.end() && place->first.starts_with(request.prefix)) {
    if (request.max_entries != 0 && page.objects.size() + page.prefixes.size() == request.max_entries) {
      page.next_page_token = last;
      break;
    }
    const size_t fold = request.delimiter.empty()
                            ? std::string::npos
                            : place->first.find(request.delimiter, request.prefix.size());
    if (fold == std::string::npos) {
      last = place->first;
      page.objects.push_back(place->second.stat);
      ++place;
      continue;
    }
    page.prefixes.push_back(place->first.substr(0, fold + request.delimiter.size()));
    while (place != objects_.end() && place->first.starts_with(page.prefixes.back())) {
      last = place->first;
      ++place;
    }
  }
  return page;
}

void MemoryStore::list(ListRequest request, ListCallback done) {
  done(list_objects(request));
}

Result<ReadBytes> MemoryStore::read_object(const ReadRequest& request) const {
  FOREBAY_ASSIGN_OR_RETURN(const Object object, find(request.key));
  const std::string uri = uri_of(request.key);
  if (!request.if_version.empty() && request.if_version != object.stat.version) {
    return version_changed(uri, request.if_version, object.stat.version);
  }
  FOREBAY_ASSIGN_OR_RETURN(const uint64_t length, range_length(request, object.stat.size_bytes, uri));
  FOREBAY_ASSIGN_OR_RETURN(ReadBytes read, allocate_read(request, length, uri));
  if (length > 0) {
    memory::copy(read.buffer->data(), object.content->bytes().data() + request.offset_bytes, length);
  }
  return read;
}

void MemoryStore::read(ReadRequest request, ReadCallback done) {
  done(read_object(request));
}

Result<Lease> MemoryStore::lease(std::string_view key) {
  FOREBAY_ASSIGN_OR_RETURN(Object object, find(key));
  const Bytes bytes = object.content->bytes();
  return Lease{std::move(object.content), bytes, std::move(object.stat.version)};
}

Result<ObjectStat> MemoryStore::put(const std::string& key, memory::BufferRef content,
                                    const WriteOptions& options) {
  if (key.empty()) {
    return invalid_argument("mem://: an object needs a key");
  }
  std::lock_guard lock(mutex_);
  const auto found = objects_.find(key);
  if (options.if_absent && found != objects_.end()) {
    return already_exists("{}: the object exists", uri_of(key));
  }
  if (!options.if_version.empty()) {
    if (found == objects_.end()) {
      return no_such_object(uri_of(key));
    }
    if (found->second.stat.version != options.if_version) {
      return version_changed(uri_of(key), options.if_version, found->second.stat.version);
    }
  }
  Object object;
  object.stat.key = key;
  object.stat.size_bytes = content->size_bytes();
  object.stat.version = std::to_string(next_version_++);
  object.content = std::move(content);
  ObjectStat stat = object.stat;
  objects_.insert_or_assign(key, std::move(object));
  return stat;
}

void MemoryStore::write(std::string key, Bytes content, WriteOptions options, StatCallback done) {
  Result<memory::BufferRef> copy = copy_of(content);
  if (!copy.ok()) {
    done(annotate(copy.status(), uri_of(key)));
    return;
  }
  done(put(key, *std::move(copy), options));
}

Result<std::unique_ptr<ObjectWriter>> MemoryStore::open_writer(std::string key, WriteOptions options) {
  return std::make_unique<MemoryWriter>(shared_from_this(), std::move(key), std::move(options));
}

void MemoryStore::remove(std::string key, StatusCallback done) {
  bool removed = false;
  {
    std::lock_guard lock(mutex_);
    removed = objects_.erase(key) > 0;
  }
  done(removed ? ok_status() : no_such_object(uri_of(key)));
}

Result<ObjectAddress> MemoryStore::derived(std::string_view key, std::string_view version,
                                           std::string_view kind) {
  std::lock_guard lock(mutex_);
  std::shared_ptr<MemoryStore>& store = derived_[std::string(kind)];
  if (!store) {
    store = std::make_shared<MemoryStore>();
  }
  return ObjectAddress{store, std::string(version) + "/" + std::string(key)};
}

}  // namespace forebay::storage
