"""Walks through Label Studio by its own SDK: projects with a picture, this service as their ML backend, predictions, a click, exports.

Arguments: Label Studio's address, the service's address, a folder. Prints what came back as JSON, and leaves the exports in the folder.
LABEL_STUDIO_TOKEN is a personal access token, SEGMENTATION_API_KEY the backend's password.
"""

import io
import json
import os
import pathlib
import sys
import zipfile

import httpx
from label_studio_sdk import LabelStudio

studio, service, folder = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
client = LabelStudio(base_url=studio, api_key=os.environ["LABEL_STUDIO_TOKEN"])
access = client.tokens.refresh(refresh=os.environ["LABEL_STUDIO_TOKEN"]).access
http = httpx.Client(base_url=studio, headers={"Authorization": f"Bearer {access}"}, timeout=120)
everything = {"all": True, "excluded": []}


def call(path: str, **what) -> httpx.Response:
    """Requests for which the SDK has no call, or none that gives the answer."""
    answer = http.request("POST" if what else "GET", path, **what)
    if answer.is_error:
        sys.exit(f"{path}: {answer.status_code} {answer.text}")
    return answer


def walk(tag: str, form: str, export: str) -> dict:
    config = f"""<View><Image name="image" value="$image"/>
      <{tag} name="found" toName="image"><Label value="cup"/></{tag}>
      <KeyPointLabels name="click" toName="image" smart="true"><Label value="cup"/></KeyPointLabels></View>"""
    project = client.projects.create(title=form, label_config=config).id
    with open(os.environ["PICTURE"], "rb") as picture:
        call(f"/api/projects/{project}/import", files={"picture.png": ("picture.png", picture, "image/png")})
    backend = client.ml.create(
        project=project,
        url=f"{service}/integrations/label-studio",
        title="segmentation",
        is_interactive=True,
        auth_method="BASIC_AUTH",
        basic_auth_user="anybody",
        basic_auth_pass=os.environ["SEGMENTATION_API_KEY"],
    )
    state = client.ml.get(backend.id)
    call(f"/api/dm/actions?id=retrieve_tasks_predictions&project={project}", json={"selectedItems": everything})
    (task,) = call(f"/api/tasks?project={project}&fields=all").json()["tasks"]
    (prediction,) = client.predictions.list(task=task["id"])
    (first, *_) = prediction.result

    at = {"original_width": first["original_width"], "original_height": first["original_height"], "image_rotation": 0}
    click = {
        **at, "id": "click", "type": "keypointlabels", "from_name": "click", "to_name": "image", "is_positive": True,
        "value": {**json.loads(os.environ["CLICK"]), "width": 0.3, "keypointlabels": ["cup"]},
    }
    pointed = call(
        f"/api/ml/{backend.id}/interactive-annotating", json={"task": task["id"], "context": {"result": [click]}}
    ).json()

    client.annotations.create(id=task["id"], result=prediction.result)
    exported = call(f"/api/projects/{project}/export?exportType={export}").content
    if zipfile.is_zipfile(io.BytesIO(exported)):
        exported = zipfile.ZipFile(io.BytesIO(exported)).read("result.json")
    (folder / form).write_bytes(exported)
    return {
        "project": project,
        "task": task["id"],
        "state": [state.state, state.model_version],
        "prediction": [prediction.model_version, len(prediction.result), first["type"]],
        "pointed": pointed,
    }


walks = [
    walk("BrushLabels", "brushlabels", "BRUSH_TO_PNG"),
    walk("PolygonLabels", "polygonlabels", "COCO"),
    walk("RectangleLabels", "rectanglelabels", "COCO"),
]
print(json.dumps(walks))
