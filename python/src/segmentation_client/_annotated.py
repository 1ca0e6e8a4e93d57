"""COCO documents of pictures as people left them."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING, Any, Mapping, Sequence

from . import models as m
from .coco import CategoryIds
from .masks import Mask, Rle, box_of, decode_rle

if TYPE_CHECKING:
    from .results import ImageResult, Picture

_UNCHANGED: m.AnnotatedObject = {"id": ""}


def annotated_coco(
    result: ImageResult, searches: Mapping[str, Sequence[Picture]], document: m.AnnotationsDocument
) -> dict[str, Any]:
    """The COCO document of a result as people left it. Its categories are the classes with their ids, then other names.
    `searches` has the pictures of the further jobs that the annotations name, by job id.
    """
    classes = {each["id"]: each["name"] for each in document["classes"]}
    class_named = {_comparable(name): name for name in classes.values()}

    def name_of(change: m.AnnotatedObject, own: str) -> str:
        return classes.get(change.get("classId", 0)) or class_named.get(_comparable(own), own)

    tasks = {task["taskId"]: task for task in document["tasks"]}
    failed = {task["taskId"] for task in result.job["tasks"] if task["status"] == "failed"}
    images: list[dict[str, Any]] = []
    objects: list[dict[str, Any]] = []
    for picture in result.pictures:
        task = tasks.get(picture.task_id, m.AnnotatedTask(taskId=picture.task_id, objects=[]))
        if task.get("verdict") == "rejected":
            continue
        changes = {change["id"]: change for change in task["objects"]}
        thresholds = [*task.get("thresholds", []), *document.get("thresholds", [])]
        found: list[dict[str, Any]] = []
        sizes: list[tuple[int, int]] = []
        for job_id, pictures in [(result.job_id, result.pictures), *searches.items()]:
            for own in (each for each in pictures if each.task_id == picture.task_id):
                coco = own.to_coco()
                sizes += [(image["width"], image["height"]) for image in coco["images"]]
                for mask, annotation in zip(own.masks, coco["annotations"]):
                    change = changes.pop(f"{job_id}/{mask.index}", _UNCHANGED)
                    if _is_shown(mask, change, thresholds):
                        name = name_of(change, mask.category)
                        found.append({**annotation, **_shape_of(change), "name": name})
        for change in changes.values():
            if "mask" in change and not (change.get("deleted") or change.get("hidden")):
                found.append({"score": 1, **_shape_of(change), "name": name_of(change, "region")})
        found = [each for each in found if each["area"] > 0]
        if found:
            height, width = found[0]["segmentation"]["size"]
            sizes = [(width, height)]
        elif not sizes and picture.task_id not in failed and "width" in task and "height" in task:
            sizes = [(task["width"], task["height"])]
        if not sizes:
            continue
        is_named = picture.name != picture.task_id
        file_name = picture.name if is_named else task.get("fileName", picture.name)
        width, height = sizes[0]
        images.append({"id": len(images) + 1, "file_name": file_name, "width": width, "height": height})
        objects += [{**each, "image_id": len(images)} for each in found]

    ids = CategoryIds({name: number for number, name in classes.items()}, document["nextClassId"])
    used = {each["name"] for each in objects}
    for prompt in result.prompts:
        if not classes or prompt in used:
            ids.of(prompt)
    annotations = [
        {
            "id": i,
            "image_id": each["image_id"],
            "category_id": ids.of(each["name"]),
            "bbox": each["bbox"],
            "area": each["area"],
            "score": each["score"],
            "iscrowd": 0,
            "segmentation": each["segmentation"],
        }
        for i, each in enumerate(objects, 1)
    ]
    return {"images": images, "categories": ids.all, "annotations": annotations}


def _comparable(name: str) -> str:
    """The form in which all names of a class are the same."""
    return unicodedata.normalize("NFC", name).lower()


def _is_shown(mask: Mask, change: m.AnnotatedObject, thresholds: Sequence[m.AnnotationThreshold]) -> bool:
    """Tells whether an object of a result is left: a threshold hides it unless a person has accepted it."""
    if change.get("deleted") or change.get("hidden"):
        return False
    if change.get("accepted") or mask.prompt is None:
        return True
    own = [each["least"] for each in thresholds if each.get("prompt") == mask.prompt]
    others = [each["least"] for each in thresholds if "prompt" not in each]
    return mask.confidence >= [*own, *others, 0][0]


def _shape_of(change: m.AnnotatedObject) -> dict[str, Any]:
    """The measured mask of a change; empty if the object has the result's."""
    if "mask" not in change:
        return {}
    mask: Rle = {"size": change["mask"]["size"], "counts": change["mask"]["counts"]}
    pixels = decode_rle(mask)
    return {"bbox": list(box_of(pixels, mask["size"][1])), "area": pixels.count(255), "segmentation": mask}
