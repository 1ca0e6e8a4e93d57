"""Carries out the cases of client/test/cases/cases.json with one of the clients, and prints each result: a line of
JSON.

python3 run_cases.py CASES ORIGIN Client|AsyncClient
"""

import asyncio
import inspect
import io
import json
import re
import sys
from typing import Any

import httpx
import segmentation_client as sc


def snake(name: str) -> str:
    return re.sub("[A-Z]", lambda letter: "_" + letter[0].lower(), name)


def of_file(text: str, name: str) -> io.BytesIO:
    file = io.BytesIO(text.encode())
    file.name = name
    return file


async def settled(value: Any) -> Any:
    """Returns the final result of a call of either client: a list, if it iterates."""
    if inspect.isawaitable(value):
        return await value
    if hasattr(value, "__aiter__"):
        return [each async for each in value]
    return list(value) if hasattr(value, "__next__") else value


MASK = ("index", "prompt", "region", "label", "confidence", "box", "area")
HINTS = ("remainingTokens", "requestedTokens", "expiresAt", "activeJobId", "upgradeUrl", "currentVersion")


def files_of(result: Any, others: str) -> dict[str, str]:
    """The texts of a job's files, but for those that are read otherwise."""
    return {key: content.decode() for key, content in result.files.items() if not re.match(others, key)}


def pictures(result: Any) -> Any:
    return {
        "jobId": result.job_id,
        "pictures": [
            {
                "name": picture.name,
                "problem": picture.problem,
                "masks": [
                    {name: getattr(mask, name) for name in MASK}
                    for mask in picture.masks
                ],
            }
            for picture in result.pictures
        ],
        "coco": result.to_coco(),
        "files": files_of(result, "masks/|annotations/"),
    }


def clip(result: Any) -> Any:
    def seen(each: Any) -> Any:
        names = {"frameIdx": "frame_idx", "timeSec": "time_sec", "confidence": "confidence", "box": "box", "rle": "rle"}
        fields = {name: getattr(each, attribute) for name, attribute in names.items()}
        return {**fields, "area": sc.decode_rle(each.rle).count(255)}

    tracks = [
        {
            "objectId": t.object_id,
            "prompt": t.prompt,
            "region": t.region,
            "label": t.label,
            "sightings": [seen(each) for each in t.sightings],
        }
        for t in result.tracks
    ]
    return {"name": result.name, "counts": result.counts, "files": files_of(result, "masks/"), "tracks": tracks}


async def call(client: Any, method: str, given: Any) -> Any:
    options = {snake(name): value for name, value in given.get("options", {}).items()}
    files = [of_file(**each) if "text" in each else each.get("url", each) for each in given.get("inputs", [])]
    prompts = given.get("prompts", [])
    if method == "segment":
        return pictures(await settled(client.segment(files, prompts, **options)))
    if method == "embed":
        return (await settled(client.embed(files[0], **options))).data.decode()
    if method == "segmentVideo":
        return clip(await settled(client.segment_video(files[0], prompts, **options)))
    if method == "upload":
        return await settled(client.upload(files[0], **options))
    if method == "download":
        return (await settled(client.download(given["url"]))).decode()
    if method == "archive":
        return await settled(client.archive(given["jobId"]))
    if method == "annotations":
        return await settled(client.job(given["jobId"]).annotations())
    if method == "saveAnnotations":
        return await settled(client.job(given["jobId"]).save_annotations(given["annotations"], **options))
    if method == "annotatedCoco":
        return (await settled(client.result(given["jobId"], annotated=True))).to_coco(annotated=True)
    if method == "verifyWebhook":
        return sc.verify_webhook(given["payload"], given["headers"], given["secret"])
    if method == "events":
        return [[each.job["status"], each.progress] for each in await settled(client.events(given["jobId"]))]
    operation = getattr(client.api, snake(method))
    rest = dict(given.get("input", {}))
    takes = inspect.signature(operation).parameters
    path = [rest.pop(name) for name in list(rest) if snake(name) in takes and takes[snake(name)].kind != inspect.Parameter.KEYWORD_ONLY]
    query = {snake(name): rest.pop(name) for name in list(rest) if snake(name) in takes}
    body = [rest] if "body" in takes else []
    answer = await settled(operation(*path, *body, **query, **options))
    return [vars(each) if isinstance(each, sc.Event) else each for each in answer] if isinstance(answer, list) else answer


async def outcome(case: Any, base: str, kind: Any, http: Any) -> Any:
    own = {snake(name): value for name, value in case["client"].items()}
    client = kind(base, "sk_live_case", retry_delay=0.001, http=http, **own)
    try:
        return {"result": await call(client, case["call"]["method"], case["call"]["given"])}
    except sc.SegmentationError as error:
        names = ("code", "message", "status", "requestId", "retryAfterSeconds", "jobId", *HINTS)
        return {"error": {name: getattr(error, snake(name)) for name in names}}


async def main(path: str, origin: str, name: str) -> None:
    with open(path) as file:
        cases = json.load(file)
    http = httpx.Client() if name == "Client" else httpx.AsyncClient()
    for index, case in enumerate(cases):
        base = f"{origin}/{name}/{index}"
        filled = json.loads(json.dumps(case).replace("{base}", base))
        print(json.dumps(await outcome(filled, base, getattr(sc, name), http)))


asyncio.run(main(*sys.argv[1:]))
