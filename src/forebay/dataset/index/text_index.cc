#include "forebay/dataset/index/text_index.h"

#include <optional>

#include "forebay/dataset/object_reader.h"
#include "forebay/dataset/opening.h"
#include "forebay/dataset/recordio/recordio_index.h"
#include "forebay/dataset/tfrecord/tfrecord_index.h"
#include "forebay/dataset/webdataset/wds_index.h"
#include "forebay/storage/blocking.h"
#include "forebay/storage/uri.h"

namespace forebay::dataset {
namespace {

Status check_whole(const std::string& name, std::optional<uint64_t> lost_at, const Status& damage) {
  FOREBAY_RETURN_IF_ERROR(damage);
  return lost_at ? data_loss("{}: truncated at {}", name, *lost_at) : ok_status();
}

/// Records of which the last may end behind the file.
template <class Records>
Status check_end(const std::string& name, const Records& records, uint64_t footer_bytes,
                 uint64_t file_bytes) {
  if (!records.empty() &&
      records.back().offset_bytes + records.back().size_bytes + footer_bytes > file_bytes) {
    return data_loss("{}: truncated in the record at {}", name, records.back().offset_bytes);
  }
  return ok_status();
}

}  // namespace

Result<std::string> make_text_index(const storage::ObjectAddress& file, TextIndexKind kind) {
  const std::string name = storage::uri_for_message(file.uri());
  FOREBAY_ASSIGN_OR_RETURN(const storage::ObjectStat stat,
                           storage::stat_now(*file.store, file.key, opening()));
  const ObjectByteSource bytes(file, stat);
  if (kind == TextIndexKind::kWds2idx) {
    FOREBAY_ASSIGN_OR_RETURN(const WdsArchive found, scan_wds_archive(bytes, name));
    FOREBAY_RETURN_IF_ERROR(check_whole(name, found.lost_at, found.damage));
    return wds_index_text(found.samples);
  }
  if (kind == TextIndexKind::kTfrecord2idx) {
    FOREBAY_ASSIGN_OR_RETURN(const TfrecordScan found, scan_tfrecord(bytes, name));
    FOREBAY_RETURN_IF_ERROR(check_whole(name, found.damaged_at, found.damage));
    FOREBAY_RETURN_IF_ERROR(check_end(name, found.records, kTfrecordFooterBytes, stat.size_bytes));
    return tfrecord_index_text(found.records);
  }
  FOREBAY_ASSIGN_OR_RETURN(const RecordIoScan found, scan_recordio(bytes, name));
  FOREBAY_RETURN_IF_ERROR(check_whole(name, found.damaged_at, found.damage));
  FOREBAY_RETURN_IF_ERROR(check_end(name, found.records, 0, stat.size_bytes));
  return recordio_index_text(found.records);
}

}  // namespace forebay::dataset
