#include "forebay/storage/az/az_xml.h"

#include <cstring>
#include <iterator>
#include <optional>
#include <utility>

#include "fmt/format.h"
#include "forebay/net/http_fields.h"
#include "forebay/net/url.h"
#include "forebay/storage/errors.h"
#include "forebay/storage/http/http_status.h"
#include "forebay/storage/remote/xml_answer.h"

namespace forebay::storage {
namespace {

constexpr size_t kMaxAzCodeBytes = 100;
constexpr size_t kMaxAzMessageBytes = 300;
constexpr size_t kMaxAzNameBytes = 4096;
constexpr size_t kMaxAzMarkerBytes = 64 << 10;
constexpr size_t kMaxAzBlocks = 50'000;
constexpr uint64_t kLargestAzBlob = uint64_t{1} << 60;

struct KnownAzError {
  std::string_view code;
  StatusCode status;
  std::string_view what;
};

constexpr std::string_view kAzChanged = "the blob has changed; it has another version than requested";

constexpr KnownAzError kKnownAzErrors[] = {
    {"ContainerNotFound", StatusCode::kNotFound, "there is no such container"},
    {"BlobAlreadyExists", StatusCode::kAlreadyExists, "the object already exists"},
    {"ConditionNotMet", StatusCode::kAborted, kAzChanged},
    {"TargetConditionNotMet", StatusCode::kAborted, kAzChanged},
    {"SourceConditionNotMet", StatusCode::kAborted, "the source changed while it was copied"},
    {"InvalidBlockList", StatusCode::kAborted, "the blob was written by somebody else meanwhile"},
    {"PendingCopyOperation", StatusCode::kUnavailable, "a copy to this blob is under way"},
    {"SnapshotsPresent", StatusCode::kFailedPrecondition, "the blob has snapshots; remove them first"},
    {"BlobArchived", StatusCode::kFailedPrecondition, "the blob is archived; rehydrate it first"},
    {"BlobBeingRehydrated", StatusCode::kFailedPrecondition, "the blob is not rehydrated yet"},
    {"LeaseIdMissing", StatusCode::kFailedPrecondition, "somebody holds a lease on the blob"},
    {"BlobImmutableDueToPolicy", StatusCode::kPermissionDenied, "a policy keeps the blob as it is"},
};

/// What most HTTP statuses of 409 and 400 mean, where the code is not known.
std::optional<StatusCode> az_code_of(int status) {
  switch (status) {
    case 400:
      return StatusCode::kInvalidArgument;
    case 409:
      return StatusCode::kFailedPrecondition;
    default:
      return std::nullopt;
  }
}

/// The name, decoded where the service says that it had to encode it.
Result<std::string> az_name(const pugi::xml_node& node) {
  const pugi::xml_node name = node.child("Name");
  std::string text = name.child_value();
  if (std::strcmp(name.attribute("Encoded").value(), "true") == 0) {
    FOREBAY_ASSIGN_OR_RETURN(text, net::percent_decoded(text));
  }
  if (text.empty() || text.size() > kMaxAzNameBytes || text.find('\0') != std::string::npos) {
    return data_loss("the listing has a name of {} bytes that no blob can have", text.size());
  }
  return text;
}

Result<ObjectStat> az_entry(const pugi::xml_node& blob) {
  ObjectStat stat;
  FOREBAY_ASSIGN_OR_RETURN(stat.key, az_name(blob));
  const pugi::xml_node properties = blob.child("Properties");
  const std::optional<uint64_t> size = net::parse_decimal(xml_text(properties, "Content-Length"));
  if (!size || *size > kLargestAzBlob) {
    return data_loss("the listing gives '{}' no size that a blob can have",
                     for_message(stat.key, kMaxAzNameBytes));
  }
  stat.size_bytes = *size;
  stat.version = unquoted(xml_text(properties, "Etag"));
  const std::string modified(xml_text(properties, "Last-Modified"));
  stat.modified_ns = modified_ns_of(&modified);
  return stat;
}

Status take_az_child(const pugi::xml_node& child, ListPage& page) {
  const bool is_folder = xml_text(child.child("Properties"), "ResourceType") == "directory";
  if (std::strcmp(child.name(), "Blob") == 0) {
    if (is_folder) {
      return ok_status();  // of an account with a hierarchical namespace; its blobs name it
    }
    FOREBAY_ASSIGN_OR_RETURN(ObjectStat stat, az_entry(child));
    page.objects.push_back(std::move(stat));
  } else if (std::strcmp(child.name(), "BlobPrefix") == 0) {
    FOREBAY_ASSIGN_OR_RETURN(std::string prefix, az_name(child));
    page.prefixes.push_back(std::move(prefix));
  }
  return page.objects.size() + page.prefixes.size() > kMaxAzEntriesOfPage
             ? data_loss("the listing has more than {} entries in a page", kMaxAzEntriesOfPage)
             : ok_status();
}

}  // namespace

ServiceFailure az_failure(const net::HttpResponse& answer) {
  ServiceFailure failure = {.service = "Azure"};
  pugi::xml_document document;
  if (load_xml(document, answer.body, kMaxAzXmlBytes)) {
    const pugi::xml_node error = document.child("Error");
    failure.code = for_message(xml_text(error, "Code"), kMaxAzCodeBytes);
    const std::string_view message = xml_text(error, "Message");
    failure.message = for_message(message.substr(0, message.find('\n')), kMaxAzMessageBytes);
  }
  if (const std::string* const code = answer.header("x-ms-error-code")) {
    failure.code = for_message(*code, kMaxAzCodeBytes);
  }
  return failure;
}

Status az_error(const net::HttpResponse& answer, std::string_view uri) {
  const ServiceFailure failure = az_failure(answer);
  for (const KnownAzError& known : kKnownAzErrors) {
    if (failure.code == known.code) {
      return service_error(known.status, known.what, failure, uri);
    }
  }
  if (const std::optional<StatusCode> code = az_code_of(answer.status)) {
    return service_error(*code, "the request was refused", failure, uri);
  }
  return service_error(answer, failure, uri);
}

Result<TokenPage> parse_az_list(std::string_view xml) {
  pugi::xml_document document;
  if (!load_xml(document, xml, kMaxAzListBytes)) {
    return data_loss("the listing is no XML, or over {} bytes", kMaxAzListBytes);
  }
  const pugi::xml_node root = document.child("EnumerationResults");
  if (!root || !root.child("Blobs")) {
    return data_loss("the listing has no EnumerationResults with Blobs");
  }
  TokenPage list;
  for (const pugi::xml_node& child : root.child("Blobs").children()) {
    FOREBAY_RETURN_IF_ERROR(take_az_child(child, list.page));
  }
  list.next_token = xml_text(root, "NextMarker");
  if (list.next_token.size() > kMaxAzMarkerBytes) {
    return data_loss("the listing goes on with a marker of {} bytes", list.next_token.size());
  }
  list.page.is_last = list.next_token.empty();
  return list;
}

Result<std::vector<std::string>> parse_az_blocks(std::string_view xml) {
  pugi::xml_document document;
  const bool is_xml = load_xml(document, xml, kMaxAzBlockListBytes);
  const pugi::xml_node root = document.child("BlockList");
  if (!is_xml || !root) {
    return data_loss("the answer is no list of blocks");
  }
  std::vector<std::string> ids;
  for (const pugi::xml_node& block : root.child("CommittedBlocks").children("Block")) {
    ids.emplace_back(xml_text(block, "Name"));
    if (ids.size() > kMaxAzBlocks) {
      return data_loss("the answer lists more than {} blocks", kMaxAzBlocks);
    }
  }
  return ids;
}

std::string az_block_list_xml(const std::vector<std::string>& ids) {
  std::string xml = "<?xml version=\"1.0\" encoding=\"utf-8\"?><BlockList>";
  for (const std::string& id : ids) {
    fmt::format_to(std::back_inserter(xml), "<Latest>{}</Latest>", id);
  }
  return xml + "</BlockList>";
}

}  // namespace forebay::storage
