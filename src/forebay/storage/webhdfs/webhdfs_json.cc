#include "forebay/storage/webhdfs/webhdfs_json.h"

#include <charconv>
#include <nlohmann/json.hpp>
#include <utility>

#include "fmt/format.h"
#include "forebay/storage/remote/json_answer.h"

namespace forebay::storage {
namespace {

using nlohmann::json;

constexpr int kWebhdfsLevels = 8;
constexpr size_t kMaxWebhdfsExceptionBytes = 100;
constexpr size_t kMaxWebhdfsMessageBytes = 300;
constexpr size_t kMaxWebhdfsNameBytes = 8000;
constexpr size_t kMaxWebhdfsLocationBytes = 64 << 10;
constexpr uint64_t kLargestWebhdfsFile = uint64_t{1} << 60;
constexpr uint64_t kLatestWebhdfsMs = uint64_t{1} << 43;  // in the year 2248: nanoseconds fit into 64 bits
constexpr int64_t kWebhdfsNsPerMs = 1'000'000;

struct KnownWebhdfsException {
  std::string_view name;
  StatusCode status;
  std::string_view what;
};

constexpr std::string_view kWebhdfsRefused = "the cluster refused access; check the user or the token";

constexpr KnownWebhdfsException kKnownWebhdfsExceptions[] = {
    {"AccessControlException", StatusCode::kPermissionDenied, kWebhdfsRefused},
    {"AuthorizationException", StatusCode::kPermissionDenied, kWebhdfsRefused},
    {"SecurityException", StatusCode::kPermissionDenied, kWebhdfsRefused},
    {"InvalidToken", StatusCode::kPermissionDenied, "the delegation token is not valid, or has expired"},
    {"FileAlreadyExistsException", StatusCode::kAlreadyExists, "the object already exists"},
    {kBelowAFile, StatusCode::kFailedPrecondition, "a part of the path is a file"},
    {"PathIsNotEmptyDirectoryException", StatusCode::kFailedPrecondition, "the folder is not empty"},
    {"StandbyException", StatusCode::kUnavailable, "the namenode is on standby"},
    {"RetriableException", StatusCode::kUnavailable, "the namenode is not ready"},
    {"SafeModeException", StatusCode::kUnavailable, "the namenode is in safe mode"},
    {"ConnectException", StatusCode::kUnavailable, "a server of the cluster cannot be reached"},
    {"NoRouteToHostException", StatusCode::kUnavailable, "a server of the cluster cannot be reached"},
    {"SocketTimeoutException", StatusCode::kUnavailable, "a server of the cluster does not answer"},
    {"BlockMissingException", StatusCode::kUnavailable, "no datanode has this part of the file"},
    {"DSQuotaExceededException", StatusCode::kResourceExhausted, "the folder's quota is used up"},
    {"NSQuotaExceededException", StatusCode::kResourceExhausted, "the folder's quota of names is used up"},
    {"MaxDirectoryItemsExceededException", StatusCode::kResourceExhausted, "the folder is full"},
    {"PathComponentTooLongException", StatusCode::kInvalidArgument, "a name in the path is too long"},
    {"InvalidPathException", StatusCode::kInvalidArgument, "the server takes no such path"},
    {"IllegalArgumentException", StatusCode::kInvalidArgument, "the request was refused"},
    {"UnsupportedOperationException", StatusCode::kUnimplemented, "the server does not offer this"},
};

/// The member of that name, if it is an object; else an empty one.
const json& webhdfs_object_in(const json& object, const char* name) {
  static const json* const empty = new json(json::object());
  const auto found = object.find(name);
  return found != object.end() && found->is_object() ? *found : *empty;
}

bool is_webhdfs_name(std::string_view name) {
  return name != "." && name != ".." && name.size() <= kMaxWebhdfsNameBytes &&
         name.find('/') == std::string_view::npos && name.find('\0') == std::string_view::npos;
}

enum class WebhdfsKind { kFile, kFolder, kOther };

Result<WebhdfsKind> webhdfs_kind_of(const json& object) {
  const std::string type = json_text(object, "type");
  if (type == "FILE" || type == "DIRECTORY") {
    return type == "FILE" ? WebhdfsKind::kFile : WebhdfsKind::kFolder;
  }
  return type.empty() ? Result<WebhdfsKind>(data_loss("the answer has a status without a type"))
                      : WebhdfsKind::kOther;
}

Result<WebhdfsStatus> webhdfs_status_of(const json& object) {
  FOREBAY_ASSIGN_OR_RETURN(const WebhdfsKind kind, webhdfs_kind_of(object));
  WebhdfsStatus status = {.name = json_text(object, "pathSuffix"), .is_folder = kind == WebhdfsKind::kFolder};
  const std::optional<uint64_t> size = json_number(object, "length");
  const std::optional<uint64_t> modified = json_number(object, "modificationTime");
  if (!size || *size > kLargestWebhdfsFile || !modified || *modified > kLatestWebhdfsMs ||
      !is_webhdfs_name(status.name)) {
    return data_loss("the answer has a name, a length or a time that no file can have");
  }
  status.size_bytes = status.is_folder ? 0 : *size;
  status.modified_ms = static_cast<int64_t>(*modified);
  status.file_id = json_number(object, "fileId").value_or(0);
  status.children = status.is_folder ? json_number(object, "childrenNum").value_or(0) : 0;
  return status;
}

Status take_webhdfs_entry(const json& object, WebhdfsListing& listing) {
  if (!object.is_object()) {
    return data_loss("the listing has an entry that is no status");
  }
  FOREBAY_ASSIGN_OR_RETURN(const WebhdfsKind kind, webhdfs_kind_of(object));
  FOREBAY_ASSIGN_OR_RETURN(WebhdfsStatus status, webhdfs_status_of(object));
  listing.last_name = status.name;
  if (kind != WebhdfsKind::kOther) {
    listing.entries.push_back(std::move(status));
  }
  return ok_status();
}

/// Takes `digits` and the separator behind them off `text`.
std::optional<uint64_t> take_hexadecimal(std::string_view& text) {
  const std::string_view digits = text.substr(0, text.find('-'));
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
  if (error != std::errc() || end != digits.data() + digits.size()) {
    return std::nullopt;
  }
  text.remove_prefix(std::min(digits.size() + 1, text.size()));
  return value;
}

}  // namespace

std::string WebhdfsStatus::version() const {
  return fmt::format("{:x}-{:x}-{:x}", modified_ms, is_folder ? children : size_bytes, file_id);
}

ObjectStat WebhdfsStatus::stat(std::string key) const {
  return {.key = std::move(key),
          .size_bytes = size_bytes,
          .modified_ns = modified_ms * kWebhdfsNsPerMs,
          .version = version()};
}

std::optional<uint64_t> size_in_webhdfs_version(std::string_view version) {
  const std::optional<uint64_t> modified = take_hexadecimal(version);
  const std::optional<uint64_t> size = take_hexadecimal(version);
  const std::optional<uint64_t> file_id = take_hexadecimal(version);
  return modified && file_id && version.empty() ? size : std::nullopt;
}

Result<WebhdfsStatus> parse_webhdfs_status(std::string_view text) {
  const json object = parse_json_object(text, kMaxWebhdfsJsonBytes, kWebhdfsLevels);
  const json& status = webhdfs_object_in(object, "FileStatus");
  if (status.empty()) {
    return data_loss("the answer is no FileStatus");
  }
  FOREBAY_ASSIGN_OR_RETURN(WebhdfsStatus parsed, webhdfs_status_of(status));
  FOREBAY_ASSIGN_OR_RETURN(const WebhdfsKind kind, webhdfs_kind_of(status));
  return kind == WebhdfsKind::kOther ? Result<WebhdfsStatus>(not_found("neither a file nor a folder"))
                                     : parsed;
}

Result<WebhdfsListing> parse_webhdfs_list(std::string_view text) {
  const json object = parse_json_object(text, kMaxWebhdfsListBytes, kWebhdfsLevels);
  const json& batch = webhdfs_object_in(object, "DirectoryListing");
  const json& statuses =
      webhdfs_object_in(batch.empty() ? object : webhdfs_object_in(batch, "partialListing"), "FileStatuses");
  const auto array = statuses.find("FileStatus");
  if (array == statuses.end() || !array->is_array()) {
    return data_loss("the listing has no FileStatuses, or is over {} bytes", kMaxWebhdfsListBytes);
  }
  WebhdfsListing listing;
  listing.is_last = json_number(batch, "remainingEntries").value_or(0) == 0;
  for (const json& entry : *array) {
    FOREBAY_RETURN_IF_ERROR(take_webhdfs_entry(entry, listing));
  }
  const bool is_of_a_file = array->size() == 1 && listing.last_name.empty();
  if (is_of_a_file) {
    return WebhdfsListing();
  }
  for (const WebhdfsStatus& entry : listing.entries) {
    if (entry.name.empty()) {
      return data_loss("the listing has an entry without a name");
    }
  }
  return !listing.is_last && listing.last_name.empty()
             ? Result<WebhdfsListing>(data_loss("the listing does not get on: a part of it is empty"))
             : listing;
}

Result<bool> parse_webhdfs_boolean(std::string_view text) {
  const json object = parse_json_object(text, kMaxWebhdfsJsonBytes, kWebhdfsLevels);
  const auto found = object.find("boolean");
  if (found == object.end() || !found->is_boolean()) {
    return data_loss("the answer is no boolean");
  }
  return found->get<bool>();
}

Result<std::string> parse_webhdfs_location(std::string_view text) {
  const json object = parse_json_object(text, kMaxWebhdfsJsonBytes, kWebhdfsLevels);
  std::string location = json_text(object, "Location");
  if (location.empty() || location.size() > kMaxWebhdfsLocationBytes) {
    return data_loss("the answer names no datanode");
  }
  return location;
}

ServiceFailure webhdfs_failure(const net::HttpResponse& answer) {
  ServiceFailure failure = {.service = "HDFS"};
  const json object = parse_json_object(answer.body, kMaxWebhdfsJsonBytes, kWebhdfsLevels);
  const json& exception = webhdfs_object_in(object, "RemoteException");
  failure.code = for_message(json_text(exception, "exception"), kMaxWebhdfsExceptionBytes);
  const std::string message = json_text(exception, "message");
  failure.message = for_message(message.substr(0, message.find('\n')), kMaxWebhdfsMessageBytes);
  // How the namenode refuses to look below a file, unless a superuser asks.
  if (failure.code == "AccessControlException" && message.ends_with("(is not a directory)")) {
    failure.code = kBelowAFile;
  }
  return failure;
}

Status webhdfs_error(const net::HttpResponse& answer, std::string_view uri) {
  const ServiceFailure failure = webhdfs_failure(answer);
  for (const KnownWebhdfsException& known : kKnownWebhdfsExceptions) {
    if (failure.code == known.name) {
      return service_error(known.status, known.what, failure, uri);
    }
  }
  const bool is_other_exception = !failure.code.empty() && (answer.status == 400 || answer.status == 403);
  return is_other_exception
             ? service_error(StatusCode::kFailedPrecondition, "the request was refused", failure, uri)
             : service_error(answer, failure, uri);
}

}  // namespace forebay::storage
