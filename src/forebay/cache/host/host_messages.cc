#include "forebay/cache/host/host_messages.h"

#include <utility>
#include <vector>

#include "absl/strings/cord.h"
#include "forebay/cache/disk/word_codec.h"

namespace forebay::cache {
namespace {

constexpr size_t kMostMessageBytes = size_t{8} << 10;  // of an error's text
constexpr size_t kMostPayloads = 8;
constexpr uint32_t kMostStatusCode = 16;

std::string_view shortened(std::string_view text, size_t most) {
  return text.substr(0, most);
}

/// Writes a message.
class Writer {
 public:
  Writer(HostMessage kind, uint64_t number) {
    put(static_cast<uint8_t>(kind));
    put(number);
  }

  template <class T>
  void put(T value) {
    append_word(&bytes_, value);
  }
  void put(bool value) { put(static_cast<uint8_t>(value)); }
  void put_text(std::string_view text) {
    put(static_cast<uint32_t>(text.size()));
    bytes_.append(text);
  }
  void put_stat(const storage::ObjectStat& stat) {
    put(stat.size_bytes);
    put(stat.modified_ns);
    put_text(stat.version);
  }
  void put_status(const Status& status) {
    put(static_cast<uint32_t>(status.code()));
    put_text(shortened(message(status), kMostMessageBytes));
    std::vector<std::pair<std::string, std::string>> payloads;
    status.ForEachPayload([&](absl::string_view type, const absl::Cord& payload) {
      if (payloads.size() < kMostPayloads && payload.size() <= kMostNameBytes / kMostPayloads) {
        payloads.emplace_back(type, std::string(payload));
      }
    });
    put(static_cast<uint8_t>(payloads.size()));
    for (const auto& [type, payload] : payloads) {
      put_text(type);
      put_text(payload);
    }
  }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

/// Reads a message. After something that is not there it gives zeros, and end() says so.
class Reader {
 public:
  explicit Reader(Bytes message) : bytes_(message.subspan(std::min(message.size(), kHostHeaderBytes))) {}

  template <class T>
  T take() {
    if (bytes_.size() < sizeof(T)) {
      fail();
      return {};
    }
    WordReader words(bytes_);
    bytes_ = bytes_.subspan(sizeof(T));
    return words.take<T>();
  }
  bool take_flag() { return take<uint8_t>() != 0; }
  std::string take_text(size_t most = kMostNameBytes) {
    const auto size = take<uint32_t>();
    if (size > most || size > bytes_.size()) {
      fail();
      return {};
    }
    const Bytes text = bytes_.first(size);
    bytes_ = bytes_.subspan(size);
    return {reinterpret_cast<const char*>(text.data()), text.size()};
  }
  storage::ObjectStat take_stat() {
    storage::ObjectStat stat;
    stat.size_bytes = take<uint64_t>();
    stat.modified_ns = take<int64_t>();
    stat.version = take_text();
    return stat;
  }
  Status take_status() {
    const auto code = take<uint32_t>();
    const std::string text = take_text(kMostMessageBytes);
    const auto payloads = take<uint8_t>();
    if (code > kMostStatusCode || payloads > kMostPayloads) {
      fail();
      return ok_status();
    }
    Status status(static_cast<StatusCode>(code), text);
    for (uint8_t i = 0; i < payloads; ++i) {
      const std::string type = take_text();
      status.SetPayload(type, absl::Cord(take_text()));
    }
    return status;
  }
  /// Whether all was there, and nothing is left.
  Status end() const {
    return is_sound_ && bytes_.empty() ? ok_status()
                                       : invalid_argument("a message that cannot be understood");
  }

 private:
  void fail() {
    is_sound_ = false;
    bytes_ = {};
  }

