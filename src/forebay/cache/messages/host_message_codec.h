// The bytes of messages between processes and their host's daemon: a writer and a reader that go through the
// same lists of fields. Private to host_messages.cc.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/cord.h"
#include "forebay/cache/disk/word_codec.h"
#include "forebay/cache/messages/host_messages.h"

namespace forebay::cache {

inline constexpr size_t kMaxErrorTextBytes = size_t{8} << 10;
inline constexpr size_t kMaxErrorPayloads = 8;
inline constexpr size_t kMaxErrorPayloadBytes = kMaxNameBytes / kMaxErrorPayloads;
inline constexpr uint32_t kMaxStatusCode = 16;

/// Whether a list of fields is that of `Message`, to be written (const) or read.
template <class Listed, class Message>
concept Lists = std::same_as<std::remove_const_t<Listed>, Message>;

/// The key of an object is not sent: the process knows which one it asked about.
void list_fields(auto& fields, Lists<storage::ObjectStat> auto& stat) {
  fields(stat.size_bytes, stat.modified_ns, stat.version);
}

void list_fields(auto& fields, Lists<storage::EpochPart> auto& part) {
  fields(part.epoch, part.begin, part.end);
}

void list_fields(auto& fields, Lists<storage::PlanDescription> auto& order) {
  fields(order.num_items, order.seed, order.num_shards, order.shard_id, order.batch_size,
         order.random_shuffle, order.shard_first, order.shuffle_after_epoch, order.stick_to_shard,
         order.pad_last_batch, order.begin.first_epoch, order.begin.first_whole_epoch, order.begin.left);
}

void list_fields(auto& fields, Lists<WindowRange> auto& range) {
  fields(range.place, range.uri, range.offset_bytes, range.length_bytes, range.version, range.is_to_end);
}

void list_fields(auto& fields, Lists<HostListEntry> auto& entry) {
  fields(entry.name, entry.stat);
}

void list_fields(auto& fields, Lists<HostBringRange> auto& range) {
  fields(range.name, range.version, range.object_bytes, range.offset_bytes, range.length_bytes);
}

void list_fields(auto& fields, Lists<HostBroughtRange> auto& range) {
  fields(range.status, range.was_there);
}

/// What is a part of messages, and has a list of its own.
template <class Part>
concept MessagePart =
    std::same_as<Part, storage::ObjectStat> || std::same_as<Part, storage::PlanDescription> ||
    std::same_as<Part, storage::EpochPart> || std::same_as<Part, WindowRange> ||
    std::same_as<Part, HostListEntry> || std::same_as<Part, HostBringRange> ||
    std::same_as<Part, HostBroughtRange>;

template <class Part>
concept ListedPart = MessagePart<Part> || std::same_as<Part, std::string>;

/// Writes a message.
class MessageWriter {
 public:
  MessageWriter(HostMessage kind, uint64_t number) { (*this)(static_cast<uint8_t>(kind), number); }

  template <class... Field>
  void operator()(const Field&... fields) {
    (put(fields), ...);
  }
  std::string take() { return std::move(bytes_); }

 private:
  template <std::integral Number>
  void put(Number value) {
    append_word(&bytes_, value);
  }
  void put(bool value) { put(static_cast<uint8_t>(value)); }
  void put(WalkKind kind) { put(static_cast<uint8_t>(kind)); }
  void put(ChangeKind kind) { put(static_cast<uint8_t>(kind)); }
  void put(const std::string& text) {
    put(static_cast<uint32_t>(text.size()));
    bytes_.append(text);
  }
  template <MessagePart Part>
  void put(const Part& part) {
    list_fields(*this, part);
  }
  template <class Part>
  void put(const std::optional<Part>& part) {
    put(part.has_value());
    if (part) {
      put(*part);
    }
  }
  template <ListedPart Part>
  void put(const std::vector<Part>& parts) {
    put(static_cast<uint32_t>(parts.size()));
    for (const Part& part : parts) {
      put(part);
    }
  }
  void put(const storage::StoreOptions& options) {
    put(static_cast<uint32_t>(options.size()));
    for (const auto& [name, value] : options) {
      (*this)(name, value);
    }
  }
  void put(const std::optional<storage::StoreVariables>& variables) {
    put(variables.value_or(storage::StoreVariables()));
  }
  void put(const Status& status) {
    std::vector<std::pair<std::string, std::string>> payloads;
    status.ForEachPayload([&](absl::string_view type, const absl::Cord& payload) {
      if (payloads.size() < kMaxErrorPayloads && payload.size() <= kMaxErrorPayloadBytes) {
        payloads.emplace_back(type, std::string(payload));
      }
    });
    (*this)(static_cast<uint32_t>(status.code()), std::string(message(status).substr(0, kMaxErrorTextBytes)),
            static_cast<uint8_t>(payloads.size()));
    for (const auto& [type, payload] : payloads) {
      (*this)(type, payload);
    }
  }

