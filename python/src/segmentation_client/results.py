"""Results of jobs."""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Mapping, Sequence

from . import models as m
from ._annotated import annotated_coco
from ._inputs.file_names import unique_names
from .coco import coco_from_masks, merge_coco, numbered
from .embedding import Embedding
from .errors import SegmentationError, invalid_input
from .masks import Mask, Rle, array_of, decode_rle, to_supervision

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Files = Mapping[str, bytes]


@dataclass(frozen=True, eq=False, repr=False)
class Picture:
    """One picture of a job: its masks, or the reason why it has none."""

    task_id: str
    name: str
    """The file's name, or the task_id of one without."""
    masks: Sequence[Mask]
    """By prompt, in the order of the job's; of one prompt by falling confidence."""
    problem: str | None
    """The reason why the picture failed, or the prompts that it could not serve: a code, a colon and a sentence."""
    prompts: Sequence[str]
    """The job's."""
    files: Files
    """The requested files besides its masks, by asset key."""

    @property
    def preview(self) -> bytes:
        """The picture with its masks drawn on it: a PNG. Raises `invalid_input` unless the job has `generate_preview`."""
        return _file(self.files, f"preview/{self.task_id}.png")

    @property
    def embedding(self) -> Embedding:
        """The features of the picture. Raises `invalid_input` unless the job has `formats=["embedding"]`."""
        return Embedding(_file(self.files, f"embeddings/{self.task_id}.bin"))

    def to_coco(self) -> dict[str, Any]:
        """The picture as COCO document: the service's, of a job with `formats=["coco"]`; otherwise made from the
        masks. That leaves out a picture without masks, because only masks give its size. The categories are the job's
        prompts from 1, then its regions' labels.
        """
        document = self.files.get(f"annotations/{self.task_id}.json")
        if document is None:
            return coco_from_masks(self.name, self.masks, self.prompts)
        coco: dict[str, Any] = json.loads(document)
        coco["images"] = [{**image, "file_name": self.name} for image in coco["images"]]
        return coco

    def to_supervision(self) -> Any:
        """The masks as `supervision.Detections`. A class is a prompt's place in the job; after the prompts come
        `region` and the labels of this picture's regions.

        Needs the package `supervision`. A picture without masks gives `Detections.empty()`.
        """
        names = list(dict.fromkeys([*self.prompts, "region", *(mask.category for mask in self.masks)]))
        rows = [
            (mask.box, mask.array(), mask.confidence, names.index(mask.category), mask.category)
            for mask in self.masks
        ]
        return to_supervision(rows)

    def __repr__(self) -> str:
        return f"<Picture {self.name}: {self.problem or f'{len(self.masks)} masks'}>"


@dataclass(frozen=True, eq=False, repr=False)
class ImageResult:
    """The results of an image job."""

    job: m.JobStatus
    pictures: Sequence[Picture]
    """One for each input, in their order."""
    files: Files
    annotations: m.JobAnnotations | None = None
    """People's corrections; None unless the result was fetched with `annotated=True`."""
    searches: Mapping[str, Sequence[Picture]] = field(default_factory=dict[str, Sequence[Picture]])
    """The pictures of the further jobs that the annotations name, by job id."""

    @property
    def job_id(self) -> str:
        return self.job["jobId"]

    @property
    def masks(self) -> list[Mask]:
        """The masks of all pictures."""
        return [mask for picture in self.pictures for mask in picture.masks]

    @property
    def prompts(self) -> Sequence[str]:
        """The job's prompts, each once."""
        return self.pictures[0].prompts if self.pictures else ()

    def to_coco(self, *, annotated: bool = False) -> dict[str, Any]:
        """All pictures as one COCO document; see `Picture.to_coco`. With `annotated`, as people left them: without
        rejected pictures and hidden or deleted objects, with edited and drawn masks, and with the annotations' classes
        as categories.
        """
        if not annotated:
            return merge_coco((picture.to_coco() for picture in self.pictures), numbered(self.prompts))
        if self.annotations is None:
            raise invalid_input("The result has no annotations. Fetch it with annotated=True.", self.job_id)
        return annotated_coco(self, self.searches, self.annotations["document"])

    def save(self, folder: str | os.PathLike[str], *, annotated: bool = False) -> list[Path]:
        """Writes the job's files into a folder: `masks/photo.jpg/0.png`, `preview/photo.jpg.png` and so on, and, as a COCO
        document of all pictures, `annotations.json`; with `annotated`, as people left them. Returns the paths.
        """
        names = {picture.task_id: picture.name for picture in self.pictures}
        masks = {f"masks/{p.task_id}/{mask.index}.png": mask.png for p in self.pictures for mask in p.masks}
        paths = _write_all(Path(folder), {**masks, **self.files}, names)
        return [*paths, _write(Path(folder, "annotations.json"), json.dumps(self.to_coco(annotated=annotated)).encode())]

    def __repr__(self) -> str:
        return f"<ImageResult {self.job_id}: {len(self.pictures)} pictures, {len(self.masks)} masks>"


