"""A job that was created."""

from __future__ import annotations

import json
import time
from contextlib import aclosing
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, AsyncGenerator, Callable, Iterator, Sequence, TypeVar, cast

from . import models as m
from ._http.connection import Connection
from ._http.io import iterate, run
from ._run import Created, Reporter, call_of, cancel_if_interrupted
from ._watch import JobUpdate, assert_succeeded, has_ended, watch
from .errors import SegmentationError, invalid_input, problem_error
from .masks import Mask
from .options import AnnotationsToSave, CallOptions, ResultOptions
from .results import ImageResult, Picture, Track, VideoResult, tracks_of

if TYPE_CHECKING:
    from typing_extensions import Unpack

T = TypeVar("T")

_USED_SHARE = 0.9
"""A signature may expire during a request, so the client does not use it in the last tenth of its life."""


class _JobFiles:
    """A job's result and its files by their asset keys. Requests new signed URLs after the old ones have expired.
    """

    result: m.JobResult

    def __init__(self, connection: Connection, job_id: str, options: CallOptions) -> None:
        self._connection = connection
        self._job_id = job_id
        self._options = options

    async def open(self) -> _JobFiles:
        asked_at = time.time()
        path = {"job_id": self._job_id}
        needs = ("manifest", "assets", "expiresIn")
        self.result = (
            await self._connection.ask("GET /v1/jobs/{job_id}/result", path, self._options, needs=needs)
        ).data
        self._urls = {asset["key"]: asset["url"] for asset in self.result["assets"]}
        self._until = asked_at + self.result["expiresIn"] * _USED_SHARE
        return self

    async def read(self, key: str, read: Callable[[bytes], T]) -> T:
        """Downloads a file, again if `read` finds damage (ValueError)."""
        if time.time() > self._until:
            await self.open()
        if key not in self._urls:
            raise SegmentationError("unreadable_answer", f"The job's result has no file {key}. Try again.")
        return await self._connection.download(self._urls[key], self._options, read)

    async def mask(self, task_id: str, index: int, confidence: float) -> Mask:
        return await self.read(f"masks/{task_id}/{index}.png", lambda png: Mask(index, confidence, png))

    async def all(self, keys: Sequence[str]) -> dict[str, bytes]:
        works = [partial(self.read, key, bytes) for key in keys]
        contents = await self._connection.io.all(works, self._connection.parallel)
        return dict(zip(keys, contents))

    async def pictures(self, tasks: Sequence[m.JobStatusTask], names: dict[str, str]) -> list[Picture]:
        """The pictures of these tasks, with their masks and requested files."""
        manifest = cast(m.ImageManifest, self.result["manifest"])
        ids = {task["taskId"] for task in tasks}
        wanted = [
            (item["taskId"], mask["maskIndex"], mask["confidence"])
            for item in manifest["items"]
            if item["taskId"] in ids
            for mask in item["masks"]
        ]
        works = [partial(self.mask, *each) for each in wanted]
        masks = await self._connection.io.all(works, self._connection.parallel)
        keys = [key for key in self._urls if not key.startswith("masks/") and any(task in key for task in ids)]
        files = await self.all(keys)
        found = list(zip(wanted, masks))
        return [
            Picture(
                task_id=task["taskId"],
                name=names.get(task["taskId"], task["taskId"]),
                masks=[mask for (task_id, *_), mask in found if task_id == task["taskId"]],
                problem=task["error"],
                prompts=manifest["prompts"],
                files={key: content for key, content in files.items() if task["taskId"] in key},
            )
            for task in tasks
        ]

    async def video(self, job: m.JobStatus, names: dict[str, str]) -> VideoResult:
        manifest = cast(m.VideoManifest, self.result["manifest"])
        item = manifest["items"][0]
        key = f"masks/{item['taskId']}/masks.json"
        tracks, masks_json, content = await self.read(key, partial(_masks_of, prompts=manifest["prompts"]))
        files = {**(await self.all([each for each in self._urls if each != key])), key: content}
        return VideoResult(
            job=job,
            task_id=item["taskId"],
            name=names.get(item["taskId"], item["taskId"]),
            counts=item["counts"],
            tracks=tracks,
            masks_json=masks_json,
            files=files,
        )


def _masks_of(content: bytes, prompts: Sequence[str]) -> tuple[list[Track], dict[str, Any], bytes]:
    masks_json = json.loads(content)
    try:
        return tracks_of(masks_json, prompts), masks_json, content
    except (LookupError, TypeError) as error:
        raise ValueError(f"it is no masks.json ({error!r})") from error


