#include "forebay/storage/device_reads/device_read.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "forebay/memory/device/direct_reader.h"
#include "forebay/memory/device_driver.h"
#include "forebay/storage/blocking.h"
#include "forebay/storage/device_reads/staged_read.h"
#include "forebay/storage/local/file_version.h"
#include "forebay/storage/range.h"

namespace forebay::storage {
namespace {

/// What a direct read needs.
struct DirectWay {
  std::shared_ptr<memory::DirectReader> reader;
  std::string path;
};

Status check(const ReadRequest& request, const DevicePlace& place, const DeviceReadOptions& options,
             std::string_view uri) {
  if (options.chunk_bytes == 0 || options.chunks_in_flight == 0) {
    return invalid_argument(
        "{}: a read to a device needs chunks of at least 1 byte and at least 1 in flight, not {} and {}", uri,
        options.chunk_bytes, options.chunks_in_flight);
  }
  if (request.padding_bytes > 0) {
    return invalid_argument("{}: reads to a device cannot be padded; {} bytes of padding were asked for", uri,
                            request.padding_bytes);
  }
  if (place.engine == nullptr || place.lane == nullptr || place.copies == nullptr) {
    return invalid_argument("{}: a read to a device needs an engine, a lane and an executor", uri);
  }
  const bool is_host = place.queue.driver == memory::kHostDriver;
  if (is_host && !memory::is_host_accessible(place.buffer->kind())) {
    return invalid_argument("{}: {} memory cannot be filled from a queue of the host", uri,
                            memory::name_of(place.buffer->kind()));
  }
  if (memory::find_driver(place.queue.driver) == nullptr) {
    return failed_precondition("{}: there is no device driver {}; it may have been removed", uri,
                               place.queue.driver);
  }
  return ok_status();
}

Status check_fits(const ReadRequest& request, const DevicePlace& place, std::string_view uri) {
  const uint64_t size_bytes = place.buffer->size_bytes();
  if (place.offset_bytes <= size_bytes && request.length_bytes <= size_bytes - place.offset_bytes) {
    return ok_status();
  }
  return out_of_range("{}: {} bytes at {} do not fit at {} into a buffer of {}", uri, request.length_bytes,
                      request.offset_bytes, place.offset_bytes, size_bytes);
}

Result<DirectWay> find_direct_way(const ObjectStore& store, const ReadRequest& request,
                                  const DevicePlace& place, const DeviceReadOptions& options) {
  if (!options.may_be_direct) {
    return failed_precondition("a direct read was not asked for");
  }
  if (memory::is_host_accessible(place.buffer->kind())) {
    return unimplemented("direct reads go to device memory, not to {} memory",
                         memory::name_of(place.buffer->kind()));
  }
  DirectWay way{.reader = memory::find_direct_reader(place.queue.driver)};
  if (way.reader == nullptr) {
    return unimplemented("the driver '{}' cannot read files into its own memory",
                         memory::find_driver(place.queue.driver)->name);
  }
  std::optional<std::string> path = store.local_file(request.key);
  if (!path) {
    return unimplemented("{} is not a local file", store.uri_of(request.key));
  }
  way.path = *std::move(path);
  return way;
}

// Fills in the version and the length if the request left them open.
Status resolve(ObjectStore& store, ReadRequest& request) {
  FOREBAY_ASSIGN_OR_RETURN(const ObjectStat stat, stat_now(store, request.key));
  const std::string uri = store.uri_of(request.key);
  if (request.if_version.empty()) {
    request.if_version = stat.version;
  } else if (!has_same_content(store, request.key, request.if_version, stat.version)) {
    return version_changed(uri, request.if_version, stat.version);
  }
  FOREBAY_ASSIGN_OR_RETURN(request.length_bytes, range_length(request, stat.size_bytes, uri));
  return ok_status();
}

// The device's own reads are on no queue, so the host waits for everything that may use the memory: earlier
// tasks, the buffer's users, and earlier work on the queue, since the memory may have been allocated in queue
// order.
Status wait_for_memory(const DevicePlace& place) {
  const Status waited = place.engine->wait(place.content);
  const bool is_over = waited.ok() || waited == place.engine->error_of(place.content);
  FOREBAY_RETURN_IF_ERROR(is_over ? ok_status() : waited);
  FOREBAY_RETURN_IF_ERROR(memory::wait(place.buffer->last_write()));
  for (const Fence& reader : place.buffer->readers()) {
    FOREBAY_RETURN_IF_ERROR(memory::wait(reader));
  }
  FOREBAY_ASSIGN_OR_RETURN(const Fence now, memory::record(place.queue.driver, place.queue.queue));
  return memory::wait(now);
}

Status read_directly(const DirectWay& way, const ReadRequest& request, const DevicePlace& place) {
  FOREBAY_ASSIGN_OR_RETURN(const std::unique_ptr<memory::DirectFile> file, way.reader->open(way.path));
  FOREBAY_RETURN_IF_ERROR(wait_for_memory(place));
  std::byte* const destination = static_cast<std::byte*>(place.buffer->data()) + place.offset_bytes;
  return file->read(destination, request.length_bytes, request.offset_bytes);
}

// If the version is the same before the file is opened and after the read, all bytes are of that version.
Status check_version(ObjectStore& store, const ReadRequest& request) {
  FOREBAY_ASSIGN_OR_RETURN(const ObjectStat stat, stat_now(store, request.key));
  return has_same_content(store, request.key, request.if_version, stat.version)
             ? ok_status()
             : version_changed(store.uri_of(request.key), request.if_version, stat.version);
}

// Clears an error that the content may carry from before.
Status note_read(const DevicePlace& place) {
  place.buffer->set_last_write(Fence{});
  return place.engine->push(place.lane, {.name = "read directly", .writes = {&place.content, 1}},
                            [] { return ok_status(); });
}

}  // namespace

Result<DeviceRead> read_to_device(ObjectStore& store, const ReadRequest& request, const DevicePlace& place,
                                  const DeviceReadOptions& options) {
  const std::string uri = store.uri_of(request.key);
  FOREBAY_RETURN_IF_ERROR(check(request, place, options, uri));
  const Result<DirectWay> way = find_direct_way(store, request, place, options);
  ReadRequest resolved = request;
  if (way.ok() || request.length_bytes == kToEnd || request.length_bytes > options.chunk_bytes) {
    FOREBAY_RETURN_IF_ERROR(resolve(store, resolved));
  }
  FOREBAY_RETURN_IF_ERROR(check_fits(resolved, place, uri));
  DevicePlace to = place;
  if (!to.content.is_valid()) {
    to.content = to.engine->new_variable();
  }
  DeviceRead read{.size_bytes = resolved.length_bytes, .ready = to.content, .direct = way.status()};
  if (way.ok()) {
    read.direct = read_directly(*way, resolved, to);
    if (read.is_direct()) {
      FOREBAY_RETURN_IF_ERROR(check_version(store, resolved));
      FOREBAY_RETURN_IF_ERROR(note_read(to));
      return read;
    }
  }
  FOREBAY_RETURN_IF_ERROR(std::make_shared<StagedRead>(store, resolved, to, options)->start());
  return read;
}

}  // namespace forebay::storage
