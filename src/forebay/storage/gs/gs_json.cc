#include "forebay/storage/gs/gs_json.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "forebay/net/http_fields.h"
#include "forebay/storage/errors.h"
#include "forebay/storage/http/http_status.h"
#include "forebay/storage/remote/json_answer.h"
#include "forebay/storage/remote/wall_time.h"

namespace forebay::storage {
namespace {

using nlohmann::json;

constexpr int kGsLevels = 6;
constexpr size_t kMaxGsNameBytes = 1024;
constexpr size_t kMaxGsTokenBytes = 64 << 10;
constexpr size_t kMaxGsMessageBytes = 300;
constexpr uint64_t kLargestGsObject = uint64_t{1} << 60;
constexpr int64_t kGsPauseNs = 1'000'000'000;  // where a busy server names none

Status check_gs_name(const std::string& name) {
  const bool fits = !name.empty() && name.size() <= kMaxGsNameBytes && name.find('\0') == std::string::npos;
  return fits ? ok_status()
              : data_loss("the answer has a name of {} bytes that no object can have", name.size());
}

Result<ObjectStat> gs_object_of(const json& object) {
  ObjectStat stat = {.key = json_text(object, "name"), .version = json_text(object, "generation")};
  FOREBAY_RETURN_IF_ERROR(check_gs_name(stat.key));
  const std::optional<uint64_t> size = json_number(object, "size");
  if (!size || *size > kLargestGsObject || !is_gs_generation(stat.version)) {
    return data_loss("the answer has no size or no generation that an object can have");
  }
  stat.size_bytes = *size;
  stat.modified_ns = parse_iso_time(json_text(object, "updated")).value_or(0);
  return stat;
}

/// The member of that name, if it is an array; else an empty one.
const json& array_in(const json& object, const char* name) {
  static const json* const empty = new json(json::array());
  const auto found = object.find(name);
  return found != object.end() && found->is_array() ? *found : *empty;
}

bool is_gs_throttle(const ServiceFailure& failure) {
  return failure.code == "rateLimitExceeded" || failure.code == "userRateLimitExceeded";
}

}  // namespace

bool is_gs_generation(std::string_view version) {
  return version.size() <= 20 && net::parse_decimal(version).value_or(0) > 0;
}

ServiceFailure parse_gs_failure(std::string_view text) {
  ServiceFailure failure = {.service = "GCS"};
  const json object = parse_json_object(text, kMaxGsJsonBytes, kGsLevels);
  const auto error = object.find("error");
  if (error == object.end() || !error->is_object()) {
    return failure;
  }
  failure.message = for_message(json_text(*error, "message"), kMaxGsMessageBytes);
  const json& errors = array_in(*error, "errors");
  if (!errors.empty()) {
    failure.code = for_message(json_text(errors[0], "reason"), kMaxGsMessageBytes);
  }
  return failure;
}

Status gs_error(const net::HttpResponse& answer, std::string_view uri) {
  const ServiceFailure failure = parse_gs_failure(answer.body);
  if (answer.status == 403 && is_gs_throttle(failure)) {
    return annotate(throttled(uri, kGsPauseNs), "GCS answered " + failure.code);
  }
  return answer.status == 400
             ? service_error(StatusCode::kInvalidArgument, "the request was refused", failure, uri)
             : service_error(answer, failure, uri);
}

Result<ObjectStat> parse_gs_object(std::string_view text) {
  const json object = parse_json_object(text, kMaxGsJsonBytes, kGsLevels);
  return object.is_discarded() ? Result<ObjectStat>(data_loss("the answer is not the JSON of an object"))
                               : gs_object_of(object);
}

std::string parse_gs_checksum(std::string_view text) {
  const json object = parse_json_object(text, kMaxGsJsonBytes, kGsLevels);
  const std::string size = json_text(object, "size");
  const std::string checksum = json_text(object, "crc32c");
  return size.empty() || checksum.empty() ? std::string() : size + " " + checksum;
}

Result<TokenPage> parse_gs_list(std::string_view text) {
  const json object = parse_json_object(text, kMaxGsListBytes, kGsLevels);
  if (json_text(object, "kind") != "storage#objects") {
    return data_loss("the answer is no listing in JSON, or over {} bytes", kMaxGsListBytes);
  }
  TokenPage list;
  for (const json& item : array_in(object, "items")) {
    FOREBAY_ASSIGN_OR_RETURN(ObjectStat stat, gs_object_of(item));
    list.page.objects.push_back(std::move(stat));
  }
  for (const json& prefix : array_in(object, "prefixes")) {
    list.page.prefixes.push_back(prefix.is_string() ? prefix.get<std::string>() : std::string());
    FOREBAY_RETURN_IF_ERROR(check_gs_name(list.page.prefixes.back()));
  }
  if (list.page.objects.size() + list.page.prefixes.size() > kMaxGsEntriesOfPage) {
    return data_loss("the listing has more than {} entries in a page", kMaxGsEntriesOfPage);
  }
  list.next_token = json_text(object, "nextPageToken");
  if (list.next_token.size() > kMaxGsTokenBytes) {
    return data_loss("the listing goes on with a token of {} bytes", list.next_token.size());
  }
  list.page.is_last = list.next_token.empty();
  return list;
}

Result<GsRewrite> parse_gs_rewrite(std::string_view text) {
  const json object = parse_json_object(text, kMaxGsJsonBytes, kGsLevels);
  const auto done = object.find("done");
  if (done == object.end() || !done->is_boolean()) {
    return data_loss("the answer to a copy does not say whether it is done");
  }
  GsRewrite rewrite;
  if (done->get<bool>()) {
    const auto resource = object.find("resource");
    FOREBAY_ASSIGN_OR_RETURN(rewrite.stat,
                             gs_object_of(resource == object.end() ? json::object() : *resource));
    return rewrite;
  }
  rewrite.token = json_text(object, "rewriteToken");
  if (rewrite.token.empty() || rewrite.token.size() > kMaxGsTokenBytes) {
    return data_loss("the answer to a copy has no usable token to go on with");
  }
  return rewrite;
}

}  // namespace forebay::storage
