"""Turns inputs into a job."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import partial
from typing import Any, Callable, Literal, Mapping, Sequence, cast

from ._http.connection import Connection
from ._http.settings import text_of
from ._inputs.upload import Input, Source, assert_kind, content_type_of, sources_of, upload_source
from ._values import native, plain, shown
from ._watch import JobUpdate, has_ended
from .errors import SegmentationError, invalid_input
from .options import CallOptions, Progress, RunOptions, SegmentOptions, SegmentVideoOptions

MOST_KEY_CHARACTERS = 120
"""The service takes a key of 128: uploads have this one with their number."""
_OURS = {"timeout", "max_retries", "on_retry", "headers", "idempotency_key", "on_progress", "cancel_on_abort", "regions"}

Prompts = str | Sequence[str]


@dataclass
class Reporter:
    """Calls `on_progress` with the progress of a run's files and job."""

    on_progress: Callable[[Progress], None] | None
    sizes: list[int]
    """Of the files, in bytes."""
    sent: list[int]
    """The sent bytes of each."""
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
    sources = sources_of(given)
    key = options.get("idempotency_key")
    if key is not None and len(text_of("idempotency_key", key)) > MOST_KEY_CHARACTERS:
        raise invalid_input(f"The idempotency_key has more than {MOST_KEY_CHARACTERS} characters. Use a shorter one.")
    # Does not upload for a request that cannot be sent.
    fields, wanted, regions = _request_of(kind, prompts, options)
    places = [_place_of(region, len(sources)) for region in regions]
    for source in sources:
        if source.url is None and source.task_id is None:
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
    body: dict[str, Any] = {**fields, "type": kind, "tasks": tasks}
    if wanted or not (regions or "embedding" in fields.get("formats", ())):
        body["prompts"] = wanted
    if regions:
        body["regions"] = [{**each, "taskId": tasks[place]} for each, place in zip(regions, places)]
    answer = await connection.ask("POST /v1/jobs", {}, call, key=key, body=body, needs=("jobId",))
    names = {task: source.name or task for task, source in zip(tasks, sources)}
    return Created(answer.data["jobId"], names, sizes)


def _request_of(
    kind: Literal["image", "video"], prompts: object, options: Mapping[str, Any]
) -> tuple[dict[str, Any], list[str], list[dict[str, Any]]]:
    """The request's own fields, its prompts and its regions."""
    known = (SegmentOptions if kind == "image" else SegmentVideoOptions).__annotations__
    for name in options:
        if name not in known:
            raise invalid_input(f"{shown(name)} is not an option of a job of this type: {', '.join(sorted(known))}.")
    given = {name: value for name, value in options.items() if name not in _OURS and value is not None}
    fields = {_camel(name): plain(value, name) for name, value in given.items()}
    words = native(prompts)
    wanted: Any = [words] if isinstance(words, str) else plain(() if words is None else words, "prompts")
    if not _is_list_of(str, wanted):
        raise invalid_input(f"The prompts must be strings, and are {shown(prompts)}.")
    regions: Any = plain(options.get("regions") or (), "regions")
    if not _is_list_of(dict, regions):
        raise invalid_input('The regions must be a list of dicts: [{"box": [left, top, width, height]}]')
    return fields, wanted, regions


def _is_list_of(kind: type, value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(each, kind) for each in cast("list[object]", value))


def _place_of(region: dict[str, Any], inputs: int) -> int:
    """The index of a region's input, which it then lacks."""
    place = region.pop("input", 0)
    if not (isinstance(place, int) and 0 <= place < inputs):
        raise invalid_input(f"A region refers to input {shown(place)}, which does not exist.")
    return place


def call_of(options: Mapping[str, Any] | RunOptions) -> CallOptions:
    """Options of each request of a call."""
    names = CallOptions.__annotations__
    return {name: value for name, value in options.items() if name in names}  # type: ignore[return-value]


def _camel(name: str) -> str:
    return re.sub(r"_(\w)", lambda match: match[1].upper(), name)


async def cancel_if_interrupted(
    connection: Connection, job_id: str, error: BaseException, options: CallOptions
) -> None:
    """Cancels a job whose caller gave up, if the service is there."""
    if not connection.io.is_abort(error):
        return
    cancel = partial(connection.ask, "POST /v1/jobs/{job_id}/cancel", {"job_id": job_id}, options)
    try:
        await connection.io.shield(cancel)
    except SegmentationError:
        pass
