#include "forebay/net/client/certificates.h"

#include <curl/curl.h>
#include <unistd.h>

#include <vector>

namespace forebay::net {
namespace {

std::vector<const char*> certificate_files() {
  std::vector<const char*> files;
  const curl_version_info_data* const curl = curl_version_info(CURLVERSION_NOW);
  if (curl->age >= CURLVERSION_SEVENTH && curl->cainfo != nullptr) {
    files.push_back(curl->cainfo);
  }
  files.insert(files.end(),
               {"/etc/ssl/certs/ca-certificates.crt",                 // Debian, Arch, Alpine
                "/etc/pki/tls/certs/ca-bundle.crt",                   // Fedora and its kin
                "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",  // the file that this is a link to
                "/etc/ssl/ca-bundle.pem",                             // SUSE
                "/var/lib/ca-certificates/ca-bundle.pem",             // the file that this is a link to
                "/etc/ssl/cert.pem"});                                // Alpine without the package
  return files;
}

}  // namespace

std::string first_readable(std::span<const char* const> files) {
  for (const char* const file : files) {
    if (access(file, R_OK) == 0) {
      return file;
    }
  }
  return "";
}

const std::string& system_certificates() {
  static const auto* const found = new std::string(first_readable(certificate_files()));
  return *found;
}

std::string named_or_system_certificates(const char* named) {
  return named != nullptr && *named != '\0' ? named : system_certificates();
}

}  // namespace forebay::net