@dataclass(frozen=True, eq=False)
class AsyncEndedPicture:
    """A picture of a job whose task has ended. Its masks are fetched on request, and not kept."""

    task_id: str
    name: str
    """The file's name, or the task_id of one without."""
    problem: str | None
    """The reason why the picture failed, or the prompts that it could not serve: a code, a colon and a sentence."""
    _job: AsyncJobHandle
    _task: m.JobStatusTask

    async def load(self, **options: Unpack[CallOptions]) -> Picture:
        """Fetches the picture with its masks; waits until the whole job has succeeded, because the service gives no
        masks before. Raises the picture's problem if it has failed, or the job's.
        """
        return await self._job.picture(self._task, options)

    async def masks(self, **options: Unpack[CallOptions]) -> Sequence[Mask]:
        """The picture's masks, none if it failed; waits as `load` does."""
        return [] if self._task["status"] == "failed" else (await self.load(**options)).masks


class AsyncJobHandle:
    """A job of the service, which keeps running without this object. Keep its `job_id`: `client.job(job_id)` is the
    same job in another process, for as long as the service keeps it.
    """

    def __init__(self, connection: Connection, created: Created) -> None:
        self.job_id = created.job_id
        self._connection = connection
        self._created = created
        self._path = {"job_id": created.job_id}
        self._files: _JobFiles | None = None

    async def status(self, **options: Unpack[CallOptions]) -> m.JobStatus:
        """The job's status now."""
        return cast(m.JobStatus, (await self._connection.ask("GET /v1/jobs/{job_id}", self._path, options)).data)

    def events(self, **options: Unpack[CallOptions]) -> AsyncGenerator[JobUpdate, None]:
        """Yields the job's progress at each change, until the job has ended."""
        return watch(self._connection, self.job_id, options)

    async def cancel(self, **options: Unpack[CallOptions]) -> m.JobStatus:
        """Cancels the job: unfinished work is not charged. Returns its status."""
        answer = await self._connection.ask("POST /v1/jobs/{job_id}/cancel", self._path, options)
        return cast(m.JobStatus, answer.data)

    async def result(
        self, *, annotated: bool = False, **options: Unpack[ResultOptions]
    ) -> ImageResult | VideoResult:
        """Waits until the job has ended, and fetches its results; with `annotated`, also people's corrections of
        pictures. Raises the job's problem if it has failed.
        """
        call = call_of(options)
        sizes = list(self._created.sizes)
        reporter = Reporter(options.get("on_progress"), sizes, list(sizes))
        try:
            job = await self._wait(call, reporter)
            assert_succeeded(job)
            files = await self._open(call)
            if files.result["manifest"]["type"] == "video":
                if annotated:
                    raise invalid_input("This is a video's job: its COCO document has no corrections. Omit annotated.")
                return await files.video(job, dict(self._created.names))
            pictures = await files.pictures(job["tasks"], dict(self._created.names))
            every = {key: content for picture in pictures for key, content in picture.files.items()}
            if not annotated:
                return ImageResult(job, pictures, every)
            annotations = await self.annotations(**call)
            searches = await self._searches(annotations["document"]["searches"], call)
            return ImageResult(job, pictures, every, annotations, searches)
        except SegmentationError as error:
            error.job_id = self.job_id
            raise
        except BaseException as error:
            if options.get("cancel_on_abort"):
                await cancel_if_interrupted(self._connection, self.job_id, error, call)
            raise

    async def annotations(self, **options: Unpack[CallOptions]) -> m.JobAnnotations:
        """Fetches people's corrections of the result, with their version."""
        route = "GET /v1/jobs/{job_id}/annotations"
        answer = await self._connection.ask(route, self._path, options, needs=("version", "document"))
        return cast(m.JobAnnotations, answer.data)

    async def save_annotations(
        self, annotations: AnnotationsToSave, **options: Unpack[CallOptions]
    ) -> m.SavedAnnotations:
        """Replaces the corrections by a document that is based on a version of them. Raises `version_conflict` with
        `current_version` if another client has saved since.
        """
        route = "PUT /v1/jobs/{job_id}/annotations"
        body = {"document": annotations["document"]}
        headers = {"if-match": f'"{annotations["version"]}"'}
        answer = await self._connection.ask(route, self._path, options, body=body, headers=headers)
        return cast(m.SavedAnnotations, answer.data)

    async def pictures(self, **options: Unpack[CallOptions]) -> AsyncGenerator[AsyncEndedPicture, None]:
        """Yields each picture as soon as its task has ended, in success or not, in that order. Memory stays flat: a picture's masks
        are fetched by its `masks()`, which waits for the whole job, because the service gives no masks away before.
        """
        seen: set[str] = set()
        async with aclosing(self.events(**options)) as updates:
            async for update in updates:
                if update.job["type"] != "image":
                    raise invalid_input("This is a video's job: use result().", self.job_id)
                for task in update.job["tasks"]:
                    if has_ended(task["status"]) and task["taskId"] not in seen:
                        seen.add(task["taskId"])
                        name = self._created.names.get(task["taskId"], task["taskId"])
                        yield AsyncEndedPicture(task["taskId"], name, task["error"], self, task)

    async def picture(self, task: m.JobStatusTask, options: CallOptions) -> Picture:
        """The picture of one of the job's tasks, with its masks."""
        if task["status"] == "failed":
            raise problem_error(task["error"], self.job_id)
        if self._files is None:
            assert_succeeded(await self._wait(options, None))
        files = await self._open(options)
        return (await files.pictures([task], dict(self._created.names)))[0]

    async def _wait(self, options: CallOptions, reporter: Reporter | None) -> m.JobStatus:
        job: m.JobStatus | None = None
        async with aclosing(self.events(**options)) as updates:
            async for update in updates:
                job = update.job
                if reporter is not None:
                    reporter.job(update)
        assert job is not None
        return job

    async def _searches(self, job_ids: Sequence[str], options: CallOptions) -> dict[str, list[Picture]]:
        """The pictures of further jobs. Leaves out jobs without a result."""
        found: dict[str, list[Picture]] = {}
        for job_id in job_ids:
            try:
                files = await _JobFiles(self._connection, job_id, options).open()
            except SegmentationError as error:
                if error.code in ("job_not_found", "job_not_ready"):
                    continue
                raise
            manifest = files.result["manifest"]
            if manifest["type"] == "image":
                ids = [item["taskId"] for item in manifest["items"]]
                tasks = [m.JobStatusTask(taskId=task_id, status="success", error=None) for task_id in ids]
                found[job_id] = await files.pictures(tasks, {})
        return found

    async def _open(self, options: CallOptions) -> _JobFiles:
        if self._files is None:
            self._files = await _JobFiles(self._connection, self.job_id, options).open()
        return self._files


