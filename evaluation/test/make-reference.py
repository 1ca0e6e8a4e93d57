"""Makes reference.json: a synthetic labeled set, and other programs' figures for it.

    pip install pycocotools==2.0.11 numpy==2.4.6 scipy tqdm
    # cgf1_eval.py is sam3/eval/cgf1_eval.py of github.com/facebookresearch/sam3
    PYTHONPATH=<folder of cgf1_eval.py> python make-reference.py > reference.json

Masks, areas and AP are pycocotools', cgF1 is that of SAM 3's evaluator. The boundary's definition (Cheng et al. 2021) is
written out in numpy; the boundary AP is pycocotools' on the lesser of both IoUs.
"""

import contextlib
import json
import os
import sys
import tempfile

import numpy as np
from cgf1_eval import CGF1Evaluator
from pycocotools import mask as masks
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval

random = np.random.default_rng(20261122)
SIZES = [(160, 120), (75, 100), (150, 200), (61, 33), (320, 240), (125, 125), (90, 70), (320, 240)]
CATEGORIES = [1, 3, 4, 8, 9]  # 8 is never labeled, 9 neither labeled nor found


def blob(width, height, reach):
    """An ellipse with a wavy edge, sometimes cut off by the picture or with a hole."""
    y, x = np.mgrid[0:height, 0:width]
    cx, cy = random.uniform(0, width), random.uniform(0, height)
    rx, ry = random.uniform(2, reach), random.uniform(2, reach)
    angle = np.arctan2((y - cy) / ry, (x - cx) / rx)
    radius = np.hypot((x - cx) / rx, (y - cy) / ry)
    found = radius < 1 + 0.15 * np.sin(3 * angle + random.uniform(0, 6))
    if random.random() < 0.3:
        found &= radius > 0.3
    return found


def moved(pixels):
    """The same object as a model might find it: shifted a little, now and then torn."""
    by = tuple(int(step) for step in random.integers(-3, 4, 2))
    found = np.roll(pixels, by, axis=(0, 1))
    if random.random() < 0.3:
        found[:, : int(random.integers(0, pixels.shape[1]))] = False
    return found if found.any() else pixels


def encode(pixels):
    rle = masks.encode(np.asfortranarray(pixels.astype(np.uint8)))
    return {"size": [int(n) for n in rle["size"]], "counts": rle["counts"].decode()}


def lengths(pixels):
    """Run lengths as numbers, the other form in label files."""
    flat = pixels.flatten(order="F")
    places = np.flatnonzero(np.diff(np.concatenate([[False], flat]).astype(np.int8)))
    return [int(n) for n in np.diff(np.concatenate([[0], places, [flat.size]]))]


def boundary(pixels, ratio=0.02):
    height, width = pixels.shape
    depth = max(1, int(round(ratio * np.sqrt(height**2 + width**2))))
    padded = np.pad(pixels, depth)
    deep = np.ones_like(pixels)
    for down in range(2 * depth + 1):
        for right in range(2 * depth + 1):
            deep &= padded[down : down + height, right : right + width]
    return pixels & ~deep


def polygon(width, height):
    corners = int(random.integers(3, 12))
    angles = np.sort(random.uniform(0, 2 * np.pi, corners))
    radii = random.uniform(0.1, 0.7, corners) * min(width, height)
    x = random.uniform(0, width) + radii * np.cos(angles)
    y = random.uniform(0, height) + radii * np.sin(angles)
    return [round(float(n), 2) for pair in zip(x, y) for n in pair]


def make_set():
    images, labels, finds = [], [], []
    for index, (width, height) in enumerate(SIZES):
        image = 100 + 7 * index
        images.append({"id": image, "file_name": f"{image}.png", "width": width, "height": height})
        for category in CATEGORIES[:4]:
            objects = [] if category == 8 else [blob(width, height, width / 2.5) for _ in range(random.integers(0, 5))]
            for pixels in objects:
                if not pixels.any():
                    continue
                crowd = int(random.random() < 0.15)
                if random.random() < 0.3 and not crowd:
                    outline = [polygon(width, height) for _ in range(random.integers(1, 3))]
                    rle = masks.merge(masks.frPyObjects(outline, height, width))
                    pixels = masks.decode(rle).astype(bool)
                    segmentation = outline
                elif crowd:
                    segmentation = {"size": [height, width], "counts": lengths(pixels)}
                else:
                    segmentation = encode(pixels)
                labels.append(
                    {
                        "id": len(labels) + 1,
                        "image_id": image,
                        "category_id": category,
                        "segmentation": segmentation,
                        "area": int(pixels.sum()),
                        "bbox": [0, 0, width, height],
                        "iscrowd": crowd,
                    }
                )
                for _ in range(random.choice([0, 1, 1, 1, 2, 3])):
                    finds.append((image, category, moved(pixels)))
            for _ in range(random.integers(0, 3)):
                finds.append((image, category, blob(width, height, 12)))
    results = [
        {
            "image_id": image,
            "category_id": category,
            "segmentation": encode(pixels),
            "score": round(float(random.uniform(0.05, 1)), 1 if random.random() < 0.6 else 3),
        }
        for image, category, pixels in finds
        if pixels.any()
    ]
    categories = [{"id": category, "name": f"category {category}"} for category in CATEGORIES]
    return {"images": images, "annotations": labels, "categories": categories}, results


