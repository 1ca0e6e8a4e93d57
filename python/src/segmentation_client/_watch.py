"""Waiting for a job or its archive."""

from __future__ import annotations

from contextlib import aclosing
from dataclasses import dataclass
from typing import AsyncGenerator, Mapping, Sequence, cast

from . import models as m
from ._http.answers import has_fields, may_pass
from ._http.connection import Answer, Connection
from .errors import SegmentationError, problem_error
from .options import CallOptions

_STATUS = ("jobId", "type", "status", "tasks")
_ARCHIVE = ("status", "downloadUrl", "error")
_FIRST_PAUSE = 2.0
_LONGEST_PAUSE = 10.0
_LONGEST_HELD = 25
"""Seconds for which the service may hold an answer back; it allows 60, and proxies often less."""


@dataclass(frozen=True)
class JobUpdate:
    """Progress of a job."""

    job: m.JobStatus
    progress: float
    """The share of the job's work that is done, 0 to 1; of a video, the share of its frames. It can fall: a task may start again."""


def has_ended(status: str) -> bool:
    """True if a job, or a task, has ended."""
    return status in ("success", "failed")


async def watch(connection: Connection, job_id: str, options: CallOptions) -> AsyncGenerator[JobUpdate, None]:
    """Reports a job's progress until it has ended: by the service's events; if they fail twice in a row, by answers
    that the service holds back (`Prefer: wait`); and if it holds none back, by polling at the interval of its
    reference.
    """
    path = {"job_id": job_id}
    failures = 0
    while failures < 2:
        heard = 0
        try:
            async with aclosing(_follow(connection, path, options)) as updates:
                async for update in updates:
                    heard += 1
                    yield update
                    if has_ended(update.job["status"]):
                        return
        except SegmentationError as error:
            # A service without events knows no such path; one with too many streams has no room for another.
            if error.code == "not_found" or error.status == 429:
                break
            if not may_pass(error):
                raise
        # The first event comes at once: a stream with no other was not worth its request.
        failures = 1 if heard > 1 else failures + 1
        if failures < 2:
            await connection.io.sleep(connection.pause(failures))
    pause = _FIRST_PAUSE
    while True:
        answer = await _held(connection, "GET /v1/jobs/{job_id}", path, options, _STATUS)
        job: m.JobStatus = answer.data
        yield JobUpdate(job, _progress_of(answer))
        if has_ended(job["status"]):
            return
        if "preference-applied" not in answer.headers:
            await connection.io.sleep(pause)
        pause = min(pause * 1.5, _LONGEST_PAUSE)


def _progress_of(answer: Answer) -> float:
    try:
        return float(answer.headers.get("x-job-progress", "0"))
    except ValueError:
        return 0


async def _follow(
    connection: Connection, path: Mapping[str, str], options: CallOptions
) -> AsyncGenerator[JobUpdate, None]:
    """One stream of events, from the job's present status until the stream ends."""
    job: m.JobStatus | None = None
    progress = 0.0
    async with aclosing(connection.events("GET /v1/jobs/{job_id}/events", path, options)) as events:
        async for event in events:
            if has_fields(event.data, ("progress",)):
                progress = event.data["progress"]
            elif has_fields(event.data, _STATUS):
                job = event.data
            if job is not None:
                yield JobUpdate(job, 1.0 if has_ended(job["status"]) else progress)


async def _held(
    connection: Connection, route: str, path: Mapping[str, str], options: CallOptions, needs: Sequence[str]
) -> Answer:
    """Asks for an answer that the service holds back until there is news, for half of a request's time limit."""
    timeout = connection.timeout_of(options)
    seconds = max(1, int(min(_LONGEST_HELD, timeout / 2)))
    longer = options if timeout >= seconds * 2 else cast(CallOptions, {**options, "timeout": seconds * 2})
    return await connection.ask(route, path, longer, needs=needs, headers={"prefer": f"wait={seconds}"})


async def wait_for_archive(connection: Connection, job_id: str, options: CallOptions) -> m.ArchiveDownload:
    """Asks for a job's archive and waits until it is ready. Raises the archive's problem if it fails."""
    path = {"job_id": job_id}
    answer = await connection.ask("POST /v1/jobs/{job_id}/download", path, options, needs=_ARCHIVE)
    while True:
        archive: m.ArchiveDownload = answer.data
        if archive["status"] == "ready" and archive["downloadUrl"] is not None:
            return archive
        if archive["status"] == "failed":
            raise problem_error(archive["error"], job_id)
        answer = await _held(connection, "GET /v1/jobs/{job_id}/download", path, options, _ARCHIVE)
        if "preference-applied" not in answer.headers and answer.data["status"] != "ready":
            await connection.io.sleep(answer.data.get("retryAfterSeconds") or 2)


def assert_succeeded(job: m.JobStatus) -> None:
    """Raises the problem of a job that has failed, or of its first task."""
    if job["status"] == "failed":
        problems = [job["error"], *(task["error"] for task in job["tasks"])]
        raise problem_error(next((each for each in problems if each), None), job["jobId"])
