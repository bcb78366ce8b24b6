// Writes an object of any size: a small one by one request, a large one in parts that go up side by side.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "forebay/memory/buffer.h"
#include "forebay/storage/object_store.h"

namespace forebay::storage {

/// Parts that become one object at the end. Thread safe. Ends with complete() or abort(), whichever is
/// called.
class PartedUpload {
 public:
  virtual ~PartedUpload() = default;
  /// How many parts were added.
  virtual size_t parts() const = 0;
  /// Sends a part. Parts are numbered in the order of the calls. `done` may come on another thread; until
  /// then `content` stays valid.
  virtual void add(Bytes content, const CallContext& context, StatusCallback done) = 0;
  /// The last part, which may be empty and of any size.
  virtual void add_last(Bytes content, const CallContext& context, StatusCallback done) {
    content.empty() ? done(ok_status()) : add(content, context, std::move(done));
  }
  /// Makes an object of `size_bytes` of all parts. Every part must be done.
  virtual void complete(uint64_t size_bytes, const WriteOptions& options, const CallContext& context,
                        StatCallback done) = 0;
  /// Ends it without an object, once the parts under way are done. Nothing of it stays at the store, as long
  /// as the process lives to say so.
  virtual void abort() = 0;
};

/// The object that is written.
class UploadTarget {
 public:
  virtual ~UploadTarget() = default;
  virtual std::string uri() const = 0;
  /// The whole object by one request.
  virtual void put(Bytes content, const WriteOptions& options, const CallContext& context,
                   StatCallback done) = 0;
  virtual std::shared_ptr<PartedUpload> begin() = 0;
};

struct GatheringOptions {
  uint64_t part_bytes = 8 << 20;  // least size of the parts
  bool parts_grow = true;         // with their number, where a store limits that
  size_t parts_in_flight = 8;
  uint64_t largest_bytes = uint64_t{5} << 30;  // that one request may bring; more is split
  uint64_t part_unit_bytes = 1;  // all parts but the last are multiples of it, and so is part_bytes
};

/// Content that is too small for a part of its own is copied and gathered; what is appended in parts of
/// limits().best_bytes or more goes up from where it is. Parts of an upload grow with their number, so that
/// the largest objects need no more than stores allow. A writer that goes while its commit is under way does
/// not end it.
class GatheringWriter final : public ObjectWriter {
 public:
  GatheringWriter(std::unique_ptr<UploadTarget> target, GatheringOptions options, WriteOptions write_options)
      : target_(std::move(target)), options_(options), write_options_(std::move(write_options)) {}
  ~GatheringWriter() override;

  PartLimits limits() const override;
  void append(Bytes part, const CallContext& context, StatusCallback done) override;
  void commit(const CallContext& context, StatCallback done) override;

 private:
  struct Gathered {
    Bytes bytes;
    memory::BufferRef owner;
  };

  static void finish_commit(const std::shared_ptr<PartedUpload>& upload, Result<ObjectStat> made,
                            StatCallback done);
  uint64_t least_part_bytes() const;
  Status gather(Bytes& part);
  bool is_full() const;
  Gathered take_gathered();
  void send(Bytes content, memory::BufferRef owner, const CallContext& context, StatusCallback done);
  void send_in_place(Bytes part, const CallContext& context, StatusCallback done);
  void send_split(Bytes part, const CallContext& context, StatusCallback done);

  const std::unique_ptr<UploadTarget> target_;
  const GatheringOptions options_;
  const WriteOptions write_options_;
  std::shared_ptr<PartedUpload> upload_;  // null: nothing was sent yet, or it was committed
  memory::BufferRef gathered_;            // what is too small to be sent; null: nothing is
  uint64_t gathered_bytes_ = 0;
  uint64_t size_bytes_ = 0;  // of the object so far
  Status failure_;           // content was lost: there will be no object
};

/// Writes a whole object through a writer; `content` is valid until `done`.
void write_in_parts(Result<std::unique_ptr<ObjectWriter>> opened, Bytes content, const CallContext& context,
                    StatCallback done);

}  // namespace forebay::storage
