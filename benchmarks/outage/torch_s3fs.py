"""PyTorch's DataLoader over s3fs (fsspec)."""

import three_jobs
import training_job

TASK = training_job.task()

import counted_objects  # noqa: E402
import s3fs  # noqa: E402

ENVIRONMENT = "s3"


def workers(row, rank):
    def open_reader():
        system = s3fs.S3FileSystem()
        return lambda key: system.cat_file(f"{row['bucket']}/{key}")

    return counted_objects.batches_of(row["keys"], open_reader)


if __name__ == "__main__":
    three_jobs.run(TASK, {"workers": workers}, {"s3fs": s3fs.__version__})
