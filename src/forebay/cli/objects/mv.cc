// forebay mv: renames an object or folder within its store. The bytes do not move.
#include <CLI/CLI.hpp>
#include <memory>

#include "forebay/cli/command.h"
#include "forebay/cli/objects/place.h"
#include "forebay/storage/blocking.h"
#include "forebay/storage/store_registry.h"
#include "forebay/storage/tree/remove_tree.h"

namespace forebay::cli {
namespace {

struct MvOptions {
  std::string from;
  std::string to;
  bool keeps_existing = false;
};

Result<storage::ObjectAddress> target_of_mv(const MvOptions& options) {
  FOREBAY_ASSIGN_OR_RETURN(storage::ObjectAddress to, resolve(options.to));
  const Result<storage::Entry> there = storage::find_entry(*to.store, to.key);
  const bool is_folder = options.to.ends_with('/') || (there.ok() && there->is_folder);
  if (!is_folder) {
    return to;
  }
  return resolve((options.to.ends_with('/') ? options.to : options.to + "/") + last_name(options.from));
}

Status check_can_rename(const Place& from, const storage::ObjectAddress& to) {
  const std::string words = from.entry.is_folder ? "cp -r and rm -r move" : "cp and rm move";
  if (from.address.store != to.store) {
    return invalid_argument("{} and {} lie in different stores, and a rename moves no bytes; {} them",
                            from.name, to.uri(), words);
  }
  const storage::StoreFeatures features = to.store->features();
  if (from.entry.is_folder && !features.has_directories) {
    return unimplemented("{}: its store has no folders that could be renamed; {} the objects", from.name,
                         words);
  }
  return features.can_rename || !features.can_copy
             ? ok_status()
             : unimplemented("{}: its store cannot rename; {} the object", from.name, words);
}

Status run_mv(const MvOptions& options) {
  FOREBAY_ASSIGN_OR_RETURN(const Place from, find_place(options.from));
  FOREBAY_ASSIGN_OR_RETURN(const storage::ObjectAddress to, target_of_mv(options));
  FOREBAY_RETURN_IF_ERROR(storage::default_registry().check_no_mount(options.from, "renamed"));
  FOREBAY_RETURN_IF_ERROR(check_can_rename(from, to));
  storage::MoveRequest request;
  request.from = storage::without_end_slash(from.address.key);
  request.to = storage::without_end_slash(to.key);
  request.if_absent = options.keeps_existing;
  if (from.entry.is_folder) {
    request.from = storage::as_folder_key(request.from);
    request.to = storage::as_folder_key(request.to);
  }
  return storage::rename_now(*to.store, request).status();
}

}  // namespace

void add_mv(CLI::App& program, Invocation& invocation) {
  CLI::App* command = program.add_subcommand("mv", "Rename an object or folder within its store");
  auto options = std::make_shared<MvOptions>();
  command->add_option("from", options->from, "A path or URI")->required();
  command->add_option("to", options->to, "Its new name, or a folder that takes it")->required();
  command->add_flag("-n,--no-clobber", options->keeps_existing, "Fail if there is something of the new name");
  command->callback([&invocation, options] { invocation.run = [options] { return run_mv(*options); }; });
}

}  // namespace forebay::cli
