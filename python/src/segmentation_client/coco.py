"""COCO documents (the dataset's "object detection" format) of masks."""

from __future__ import annotations

from typing import Any, Iterable, Mapping, Sequence

from .masks import Mask


def numbered(prompts: Sequence[str]) -> dict[str, int]:
    """The ids that the service gives prompts as categories: 1 for the first."""
    return {name: number for number, name in enumerate(prompts, 1)}


class CategoryIds:
    """The ids of categories by their names: known ones keep theirs, and others get the next ones as they appear."""

    def __init__(self, known: Mapping[str, int], least: int = 1) -> None:
        self._ids = dict(known)
        self._next = max([least, *(number + 1 for number in known.values())])

    def of(self, name: str) -> int:
        if name not in self._ids:
            self._ids[name] = self._next
            self._next += 1
        return self._ids[name]

    @property
    def all(self) -> list[dict[str, Any]]:
        return [{"id": number, "name": name} for name, number in self._ids.items()]


def coco_from_masks(name: str, masks: Sequence[Mask], prompts: Sequence[str] = ()) -> dict[str, Any]:
    """The COCO document of one picture, made from its masks. The first categories are the prompts. Leaves out a picture
    without masks.
    """
    ids = CategoryIds(numbered(prompts))
    numbers = [ids.of(mask.category) for mask in masks]
    return {
        "images": [{"id": 1, "file_name": name, "width": each.width, "height": each.height} for each in masks[:1]],
        "categories": ids.all,
        "annotations": [
            {
                "id": i,
                "image_id": 1,
                "category_id": number,
                "bbox": list(mask.box),
                "area": mask.area,
                "score": mask.confidence,
                "iscrowd": 0,
                "segmentation": mask.rle(),
            }
            for i, (number, mask) in enumerate(zip(numbers, masks), 1)
        ],
    }


def merge_coco(documents: Iterable[dict[str, Any]], known: Mapping[str, int] = {}) -> dict[str, Any]:
    """Merges documents, for example those of several jobs: categories by their names, everything else under new ids from 1.
    Categories that are `known`, such as the class list of a dataset, keep their ids; others get the next ids as they appear.
    """
    categories = CategoryIds(known)
    merged: dict[str, list[dict[str, Any]]] = {"images": [], "annotations": [], "videos": []}
    tracks = 0

    def renumbered(kind: str, items: list[dict[str, Any]], references: dict[str, dict[int, int]]) -> dict[int, int]:
        ids: dict[int, int] = {}
        for item in items:
            ids[item["id"]] = len(merged[kind]) + 1
            moved = {field: new[item[field]] for field, new in references.items() if field in item}
            merged[kind].append({**item, **moved, "id": ids[item["id"]]})
        return ids

    for document in documents:
        category_ids = {each["id"]: categories.of(each["name"]) for each in document["categories"]}
        video_ids = renumbered("videos", document.get("videos", []), {})
        image_ids = renumbered("images", document["images"], {"video_id": video_ids})
        own = {each["track_id"] for each in document["annotations"] if "track_id" in each}
        references = {
            "image_id": image_ids,
            "category_id": category_ids,
            "video_id": video_ids,
            "track_id": {track: tracks + track for track in own},
        }
        renumbered("annotations", document["annotations"], references)
        tracks += max(own, default=0)
    videos = merged.pop("videos")
    return {**merged, "categories": categories.all, **({"videos": videos} if videos else {})}
