"""The client, with and without an event loop."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, AsyncGenerator, Callable, Iterator, Sequence

import httpx

from . import models as m
from ._http.connection import Connection
from ._http.io import AsyncIO, BlockingIO, given_http, iterate, new_http, run
from ._job import AsyncJobHandle, JobHandle
from ._run import Created, Prompts, create
from ._http.settings import AccessToken, Timeout, limits_of
from ._inputs.upload import Input, source_of, upload_source
from ._watch import JobUpdate, wait_for_archive, watch
from .api import Api, AsyncApi, AsyncJobs, AsyncUploads, Jobs, Uploads
from .embedding import Embedding
from .errors import SegmentationError
from .options import CallOptions, RequestOptions, ResultOptions, RunOptions, SegmentOptions, SegmentVideoOptions
from .results import ImageResult, VideoResult

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack


class AsyncClient:
    """A client of a segmentation service, for asyncio and trio. Every method raises `SegmentationError`."""

    def __init__(
        self,
        base_url: str | None = None,
        api_key: str | None = None,
        *,
        access_token: AccessToken | None = None,
        timeout: Timeout = "default",
        max_retries: int = 5,
        retry_delay: float = 0.5,
        parallel: int = 6,
        http: httpx.AsyncClient | None = None,
        _io: BlockingIO | None = None,
    ) -> None:
        """`base_url` and `api_key` default to the environment's SEGMENTATION_BASE_URL and SEGMENTATION_API_KEY.

        access_token: gives the user's token of the identity provider, called before each request, instead of an API key.
        timeout: seconds for a request; for files and events, seconds of silence. None is no limit; by default it is that
            of `http` if that has one, otherwise 60.
        max_retries: repetitions of a request after a temporary failure.
        retry_delay: seconds before the first repetition, doubled for each further one.
        parallel: files that are uploaded or downloaded at the same time.
        http: sends the requests, for your own proxies and certificates; you close it. Its headers, cookies, params and
            event hooks apply to requests to the service; its `auth` does not.
        """
        io = _io or AsyncIO(given_http(httpx.AsyncClient, http, "AsyncClient"))
        self._own = io if isinstance(io, AsyncIO) else None
        self.connection = Connection(
            io,
            base_url=base_url,
            api_key=api_key,
            access_token=access_token,
            limits=limits_of(timeout, _io.http if _io else http),
            max_retries=max_retries,
            retry_delay=retry_delay,
            parallel=parallel,
        )
        self.api = AsyncApi(self.connection)
        """Every operation of the service by its name in the reference."""
        self.jobs: AsyncJobs = self.api
        self.uploads: AsyncUploads = self.api

    async def segment(
        self, input: Input | Sequence[Input], prompts: Prompts = (), **options: Unpack[SegmentOptions]
    ) -> ImageResult:
        """See `Client.segment`."""
        job = await self.submit(input, prompts, **options)
        return _images(await job.result(**_result_options(options)))

    async def embed(self, input: Input, **options: Unpack[RunOptions]) -> Embedding:
        """See `Client.embed`."""
        result = await self.segment(input, formats=["embedding"], **options)
        return result.pictures[0].embedding

    async def segment_video(
        self, input: Input, prompts: Prompts = (), **options: Unpack[SegmentVideoOptions]
    ) -> VideoResult:
        """See `Client.segment_video`."""
        job = await self.submit_video(input, prompts, **options)
        return _video(await job.result(**_result_options(options)))

    async def submit(
        self, input: Input | Sequence[Input], prompts: Prompts = (), **options: Unpack[SegmentOptions]
    ) -> AsyncJobHandle:
        """As `segment`, without waiting: uploads the pictures and creates the job."""
        return AsyncJobHandle(self.connection, await create(self.connection, "image", input, prompts, options))

    async def submit_video(
        self, input: Input, prompts: Prompts = (), **options: Unpack[SegmentVideoOptions]
    ) -> AsyncJobHandle:
        """As `segment_video`, without waiting: uploads the video and creates the job."""
        return AsyncJobHandle(self.connection, await create(self.connection, "video", input, prompts, options))

    def job(self, job_id: str) -> AsyncJobHandle:
        """A job from elsewhere or earlier. Asks for nothing yet."""
        return AsyncJobHandle(self.connection, Created(job_id, {}, ()))

    async def result(
        self, job_id: str, *, annotated: bool = False, **options: Unpack[ResultOptions]
    ) -> ImageResult | VideoResult:
        """The result of a job from elsewhere or earlier; see `AsyncJobHandle.result`."""
        return await self.job(job_id).result(annotated=annotated, **options)

    def events(self, job_id: str, **options: Unpack[CallOptions]) -> AsyncGenerator[JobUpdate, None]:
        """Yields a job's progress at each change, until the job has ended."""
        return watch(self.connection, job_id, options)

    async def archive(self, job_id: str, **options: Unpack[CallOptions]) -> m.ArchiveDownload:
        """Asks for the zip of a job's files, and waits until it is ready."""
        return await wait_for_archive(self.connection, job_id, options)

    async def upload(
        self,
        input: Input,
        *,
        on_progress: Callable[[int], None] = lambda _: None,
        **options: Unpack[RequestOptions],
    ) -> str:
        """See `Client.upload`."""
        key = options.get("idempotency_key")
        call: RequestOptions = {**options, "idempotency_key": ""}
        return (await upload_source(self.connection, source_of(input), call, key, on_progress)).task_id

    async def download(self, url: str, **options: Unpack[CallOptions]) -> bytes:
        """Downloads a signed URL."""
        return await self.connection.download(url, options, bytes)

    async def aclose(self) -> None:
        """Closes the connections."""
        if self._own is not None:
            await self._own.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()


