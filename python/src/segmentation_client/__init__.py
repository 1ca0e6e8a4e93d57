"""The client of a segmentation job service: pictures and videos with prompts in, masks out."""

from ._http.connection import Event
from ._inputs.file_names import unique_names
from ._job import AsyncEndedPicture, AsyncJobHandle, EndedPicture, JobHandle
from ._inputs.upload import Input, UploadedInput
from ._version import __version__ as __version__
from ._watch import JobUpdate
from .client import AsyncClient, Client
from .coco import coco_from_masks, merge_coco
from .embedding import Embedding
from .errors import SegmentationError
from .masks import Box, Mask, Rle, decode_rle, encode_rle, read_mask_png
from .options import (
    AnnotationsToSave,
    CallOptions,
    ClipRegion,
    PictureRegion,
    Progress,
    RequestOptions,
    ResultOptions,
    SegmentOptions,
    SegmentVideoOptions,
)
from .results import ImageResult, Picture, Sighting, Track, VideoResult
from .webhook import verify_webhook

__all__ = [
    "AnnotationsToSave",
    "AsyncClient",
    "AsyncEndedPicture",
    "AsyncJobHandle",
    "Box",
    "CallOptions",
    "Client",
    "ClipRegion",
    "Embedding",
    "EndedPicture",
    "Event",
    "ImageResult",
    "Input",
    "JobHandle",
    "JobUpdate",
    "Mask",
    "Picture",
    "PictureRegion",
    "Progress",
    "RequestOptions",
    "ResultOptions",
    "Rle",
    "SegmentOptions",
    "SegmentVideoOptions",
    "SegmentationError",
    "Sighting",
    "Track",
    "UploadedInput",
    "VideoResult",
    "coco_from_masks",
    "decode_rle",
    "encode_rle",
    "merge_coco",
    "read_mask_png",
    "unique_names",
    "verify_webhook",
]