class EndedPicture:
    """A picture of a job whose task has ended. Its masks are fetched on request, and not kept."""

    def __init__(self, picture: AsyncEndedPicture) -> None:
        self._picture = picture
        self.task_id = picture.task_id
        self.name = picture.name
        self.problem = picture.problem

    def load(self, **options: Unpack[CallOptions]) -> Picture:
        """See `AsyncEndedPicture.load`."""
        return run(self._picture.load(**options))

    def masks(self, **options: Unpack[CallOptions]) -> Sequence[Mask]:
        """The picture's masks, none if it failed; waits as `load` does."""
        return run(self._picture.masks(**options))


class JobHandle:
    """A job of the service, which keeps running without this object. Keep its `job_id`: `client.job(job_id)` is the
    same job in another process, for as long as the service keeps it.
    """

    def __init__(self, job: AsyncJobHandle) -> None:
        self._job = job
        self.job_id = job.job_id

    def status(self, **options: Unpack[CallOptions]) -> m.JobStatus:
        """The job's status now."""
        return run(self._job.status(**options))

    def events(self, **options: Unpack[CallOptions]) -> Iterator[JobUpdate]:
        """Yields the job's progress at each change, until the job has ended."""
        return iterate(self._job.events(**options))

    def cancel(self, **options: Unpack[CallOptions]) -> m.JobStatus:
        """Cancels the job: unfinished work is not charged. Returns its status."""
        return run(self._job.cancel(**options))

    def result(self, *, annotated: bool = False, **options: Unpack[ResultOptions]) -> ImageResult | VideoResult:
        """See `AsyncJobHandle.result`."""
        return run(self._job.result(annotated=annotated, **options))

    def annotations(self, **options: Unpack[CallOptions]) -> m.JobAnnotations:
        """Fetches people's corrections of the result, with their version."""
        return run(self._job.annotations(**options))

    def save_annotations(
        self, annotations: AnnotationsToSave, **options: Unpack[CallOptions]
    ) -> m.SavedAnnotations:
        """See `AsyncJobHandle.save_annotations`."""
        return run(self._job.save_annotations(annotations, **options))

    def pictures(self, **options: Unpack[CallOptions]) -> Iterator[EndedPicture]:
        """Yields each picture as soon as its task has ended; see `AsyncJobHandle.pictures`."""
        return map(EndedPicture, iterate(self._job.pictures(**options)))