class Client:
    """A client of a segmentation service. Every method raises `SegmentationError`. Threads may share one."""

    def __init__(
        self,
        base_url: str | None = None,
        api_key: str | None = None,
        *,
        access_token: Callable[[], str] | None = None,
        timeout: Timeout = "default",
        max_retries: int = 5,
        retry_delay: float = 0.5,
        parallel: int = 6,
        http: httpx.Client | None = None,
    ) -> None:
        """Has the parameters of `AsyncClient`; `http` is an `httpx.Client`."""
        given = given_http(httpx.Client, http, "Client")
        io = BlockingIO(given or new_http(httpx.Client))
        self._own = None if given else io.http
        options: dict[str, Any] = {"timeout": timeout, "max_retries": max_retries, "retry_delay": retry_delay}
        self._client = AsyncClient(
            base_url, api_key, access_token=access_token, parallel=parallel, _io=io, **options
        )
        self.api = Api(self._client.connection)
        """Every operation of the service by its name in the reference."""
        self.jobs: Jobs = self.api
        self.uploads: Uploads = self.api

    def segment(
        self, input: Input | Sequence[Input], prompts: Prompts = (), **options: Unpack[SegmentOptions]
    ) -> ImageResult:
        """Finds what the prompts describe in a picture, or in up to 100: uploads them, creates a job, waits for it, and fetches the
        masks. If one of several pictures fails, its `problem` says why; the call fails if all of them do.
        """
        return run(self._client.segment(input, prompts, **options))

    def embed(self, input: Input, **options: Unpack[RunOptions]) -> Embedding:
        """Computes the features of a picture, from which the model's decoder draws masks without the service."""
        return run(self._client.embed(input, **options))

    def segment_video(self, input: Input, prompts: Prompts = (), **options: Unpack[SegmentVideoOptions]) -> VideoResult:
        """Finds what the prompts describe in a video, and follows it from frame to frame."""
        return run(self._client.segment_video(input, prompts, **options))

    def submit(
        self, input: Input | Sequence[Input], prompts: Prompts = (), **options: Unpack[SegmentOptions]
    ) -> JobHandle:
        """As `segment`, without waiting: uploads the pictures and creates the job."""
        return JobHandle(run(self._client.submit(input, prompts, **options)))

    def submit_video(self, input: Input, prompts: Prompts = (), **options: Unpack[SegmentVideoOptions]) -> JobHandle:
        """As `segment_video`, without waiting: uploads the video and creates the job."""
        return JobHandle(run(self._client.submit_video(input, prompts, **options)))

    def job(self, job_id: str) -> JobHandle:
        """A job from elsewhere or earlier. Asks for nothing yet."""
        return JobHandle(self._client.job(job_id))

    def result(
        self, job_id: str, *, annotated: bool = False, **options: Unpack[ResultOptions]
    ) -> ImageResult | VideoResult:
        """The result of a job from elsewhere or earlier; see `AsyncJobHandle.result`."""
        return run(self._client.result(job_id, annotated=annotated, **options))

    def events(self, job_id: str, **options: Unpack[CallOptions]) -> Iterator[JobUpdate]:
        """Yields a job's progress at each change, until the job has ended."""
        return iterate(self._client.events(job_id, **options))

    def archive(self, job_id: str, **options: Unpack[CallOptions]) -> m.ArchiveDownload:
        """Asks for the zip of a job's files, and waits until it is ready."""
        return run(self._client.archive(job_id, **options))

    def upload(
        self,
        input: Input,
        *,
        on_progress: Callable[[int], None] = lambda _: None,
        **options: Unpack[RequestOptions],
    ) -> str:
        """Uploads a picture or a video, and gives its task_id for a job. With the same `idempotency_key`, a file is
        the same upload within a day. `on_progress` is called with the number of bytes sent so far.
        """
        return run(self._client.upload(input, on_progress=on_progress, **options))

    def download(self, url: str, **options: Unpack[CallOptions]) -> bytes:
        """Downloads a signed URL."""
        return run(self._client.download(url, **options))

    def close(self) -> None:
        """Closes the connections."""
        if self._own is not None:
            self._own.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _result_options(options: SegmentOptions | SegmentVideoOptions) -> ResultOptions:
    names = (*CallOptions.__annotations__, "on_progress", "cancel_on_abort")
    return {name: value for name, value in options.items() if name in names}  # type: ignore[return-value]


def _images(result: ImageResult | VideoResult) -> ImageResult:
    if not isinstance(result, ImageResult):
        raise SegmentationError("unreadable_answer", "The job has a different type.", job_id=result.job_id)
    return result


def _video(result: ImageResult | VideoResult) -> VideoResult:
    if not isinstance(result, VideoResult):
        raise SegmentationError("unreadable_answer", "The job has a different type.", job_id=result.job_id)
    return result
