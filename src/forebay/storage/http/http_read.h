// A ranged read over HTTP: one request, whose answer is held against what was asked for before its body is
// taken.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "forebay/net/http_message.h"
#include "forebay/storage/http/http_site.h"
#include "forebay/storage/object_store.h"
#include "forebay/storage/range.h"

namespace forebay::storage {

/// Lives until its callback is called.
class HttpRead : public std::enable_shared_from_this<HttpRead> {
 public:
  HttpRead(std::shared_ptr<HttpSite> site, ReadRequest request, CallContext context, ReadCallback done);

  void start();

 private:
  /// One attempt.
  void get(ReadCallback next);
  /// Where the body goes, or why the answer is not what was asked for.
  Result<net::BodyTarget> target_of(const net::HttpResponse& head);
  /// The length of the range, if it is the one that was asked for.
  Result<uint64_t> checked_length(const net::HttpResponse& head, uint64_t size_bytes) const;
  Status check_version(const std::string& version) const;
  Result<ReadBytes> result_of(const Result<net::HttpResponse>& response);
  void finish(Result<ReadBytes> read);
  Result<ReadBytes> collected(const net::HttpResponse& response) const;
  /// For ranges that no request can ask for: of no bytes, at the end, or past it.
  void answer_by_stat();
  Result<ReadBytes> empty_range(const ObjectStat& stat) const;

  const std::shared_ptr<HttpSite> site_;
  const ReadRequest request_;
  CallContext context_;
  const std::string uri_;
  ReadCallback done_;
  std::optional<ReadTarget> target_;
  bool has_no_range_ = false;  // 416: the range is empty, or behind the end
};

}  // namespace forebay::storage