@dataclass(frozen=True)
class Sighting:
    """An object in one frame."""

    sample_idx: int
    """Counts the processed frames, from 0."""
    frame_idx: int
    """Counts the video's frames, from 0."""
    time_sec: float
    confidence: float
    box: tuple[float, float, float, float]
    """Left, top, width, height."""
    rle: Rle

    def array(self) -> NDArray[np.bool_]:
        """The pixels as an array of numpy, height × width, True inside."""
        return array_of(decode_rle(self.rle), self.rle["size"][1])


@dataclass(frozen=True)
class Track:
    """An object that the service follows through a video."""

    object_id: int
    prompt: str | None
    """The prompt that it answers; None if a region marks it."""
    sightings: list[Sighting]
    """In the order of the frames."""
    region: int | None = None
    """The first of the job's regions that marks it, from 0; None if a prompt found it."""
    label: str | None = None
    """The name of its regions, if they have one."""


@dataclass(frozen=True, eq=False, repr=False)
class VideoResult:
    """The results of a video job."""

    job: m.JobStatus
    task_id: str
    name: str
    counts: m.VideoManifestItemCounts
    tracks: Sequence[Track]
    """The objects, in the order in which they appear."""
    masks_json: dict[str, Any]
    """The service's own file."""
    files: Files

    @property
    def job_id(self) -> str:
        return self.job["jobId"]

    @property
    def preview(self) -> bytes:
        """The video with its masks drawn on it: an MP4. Raises `invalid_input` unless the job has `generate_preview`."""
        return _file(self.files, f"preview/{self.task_id}.mp4")

    def to_coco(self) -> dict[str, Any]:
        """The service's COCO document of all frames. Raises `invalid_input` unless the job has `formats=["coco"]`."""
        document: dict[str, Any] = json.loads(_file(self.files, f"annotations/{self.task_id}.json"))
        return document

    def save(self, folder: str | os.PathLike[str]) -> list[Path]:
        """Writes the job's files into a folder: `masks/street.mp4/masks.json` and so on. Returns the paths."""
        return _write_all(Path(folder), self.files, {self.task_id: self.name})


def tracks_of(masks_json: Mapping[str, Any], prompts: Sequence[str]) -> list[Track]:
    """The objects of all frames, joined by their ids, in the order in which they appear. Raises KeyError or
    TypeError if the file is no masks.json.
    """
    tracks: dict[int, Track] = {}
    for frame in masks_json["frames"]:
        for found in frame["objects"]:
            number, index = found["objectId"], found.get("promptIndex")
            prompt = dict(enumerate(prompts)).get(index)
            track = tracks.setdefault(number, Track(number, prompt, [], found.get("regionIndex"), found.get("label")))
            x1, y1, x2, y2 = found["box"]
            # A difference of two binary fractions hides the service's precision behind a dozen digits.
            box = (x1, y1, round(x2 - x1, 2), round(y2 - y1, 2))
            where = (frame["sampleIdx"], frame["frameIdx"], frame["timeSec"])
            track.sightings.append(Sighting(*where, found["score"], box, found["rle"]))
    return list(tracks.values())


def _file(files: Files, key: str) -> bytes:
    if key not in files:
        raise invalid_input(f"The job has no file {key}. Request it when you create the job.")
    return files[key]


def _write_all(folder: Path, files: Files, names: Mapping[str, str]) -> list[Path]:
    unique = unique_names(names)

    def named(part: str) -> str:
        task_id = next((each for each in unique if part.startswith(each)), "")
        return unique.get(task_id, "") + part[len(task_id) :]

    paths: list[Path] = []
    for key, content in files.items():
        path = "/".join(named(part) for part in key.split("/"))
        if ".." in re.split(r"[/\\]", path):
            raise SegmentationError("unreadable_answer", f"The service sent an unsafe file name: {key}.")
        paths.append(_write(folder / path, content))
    return paths


def _write(path: Path, content: bytes) -> Path:
    """Writes a file atomically: to a temporary name, then renames it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f"{path.name}.part")
    part.write_bytes(content)
    return part.replace(path)
