"""Spark writes a table to a mounted bucket, and another program reads it from the host's cache: no byte comes back."""

from __future__ import annotations

import pathlib
import shutil

import pytest
from mounted_bucket import mounted_bucket, run_script

pyarrow_dataset = pytest.importorskip("pyarrow.dataset")

SPARK = pathlib.Path(__file__).parents[2] / ".peers" / "spark" / "bin" / "python"
LONGEST_JOB_S = 300

JOB = """
import sys
from pyspark.sql import SparkSession
from pyspark.sql.functions import col

spark = (SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
         .config("spark.driver.bindAddress", "127.0.0.1").config("spark.driver.host", "127.0.0.1").getOrCreate())
table = spark.range(0, 100_000, numPartitions=4).withColumn("part", col("id") % 3)
table.write.mode("overwrite").partitionBy("part").parquet("file://" + sys.argv[1] + "/table")
table.write.mode("overwrite").partitionBy("part").parquet("file://" + sys.argv[1] + "/table")
assert spark.read.parquet("file://" + sys.argv[1] + "/table").count() == 100_000
spark.stop()
"""


@pytest.mark.nightly
@pytest.mark.skipif(not SPARK.exists(), reason=".peers/spark is not made: `make peers`")
@pytest.mark.skipif(shutil.which("java") is None, reason="Java is not installed")
def test_what_spark_writes_is_read_from_the_cache(tmp_path: pathlib.Path) -> None:
    with mounted_bucket(tmp_path, longest_s=2 * LONGEST_JOB_S) as (host, path):
        run_script(JOB, path, LONGEST_JOB_S, python=str(SPARK))
        before = host.status()["upstream_bytes"]
        read = pyarrow_dataset.dataset(path / "table", partitioning="hive")
        assert read.count_rows() == 100_000
        ids = read.to_table(filter=pyarrow_dataset.field("part") == 2)["id"].to_pylist()
        assert sorted(ids) == list(range(2, 100_000, 3))
        assert host.status()["upstream_bytes"] == before