class BoundaryEval(COCOeval):
    def computeIoU(self, image, category):
        plain = super().computeIoU(image, category)
        labels = self._gts[image, category]
        finds = sorted(self._dts[image, category], key=lambda find: -find["score"])
        if len(plain) == 0 or not labels or not finds:
            return plain
        outline = lambda one: masks.encode(
            np.asfortranarray(boundary(masks.decode(one["segmentation"]).astype(bool)).astype(np.uint8))
        )
        crowds = [label["iscrowd"] for label in labels]
        return np.minimum(plain, masks.iou([outline(f) for f in finds], [outline(g) for g in labels], crowds))


def stats(kind, labelled, results):
    truth = COCO()
    truth.dataset = json.loads(json.dumps(labelled))
    truth.createIndex()
    judged = kind(truth, truth.loadRes(json.loads(json.dumps(results))), "segm")
    judged.evaluate()
    judged.accumulate()
    judged.summarize()
    names = ["mean", "at50", "at75", "small", "medium", "large", "", "", "recall", "recallSmall", "recallMedium", "recallLarge"]
    return {name: float(value) for name, value in zip(names, judged.stats) if name}


def cg_f1(labelled, results, threshold):
    """SAM 3's evaluator takes a pair of picture and noun for a picture."""
    pairs = {(image["id"], category): n + 1 for n, (image, category) in enumerate(
        (image, category) for image in labelled["images"] for category in CATEGORIES)}
    sizes = {image["id"]: image for image in labelled["images"]}
    images = [{**sizes[image], "id": n, "is_instance_exhaustive": True} for (image, _), n in pairs.items()]
    renamed = lambda one: {**one, "image_id": pairs[one["image_id"], one["category_id"]], "category_id": 1}
    with tempfile.TemporaryDirectory() as folder:
        truth, found = os.path.join(folder, "truth.json"), os.path.join(folder, "found.json")
        with open(truth, "w") as file:
            annotations = [renamed(label) for label in labelled["annotations"]]
            json.dump({"images": images, "annotations": annotations, "categories": [{"id": 1, "name": "object"}]}, file)
        with open(found, "w") as file:
            json.dump([renamed(find) for find in results], file)
        evaluator = CGF1Evaluator(truth)
        evaluator.coco_evals[0].threshold = threshold
        out = evaluator.evaluate(found)
    take = lambda name: out[f"cgF1_eval_segm_{name}"]
    return {
        "threshold": threshold,
        "cgF1": 100 * take("cgF1"),
        "positiveMicroF1": take("positive_micro_F1"),
        "imageLevelMcc": take("IL_MCC"),
    }


with contextlib.redirect_stdout(sys.stderr):
    labelled, results = make_set()
    outlines = []
    for _ in range(40):
        width, height = int(random.integers(1, 90)), int(random.integers(1, 90))
        polygons = [polygon(width, height) for _ in range(random.integers(1, 4))]
        if random.random() < 0.3:
            polygons = [[round(n) for n in one] for one in polygons]
        rle = masks.merge(masks.frPyObjects(polygons, height, width))
        outlines.append({"size": [height, width], "polygons": polygons, "counts": rle["counts"].decode()})
    boundaries = []
    for width, height in [(200, 150), (75, 100), (100, 75), (8, 5), (1, 1), (120, 90)]:
        pixels = blob(width, height, max(3, width))
        if not pixels.any():
            pixels[:] = True
        boundaries.append({"mask": encode(pixels), "boundary": encode(boundary(pixels))["counts"]})
    reference = {
        "note": "Made by make-reference.py with pycocotools 2.0.11, numpy 2.4.6 and SAM 3's evaluator.",
        "labelled": labelled,
        "results": results,
        "maskAp": stats(COCOeval, labelled, results),
        "boundaryAp": stats(BoundaryEval, labelled, results),
        "cgF1": [cg_f1(labelled, results, threshold) for threshold in (0.05, 0.3, 0.5, 0.7)],
        "polygons": outlines,
        "boundaries": boundaries,
    }
print(json.dumps(reference))
