"""Trains one epoch on a YOLO data set with Ultralytics. Prints what it found, as JSON."""

import contextlib
import json
import os
import sys
from pathlib import Path


def train(root):
    os.environ["YOLO_OFFLINE"] = "true"
    from ultralytics import YOLO

    model = YOLO("yolo11n-seg.yaml")
    results = model.train(
        data=str(root / "data.yaml"), epochs=1, imgsz=64, batch=4, device="cpu", workers=0,
        project=str(root / "runs"), plots=False, amp=False, pretrained=False, val=True,
    )
    trained = model.trainer.train_loader.dataset
    validated = model.trainer.test_loader.dataset
    return {
        "names": list(model.names.values()),
        "trained": len(trained),
        "validated": len(validated),
        "objects": int(sum(len(each["cls"]) for each in trained.labels)),
        "validated_objects": int(sum(len(each["cls"]) for each in validated.labels)),
        "empty": int(sum(len(each["cls"]) == 0 for each in trained.labels)),
        "measures": sorted(results.results_dict)[:2],
    }


if __name__ == "__main__":
    with contextlib.redirect_stdout(sys.stderr):
        found = train(Path(sys.argv[1]))
    print(json.dumps(found))