  Bytes bytes_;
  bool is_sound_ = true;
};

/// An answer's status, and what follows if it is OK.
template <class Answer, class Take>
Result<Answer> decode_answer(Bytes message, Take take) {
  Reader reader(message);
  Answer answer;
  answer.status = reader.take_status();
  if (answer.status.ok()) {
    take(reader, answer);
  }
  FOREBAY_RETURN_IF_ERROR(reader.end());
  return answer;
}

Writer ok_answer(uint64_t number) {
  Writer writer(HostMessage::kAnswer, number);
  writer.put_status(ok_status());
  return writer;
}

}  // namespace

std::string encode_header(HostMessage kind, uint64_t number) {
  return Writer(kind, number).take();
}

Result<HostHeader> decode_header(Bytes message) {
  if (message.size() < kHostHeaderBytes) {
    return invalid_argument("a message of {} bytes", message.size());
  }
  WordReader words(message);
  const auto kind = words.take<uint8_t>();
  if (kind < static_cast<uint8_t>(HostMessage::kHello) ||
      kind > static_cast<uint8_t>(HostMessage::kForgetRange)) {
    return invalid_argument("a message of the unknown kind {}", kind);
  }
  return HostHeader{static_cast<HostMessage>(kind), words.take<uint64_t>()};
}

std::string encode(const Hello& hello) {
  Writer writer(HostMessage::kHello, 0);
  writer.put(hello.protocol);
  writer.put(hello.environment);
  return writer.take();
}

Result<Hello> decode_hello(Bytes message) {
  Reader reader(message);
  Hello hello;
  hello.protocol = reader.take<uint32_t>();
  hello.environment = reader.take<uint64_t>();
  FOREBAY_RETURN_IF_ERROR(reader.end());
  return hello;
}

std::string encode(const OpenStore& open) {
  Writer writer(HostMessage::kOpenStore, 0);
  writer.put(open.store);
  writer.put(open.trusted_ns);
  writer.put(open.is_immutable);
  writer.put(static_cast<uint32_t>(open.options.size()));
  for (const auto& [name, value] : open.options) {
    writer.put_text(name);
    writer.put_text(value);
  }
  return writer.take();
}

Result<OpenStore> decode_open_store(Bytes message) {
  Reader reader(message);
  OpenStore open;
  open.store = reader.take<uint32_t>();
  open.trusted_ns = reader.take<int64_t>();
  open.is_immutable = reader.take_flag();
  const auto count = reader.take<uint32_t>();
  for (uint32_t i = 0; i < count && i < kMostOptions; ++i) {
    const std::string name = reader.take_text();
    open.options[name] = reader.take_text();
  }
  FOREBAY_RETURN_IF_ERROR(reader.end());
  return open;
}

std::string encode(uint64_t number, const StatRequest& request) {
  Writer writer(HostMessage::kStat, number);
  writer.put(request.store);
  writer.put(request.time_left_ns);
  writer.put_text(request.uri);
  return writer.take();
}

Result<StatRequest> decode_stat(Bytes message) {
  Reader reader(message);
  StatRequest request;
  request.store = reader.take<uint32_t>();
  request.time_left_ns = reader.take<int64_t>();
  request.uri = reader.take_text();
  FOREBAY_RETURN_IF_ERROR(reader.end());
  return request;
}

std::string encode(uint64_t number, const HostReadRequest& request) {
  Writer writer(HostMessage::kRead, number);
  writer.put(request.store);
  writer.put(request.offset_bytes);
  writer.put(request.length_bytes);
  writer.put(request.only_resident);
  writer.put(request.is_prefetch);
  writer.put(request.time_left_ns);
  writer.put_text(request.uri);
  writer.put_text(request.if_version);
  return writer.take();
}

Result<HostReadRequest> decode_read(Bytes message) {
  Reader reader(message);
  HostReadRequest request;
  request.store = reader.take<uint32_t>();
  request.offset_bytes = reader.take<uint64_t>();
  request.length_bytes = reader.take<uint64_t>();
  request.only_resident = reader.take_flag();
  request.is_prefetch = reader.take_flag();
  request.time_left_ns = reader.take<int64_t>();
  request.uri = reader.take_text();
  request.if_version = reader.take_text();
  FOREBAY_RETURN_IF_ERROR(reader.end());
  return request;
}

std::string encode(const ChangedObject& changed) {
  Writer writer(HostMessage::kChanged, 0);
  writer.put(changed.store);
  writer.put_text(changed.uri);
  writer.put(changed.stat.has_value());
  writer.put_stat(changed.stat.value_or(storage::ObjectStat()));
  return writer.take();
}

Result<ChangedObject> decode_changed(Bytes message) {
  Reader reader(message);
  ChangedObject changed;
  changed.store = reader.take<uint32_t>();
  changed.uri = reader.take_text();
  const bool is_there = reader.take_flag();
  storage::ObjectStat stat = reader.take_stat();
  if (is_there) {
    changed.stat = std::move(stat);
  }
  FOREBAY_RETURN_IF_ERROR(reader.end());
  return changed;
}

std::string encode_answer(uint64_t number, const Status& status) {
  Writer writer(HostMessage::kAnswer, number);
  writer.put_status(status);
  return writer.take();
}

std::string encode_answer(uint64_t number, const storage::ObjectStat& stat) {
  Writer writer = ok_answer(number);
  writer.put_stat(stat);
  return writer.take();
}

Result<AnsweredStat> decode_stat_answer(Bytes message) {
  return decode_answer<AnsweredStat>(
      message, [](Reader& reader, AnsweredStat& answer) { answer.stat = reader.take_stat(); });
}

std::string encode_answer(uint64_t number, const HostBytes& bytes) {
  Writer writer = ok_answer(number);
  writer.put_text(bytes.version);
  writer.put_text(bytes.inline_bytes);
  writer.put(bytes.range);
  writer.put(bytes.range_bytes);
  writer.put(bytes.offset_bytes);
  writer.put(bytes.length_bytes);
  writer.put(bytes.readable_behind);
  writer.put(bytes.has_file);
  return writer.take();
}

Result<AnsweredBytes> decode_read_answer(Bytes message) {
  return decode_answer<AnsweredBytes>(message, [](Reader& reader, AnsweredBytes& answer) {
    HostBytes& bytes = answer.bytes;
    bytes.version = reader.take_text();
    bytes.inline_bytes = reader.take_text(kMostInlineBytes);
    bytes.range = reader.take<uint64_t>();
    bytes.range_bytes = reader.take<uint64_t>();
    bytes.offset_bytes = reader.take<uint64_t>();
    bytes.length_bytes = reader.take<uint64_t>();
    bytes.readable_behind = reader.take<uint64_t>();
    bytes.has_file = reader.take_flag();
  });
}

std::string encode_answer(uint64_t number, const std::string& text) {
  Writer writer = ok_answer(number);
  writer.put_text(text);
  return writer.take();
}

Result<AnsweredText> decode_text_answer(Bytes message) {
  return decode_answer<AnsweredText>(
      message, [](Reader& reader, AnsweredText& answer) { answer.text = reader.take_text(); });
}

}  // namespace forebay::cache
