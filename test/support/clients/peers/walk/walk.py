"""Walks from presign to masks by the client that openapi-generator makes for Python.

Arguments: a PNG file, what to look for in it, a folder for the masks. Prints the job's id and the model's vocabulary.
"""

import os
import sys
import urllib.request

from openapi_client import (
    ApiClient,
    Configuration,
    CreateJobRequest,
    ImageJobRequest,
    JobsApi,
    ModelApi,
    PresignRequest,
    Status,
    UploadsApi,
)

picture, prompt, folder = sys.argv[1:]
settings = Configuration(
    host=os.environ["SEGMENTATION_BASE_URL"], access_token=os.environ["SEGMENTATION_API_KEY"]
)
with ApiClient(settings) as client:
    jobs = JobsApi(client)
    vocabulary = ModelApi(client).retrieve_model().vocabulary.actual_instance

    upload = UploadsApi(client).create_upload_presign(PresignRequest(contentType="image/png"))
    with open(picture, "rb") as file:
        put = urllib.request.Request(
            upload.upload_url, file.read(), {"Content-Type": "image/png"}, method="PUT"
        )
    urllib.request.urlopen(put).close()

    request = ImageJobRequest(type="image", prompts=[prompt], tasks=[upload.task_id])
    job_id = jobs.create_job(CreateJobRequest(request), idempotency_key="python").job_id
    status = Status.QUEUED
    while status in (Status.QUEUED, Status.PROCESSING):
        status = jobs.retrieve_job(job_id, prefer="wait=60").status
    assert jobs.list_jobs(limit=1, status=Status.SUCCESS).items[0].job_id == job_id

    for mask in jobs.retrieve_job_result(job_id).manifest.actual_instance.items[0].masks:
        urllib.request.urlretrieve(mask.url, f"{folder}/{mask.mask_index}.png")
    print(job_id, vocabulary)
