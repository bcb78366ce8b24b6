// Hashes of whole files, by their names in Python's hashlib and xxhash.
#include <openssl/evp.h>
#include <xxhash.h>

#include <algorithm>
#include <string>

#include "absl/strings/escaping.h"
#include "forebay/dataset/mds/mds_shard.h"

namespace forebay::dataset {
namespace {

/// hashlib's sha3_256, blake2b as OpenSSL calls them.
std::string openssl_name(std::string name) {
  if (name == "blake2b" || name == "blake2s") {
    return name + (name == "blake2b" ? "512" : "256");
  }
  std::ranges::replace(name, '_', '-');
  return name;
}

Result<std::string> openssl_digits(const std::string& algorithm, Bytes bytes) {
  const EVP_MD* const method = ::EVP_get_digestbyname(openssl_name(algorithm).c_str());
  if (method == nullptr) {
    return unimplemented("the hash algorithm '{}' is not known", algorithm);
  }
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned size = 0;
  if (::EVP_Digest(bytes.data(), bytes.size(), digest, &size, method, nullptr) != 1) {
    return internal_error("{} failed", algorithm);
  }
  return absl::BytesToHexString({reinterpret_cast<const char*>(digest), size});
}

Result<std::string> hash_digits(const std::string& algorithm, Bytes bytes) {
  if (algorithm == "xxh32") {
    return fmt::format("{:08x}", XXH32(bytes.data(), bytes.size(), 0));
  }
  if (algorithm == "xxh64") {
    return fmt::format("{:016x}", XXH64(bytes.data(), bytes.size(), 0));
  }
  if (algorithm == "xxh3_64") {
    return fmt::format("{:016x}", XXH3_64bits(bytes.data(), bytes.size()));
  }
  if (algorithm == "xxh128" || algorithm == "xxh3_128") {
    const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
    return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
  }
  return openssl_digits(algorithm, bytes);
}

}  // namespace

Status check_mds_hashes(const MdsFile& file, Bytes bytes) {
  for (const auto& [algorithm, digits] : file.hashes) {
    FOREBAY_ASSIGN_OR_RETURN(const std::string found, hash_digits(algorithm, bytes));
    if (found != digits) {
      return data_loss("{}: its {} is {}, and {} in the index", file.basename, algorithm, found, digits);
    }
  }
  return ok_status();
}

}  // namespace forebay::dataset
