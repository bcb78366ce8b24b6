"""write_mds.py FOLDER < JSON: MosaicML's shards of pictures, {key: path} where the key's second part is the class."""

import json
import pathlib
import sys

from streaming import MDSWriter

SHARD_BYTES = 16 << 20

if __name__ == "__main__":
    with MDSWriter(out=sys.argv[1], columns={"image": "bytes", "label": "int"}, size_limit=SHARD_BYTES) as shards:
        for key, path in json.load(sys.stdin).items():
            shards.write({"image": pathlib.Path(path).read_bytes(), "label": int(key.split("/")[1])})
