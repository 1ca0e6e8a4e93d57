"""COCO documents (the dataset's "object detection" format) of masks."""

from __future__ import annotations

from typing import Any, Iterable, Sequence

from .masks import Mask


def coco_from_masks(name: str, masks: Sequence[Mask]) -> dict[str, Any]:
    """The COCO document of one picture, made from its masks. Leaves out a picture without any."""
    names = list(dict.fromkeys(mask.category for mask in masks))
    return {
        "images": [{"id": 1, "file_name": name, "width": each.width, "height": each.height} for each in masks[:1]],
        "categories": [{"id": i, "name": category} for i, category in enumerate(names, 1)],
        "annotations": [
            {
                "id": i,
                "image_id": 1,
                "category_id": names.index(mask.category) + 1,
                "bbox": list(mask.box),
                "area": mask.area,
                "score": mask.confidence,
                "iscrowd": 0,
                "segmentation": mask.rle(),
            }
            for i, mask in enumerate(masks, 1)
        ],
    }


def merge_coco(documents: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """Merges documents, for example those of several jobs: categories by their names, everything else under new ids from 1."""
    categories: dict[str, int] = {}
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
        for category in document["categories"]:
            categories.setdefault(category["name"], len(categories) + 1)
        category_ids = {each["id"]: categories[each["name"]] for each in document["categories"]}
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
    named = [{"id": number, "name": name} for name, number in categories.items()]
    return {**merged, "categories": named, **({"videos": videos} if videos else {})}
