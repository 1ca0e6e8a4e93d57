"""From inputs to a job."""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass
from functools import partial
from typing import Any, Callable, Literal, Mapping, Sequence, cast

from ._connection import Connection
from ._upload import Input, Source, assert_kind, content_type_of, source_of, upload_source
from ._watch import JobUpdate, has_ended
from .errors import SegmentationError, invalid_input
from .options import CallOptions, Progress, RunOptions, SegmentOptions, SegmentVideoOptions

MOST_KEY_CHARACTERS = 120
"""The service takes a key of 128: uploads have this one with their number."""
_OURS = {"timeout", "max_retries", "on_retry", "headers", "idempotency_key", "on_progress", "cancel_on_abort", "regions"}

Prompts = str | Sequence[str]


@dataclass
class Reporter:
    """Calls `on_progress` with what is known of a run's files and job."""

    on_progress: Callable[[Progress], None] | None
    sizes: list[int]
    """Of the files, in bytes."""
    sent: list[int]
    """How much of each has been sent."""
    update: JobUpdate | None = None

    def uploaded(self, index: int, sent: int, size: int) -> None:
        self.sent[index], self.sizes[index] = sent, size
        self._report()

    def job(self, update: JobUpdate) -> None:
        self.update = update
        self._report()

    def _report(self) -> None:
        if self.on_progress is None:
            return
        job = self.update.job if self.update else None
        self.on_progress(
            Progress(
                uploaded_bytes=sum(self.sent),
                total_bytes=sum(self.sizes),
                tasks_done=sum(has_ended(task["status"]) for task in job["tasks"]) if job else 0,
                tasks=len(job["tasks"]) if job else len(self.sizes),
                share=self.update.progress if self.update else 0,
                job_id=job["jobId"] if job else None,
            )
        )


@dataclass(frozen=True)
class Created:
    """A job that was created from files."""

    job_id: str
    names: Mapping[str, str]
    """Of the files by task_id."""
    sizes: Sequence[int]
    """In bytes."""


async def create(
    connection: Connection,
    kind: Literal["image", "video"],
    given: Input | Sequence[Input],
    prompts: Prompts,
    options: SegmentOptions | SegmentVideoOptions,
) -> Created:
    """Uploads the files and creates the job."""
    inputs = given if isinstance(given, (list, tuple)) else [given]
    sources = [source_of(each) for each in cast("Sequence[Input]", inputs)]
    key = options.get("idempotency_key")
    if key is not None and len(key) > MOST_KEY_CHARACTERS:
        raise invalid_input(f"The idempotency_key has more than {MOST_KEY_CHARACTERS} characters. Use a shorter one.")
    fields = {_camel(name): value for name, value in options.items() if name not in _OURS}
    regions: Sequence[Mapping[str, Any]] = options.get("regions", [])  # type: ignore[assignment]
    for region in regions:
        if not 0 <= region.get("input", 0) < len(sources):
            raise invalid_input(f"A region refers to input {region.get('input')}, which does not exist.")
    for source in sources:
        if source.url is None:
            assert_kind(kind, content_type_of(source), source.name)
    call = call_of(options)
    sizes = [source.size for source in sources]
    reporter = Reporter(options.get("on_progress"), sizes, [0] * len(sizes))

    async def upload(index: int, source: Source) -> str:
        own = f"{key}:{index}" if key else None
        uploaded = await upload_source(
            connection, source, call, own, lambda sent: reporter.uploaded(index, sent, sizes[index])
        )
        assert_kind(kind, uploaded.content_type, source.name)
        reporter.uploaded(index, uploaded.size, uploaded.size)
        return uploaded.task_id

    works = [partial(upload, i, source) for i, source in enumerate(sources)]
    tasks = await connection.io.all(works, connection.parallel)
    wanted = [prompts] if isinstance(prompts, str) else list(prompts)
    body: dict[str, Any] = {**fields, "type": kind, "tasks": tasks}
    if wanted or not regions:
        body["prompts"] = wanted
    if regions:
        body["regions"] = [_region(each, tasks[each.get("input", 0)]) for each in regions]
    answer = await connection.ask("POST /v1/jobs", {}, call, key=key, body=body)
    names = {task: source.name or task for task, source in zip(tasks, sources)}
    return Created(answer.data["jobId"], names, sizes)


def _region(region: Mapping[str, Any], task_id: str) -> dict[str, Any]:
    return {**{name: value for name, value in region.items() if name != "input"}, "taskId": task_id}


def call_of(options: Mapping[str, Any] | RunOptions) -> CallOptions:
    """What each request of a call takes."""
    names = CallOptions.__annotations__
    return {name: value for name, value in options.items() if name in names}  # type: ignore[return-value]


def _camel(name: str) -> str:
    return re.sub(r"_(\w)", lambda match: match[1].upper(), name)


async def cancel_if_interrupted(
    connection: Connection, job_id: str, error: BaseException, options: CallOptions
) -> None:
    """Cancels a job whose caller has stopped caring, if the service is there."""
    if not isinstance(error, (asyncio.CancelledError, KeyboardInterrupt)):
        return
    try:
        await connection.ask("POST /v1/jobs/{job_id}/cancel", {"job_id": job_id}, options)
    except SegmentationError:
        pass
