"""Loads a data set with pycocotools, Supervision and Ultralytics. Prints what they found, as JSON."""

import contextlib
import copy
import json
import os
import sys
from pathlib import Path

import cv2
import numpy as np
import supervision as sv
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval
from train_yolo import train

root = Path(sys.argv[1])
found = {}
with contextlib.redirect_stdout(sys.stderr):
    for part in ("train", "val"):
        images = root / "images" / part
        annotations = root / "annotations" / f"{part}.json"
        coco = COCO(str(annotations))
        masks = [coco.annToMask(each) for each in coco.loadAnns(coco.getAnnIds())]
        areas = [int(mask.sum()) for mask in masks]
        # A document that finds itself has an average precision of 1.
        own = coco.loadRes(copy.deepcopy(coco.loadAnns(coco.getAnnIds())))
        evaluation = COCOeval(coco, own, "segm")
        evaluation.evaluate()
        evaluation.accumulate()
        evaluation.summarize()
        by_coco = sv.DetectionDataset.from_coco(str(images), str(annotations), force_masks=True)
        by_yolo = sv.DetectionDataset.from_yolo(
            str(images), str(root / "labels" / part), str(root / "data.yaml"), force_masks=True
        )
        by_voc = sv.DetectionDataset.from_pascal_voc(str(images), str(root / "voc" / part))

        def objects(dataset):
            return {
                os.path.basename(path): sorted(
                    (dataset.classes[index], *(int(side) for side in box))
                    for index, box in zip(detections.class_id, detections.xyxy)
                )
                for path, _, detections in dataset
            }

        overlaps = []
        for path, _, detections in by_coco:
            name = os.path.basename(path)
            yolo = next(each for other, _, each in by_yolo if os.path.basename(other) == name)
            semantic = cv2.imread(str(root / "semantic" / part / (Path(name).stem + ".png")), cv2.IMREAD_UNCHANGED)
            for class_id in set(detections.class_id.tolist()):
                one = detections.mask[detections.class_id == class_id].any(axis=0)
                other = yolo.mask[yolo.class_id == class_id].any(axis=0)
                third = semantic == class_id + 1
                overlaps.append(float((one & other).sum() / (one | other).sum()))
                overlaps.append(float((one & third).sum() / (one | third).sum()))
        found[part] = {
            "categories": [each["name"] for each in coco.loadCats(coco.getCatIds())],
            "images": len(coco.getImgIds()),
            "areas": areas,
            "documented": [int(each["area"]) for each in coco.loadAnns(coco.getAnnIds())],
            "precision": float(evaluation.stats[0]),
            "coco": objects(by_coco),
            "yolo": objects(by_yolo),
            "voc": objects(by_voc),
            "classes": by_yolo.classes,
            "overlap": min(overlaps),
        }

    found["ultralytics"] = train(root)
print(json.dumps(found, default=lambda value: np.asarray(value).tolist()))