  std::string bytes_;
};

/// Reads what is behind a message's header. After something that is not there it gives zeros, and end() says
/// so.
class MessageReader {
 public:
  explicit MessageReader(Bytes message)
      : bytes_(message.subspan(std::min(message.size(), kHostHeaderBytes))) {}

  template <class... Field>
  void operator()(Field&... fields) {
    (take(fields), ...);
  }
  /// Whether all was there, and nothing is left.
  Status end() const {
    return is_sound_ && bytes_.empty() ? ok_status()
                                       : invalid_argument("a message that cannot be understood");
  }

 private:
  template <std::integral Number>
  void take(Number& value) {
    if (bytes_.size() < sizeof(Number)) {
      return fail();
    }
    WordReader words(bytes_);
    value = words.take<Number>();
    bytes_ = bytes_.subspan(sizeof(Number));
  }
  void take(bool& value) {
    uint8_t number = 0;
    take(number);
    if (number > 1) {
      return fail();
    }
    value = number != 0;
  }
  void take(WalkKind& kind) {
    uint8_t number = 0;
    take(number);
    kind = static_cast<WalkKind>(number);
    if (kind != WalkKind::kVerify && kind != WalkKind::kFree && kind != WalkKind::kCount) {
      fail();
    }
  }
  void take(ChangeKind& kind) {
    uint8_t number = 0;
    take(number);
    kind = static_cast<ChangeKind>(number);
    if (kind < ChangeKind::kRemove || kind > ChangeKind::kSettle) {
      fail();
    }
  }
  void take(std::string& text) {
    uint32_t size = 0;
    take(size);
    if (size > kMaxNameBytes || size > bytes_.size()) {
      return fail();
    }
    text.assign(reinterpret_cast<const char*>(bytes_.data()), size);
    bytes_ = bytes_.subspan(size);
  }
  template <MessagePart Part>
  void take(Part& part) {
    list_fields(*this, part);
  }
  template <class Part>
  void take(std::optional<Part>& part) {
    bool is_there = false;
    take(is_there);
    if (is_there) {
      take(part.emplace());
    }
  }
  // Each part has bytes of its own, so a message bounds their number.
  template <ListedPart Part>
  void take(std::vector<Part>& parts) {
    uint32_t count = 0;
    take(count);
    for (uint32_t i = 0; i < count && is_sound_; ++i) {
      take(parts.emplace_back());
    }
  }
  void take(storage::StoreOptions& options) {
    uint32_t count = 0;
    take(count);
    if (count > kMaxOptions) {
      return fail();
    }
    for (uint32_t i = 0; i < count && is_sound_; ++i) {
      std::string name;
      std::string value;
      (*this)(name, value);
      if (!options.empty() && name <= options.rbegin()->first) {
        return fail();  // options come in the order of their names
      }
      options.emplace_hint(options.end(), std::move(name), std::move(value));
    }
  }
  void take(std::optional<storage::StoreVariables>& variables) { take(variables.emplace()); }
  void take(Status& status) {
    uint32_t code = 0;
    std::string text;
    uint8_t payloads = 0;
    (*this)(code, text, payloads);
    const bool is_plain = text.empty() && payloads == 0;
    if (code > kMaxStatusCode || text.size() > kMaxErrorTextBytes || payloads > kMaxErrorPayloads ||
        (code == 0 && !is_plain)) {
      return fail();
    }
    status = Status(static_cast<StatusCode>(code), text);
    for (uint8_t i = 0; i < payloads && is_sound_; ++i) {
      std::string type;
      std::string payload;
      (*this)(type, payload);
      status.SetPayload(type, absl::Cord(payload));
    }
  }
  void fail() {
    is_sound_ = false;
    bytes_ = {};
  }

  Bytes bytes_;
  bool is_sound_ = true;
};

}  // namespace forebay::cache
