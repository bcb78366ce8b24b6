#include "forebay/storage/s3/s3_xml.h"

#include <cstring>
#include <iterator>
#include <optional>
#include <utility>

#include "fmt/format.h"
#include "forebay/net/http_fields.h"
#include "forebay/net/url.h"
#include "forebay/storage/remote/wall_time.h"
#include "forebay/storage/remote/xml_answer.h"

namespace forebay::storage {
namespace {

constexpr size_t kMaxCodeBytes = 100;
constexpr size_t kMaxMessageBytes = 300;
constexpr size_t kMaxNameBytes = 4096;
constexpr size_t kMaxContinuationBytes = 64 << 10;
constexpr uint64_t kLargestObjectBytes = uint64_t{1} << 60;

/// Names in listings are encoded as forms are: "+" is a space. A server that does not encode writes U+FFFD
/// for what XML cannot hold, which would be another name.
Result<std::string> decoded_name(std::string_view text, bool is_encoded) {
  constexpr std::string_view kReplacement = "\xef\xbf\xbd";
  std::string name(text);
  if (is_encoded) {
    for (char& c : name) {
      c = c == '+' ? ' ' : c;
    }
    FOREBAY_ASSIGN_OR_RETURN(name, net::percent_decoded(name));
  } else if (name.find(kReplacement) != std::string::npos) {
    return data_loss(
        "the server does not encode the names of its listings, and one of them does not fit into XML");
  }
  if (name.empty() || name.size() > kMaxNameBytes || name.find('\0') != std::string::npos) {
    return data_loss("the listing has a name of {} bytes that no object can have", name.size());
  }
  return name;
}

Result<ObjectStat> parse_entry(const pugi::xml_node& node, bool is_encoded) {
  ObjectStat stat;
  FOREBAY_ASSIGN_OR_RETURN(stat.key, decoded_name(xml_text(node, "Key"), is_encoded));
  const std::optional<uint64_t> size = net::parse_decimal(xml_text(node, "Size"));
  if (!size || *size > kLargestObjectBytes) {
    return data_loss("the listing gives '{}' no size that an object can have",
                     for_message(stat.key, kMaxNameBytes));
  }
  stat.size_bytes = *size;
  stat.version = unquoted(xml_text(node, "ETag"));
  stat.modified_ns = parse_iso_time(xml_text(node, "LastModified")).value_or(0);
  return stat;
}

Status take_child(const pugi::xml_node& child, bool is_encoded, ListPage& page) {
  if (std::strcmp(child.name(), "Contents") == 0) {
    FOREBAY_ASSIGN_OR_RETURN(ObjectStat stat, parse_entry(child, is_encoded));
    page.objects.push_back(std::move(stat));
  } else if (std::strcmp(child.name(), "CommonPrefixes") == 0) {
    FOREBAY_ASSIGN_OR_RETURN(std::string prefix, decoded_name(xml_text(child, "Prefix"), is_encoded));
    page.prefixes.push_back(std::move(prefix));
  }
  if (page.objects.size() + page.prefixes.size() > kMaxEntriesOfPage) {
    return data_loss("the listing has more than {} entries in a page", kMaxEntriesOfPage);
  }
  return ok_status();
}

S3Failure failure_in(const pugi::xml_node& error) {
  return {for_message(xml_text(error, "Code"), kMaxCodeBytes),
          for_message(xml_text(error, "Message"), kMaxMessageBytes),
          for_message(xml_text(error, "Region"), kMaxCodeBytes)};
}

}  // namespace

S3Failure parse_s3_failure(std::string_view xml) {
  pugi::xml_document document;
  if (!load_xml(document, xml, kMaxXmlBytes)) {
    return {};
  }
  return failure_in(document.child("Error"));
}

bool is_s3_failure(std::string_view xml) {
  constexpr size_t kWithin = 1024;  // a declaration and comments may come first
  if (xml.substr(0, kWithin).find("<Error") == std::string_view::npos) {
    return false;
  }
  pugi::xml_document document;
  return load_xml(document, xml, kMaxXmlBytes) && document.child("Error");
}

Result<TokenPage> parse_s3_list(std::string_view xml) {
  pugi::xml_document document;
  if (!load_xml(document, xml, kMaxListBytes)) {
    return data_loss("the listing is no XML, or over {} bytes", kMaxListBytes);
  }
  const pugi::xml_node root = document.child("ListBucketResult");
  const std::string_view truncated = xml_text(root, "IsTruncated");
  if (!root || (truncated != "true" && truncated != "false")) {
    return data_loss("the listing has no ListBucketResult with IsTruncated");
  }
  TokenPage list;
  const bool is_encoded = xml_text(root, "EncodingType") == "url";
  for (const pugi::xml_node& child : root.children()) {
    FOREBAY_RETURN_IF_ERROR(take_child(child, is_encoded, list.page));
  }
  list.page.is_last = truncated == "false";
  if (!list.page.is_last) {
    list.next_token = xml_text(root, "NextContinuationToken");
    if (list.next_token.empty() || list.next_token.size() > kMaxContinuationBytes) {
      return data_loss("the listing goes on, but its NextContinuationToken has {} bytes",
                       list.next_token.size());
    }
  }
  return list;
}

Result<std::string> parse_s3_upload_id(std::string_view xml) {
  pugi::xml_document document;
  std::string id;
  if (load_xml(document, xml, kMaxXmlBytes)) {
    id = xml_text(document.child("InitiateMultipartUploadResult"), "UploadId");
  }
  if (id.empty() || id.size() > kMaxNameBytes) {
    return data_loss("the answer to CreateMultipartUpload has no UploadId");
  }
  return id;
}

Result<std::string> parse_s3_etag(std::string_view xml) {
  pugi::xml_document document;
  std::string etag;
  if (load_xml(document, xml, kMaxXmlBytes)) {
    etag = unquoted(xml_text(document.document_element(), "ETag"));
  }
  if (etag.empty() || etag.size() > kMaxCodeBytes) {
    return data_loss("the answer has no ETag");
  }
  return etag;
}

std::string remove_objects_xml(const std::vector<std::string>& keys) {
  std::string xml = "<Delete xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"><Quiet>true</Quiet>";
  for (const std::string& key : keys) {
    fmt::format_to(std::back_inserter(xml), "<Object><Key>{}</Key></Object>", xml_escaped(key));
  }
  return xml + "</Delete>";
}

Result<std::vector<S3NotRemoved>> parse_s3_not_removed(std::string_view xml) {
  pugi::xml_document document;
  const bool is_xml = load_xml(document, xml, kMaxRemovedBytes);
  const pugi::xml_node root = document.child("DeleteResult");
  if (!is_xml || !root) {
    return data_loss("the answer to DeleteObjects has no DeleteResult");
  }
  std::vector<S3NotRemoved> failures;
  for (const pugi::xml_node& error : root.children("Error")) {
    failures.push_back({std::string(xml_text(error, "Key")), failure_in(error)});
  }
  return failures;
}

std::string complete_upload_xml(const std::vector<std::string>& etags) {
  std::string xml = "<CompleteMultipartUpload xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">";
  for (size_t i = 0; i < etags.size(); ++i) {
    fmt::format_to(std::back_inserter(xml),
                   "<Part><PartNumber>{}</PartNumber><ETag>&quot;{}&quot;</ETag></Part>", i + 1, etags[i]);
  }
  return xml + "</CompleteMultipartUpload>";
}

}  // namespace forebay::storage
