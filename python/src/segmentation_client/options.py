"""Options of calls."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Callable, Mapping, Sequence, TypedDict

from .errors import SegmentationError
from .models import AnnotationsDocument, ImageJobOptions, RefinedMask, RegionPoint, VideoJobOptions


class CallOptions(TypedDict, total=False):
    """Options of every call; a call of several requests passes them on to each."""

    timeout: float | None
    """In place of the client's own: seconds, None for no limit."""
    max_retries: int
    """In place of the client's own."""
    on_retry: Callable[[SegmentationError, float], None]
    """Called with a temporary failure and the seconds until the request is repeated."""
    headers: Mapping[str, str]
    """Further headers of the requests to the service; those to its storage are signed, and have none."""


class RequestOptions(CallOptions, total=False):
    """Options of one request."""

    idempotency_key: str
    """In place of a random one: for a POST that a later run of the program may repeat."""


class ResultOptions(CallOptions, total=False):
    """Options of waiting for a job's result."""

    on_progress: Callable[[Progress], None]
    """Called with the progress at each change."""
    cancel_on_abort: bool
    """Also cancels the job on Ctrl-C, or if the task is canceled."""


class RunOptions(ResultOptions, total=False):
    """Options of a call that makes a job, without the job's own."""

    idempotency_key: str
    """Names the call, for a later run of the program: within a day, a call with this key, the same files and the same
    prompts is the same job. It has at most 120 characters. Files at a URL are then fetched by the client.
    """


class _Region(TypedDict, total=False):
    box: Sequence[float]
    """Left, top, width, height."""
    points: Sequence[RegionPoint]
    """On the object (label 1), at least one, and outside it (label 0)."""
    label: str
    """The object's name in results; the service does not look for it."""


class PictureRegion(_Region, total=False):
    """An object in a picture, in pixels: a `box` around it, or `points` on it and outside it."""

    input: int
    """The index of its input, from 0 (the default)."""
    findAll: bool
    """Finds every object of the picture that looks like this one, if `regions.examples` of the model is true. Regions with the
    same label are examples of one thing. The masks belong to the first of them."""
    refines: RefinedMask
    """A mask of an earlier job that the box or the points correct. Its picture is the same upload: its input is `{"taskId": …}`."""


class ClipRegion(_Region, total=False):
    """An object in a video, in pixels of its frames, at a time. It is followed from there, forward and backward."""

    timeSeconds: float
    """Seconds from the video's start, 0 by default."""
    objectId: int
    """Regions with the same number are the same object: later ones correct how it is followed."""


class SegmentOptions(RunOptions, ImageJobOptions, total=False):
    """The options of a job of pictures."""

    regions: Sequence[PictureRegion]
    """Each gives one mask, with `findAll` all that it finds; `region` is its place in this list. Prompts may be empty if each
    input has a region."""


class SegmentVideoOptions(RunOptions, VideoJobOptions, total=False):
    """The options of a job of a video."""

    regions: Sequence[ClipRegion]
    """Objects to follow without words, up to 10. Prompts may be empty then."""


class AnnotationsToSave(TypedDict):
    """A document of annotations, and the version on which it is based."""

    version: int
    document: AnnotationsDocument


@dataclass(frozen=True)
class Progress:
    """Progress of a call of `segment`."""

    uploaded_bytes: int
    total_bytes: int
    """Of all files."""
    tasks_done: int
    """Number of the job's tasks that have ended."""
    tasks: int
    share: float
    """The share of the job's work that is done, 0 to 1; of a video, the share of its frames."""
    job_id: str | None
    """From the job's creation on."""
