"""A scripted agent, by the official Python client of the Model Context Protocol: finds the spoon, points at the saucer, exports COCO.

Arguments: the picture. Prints what it has found as JSON.
"""

import asyncio
import base64
import json
import os
import sys

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client


async def main() -> None:
    headers = {"Authorization": f"Bearer {os.environ['SEGMENTATION_API_KEY']}"}
    with open(sys.argv[1], "rb") as file:
        image = {"base64": base64.b64encode(file.read()).decode(), "mimeType": "image/png"}
    heard: list[float] = []

    async def report(progress: float, total: float | None, message: str | None) -> None:
        heard.append(progress)

    async with httpx2.AsyncClient(headers=headers, timeout=90) as http:
        transport = streamable_http_client(f"{os.environ['SEGMENTATION_BASE_URL']}/mcp", http_client=http)
        async with Client(transport, mode=os.environ["MCP_MODE"]) as client:
            tools = sorted(tool.name for tool in (await client.list_tools()).tools)
            spoon = await client.call_tool(
                "segment", {"image": image, "prompts": ["spoon"]}, progress_callback=report
            )
            task_id = spoon.structured_content["taskId"]
            saucer = await client.call_tool(
                "segment", {"image": {"taskId": task_id}, "points": [{"x": 120, "y": 280, "label": 1}]}
            )
            rle = await client.call_tool("get_masks", {"jobId": spoon.structured_content["jobId"], "as": "rle"})
            exported = await client.call_tool("export", {"jobId": spoon.structured_content["jobId"]})
            missing = await client.call_tool("get_job", {"jobId": "job_019aa0f61c4e7d2d9be7a5f40b8a6c21"})
            print(
                json.dumps(
                    {
                        "version": client.protocol_version,
                        "tools": tools,
                        "content": [item.type for item in spoon.content],
                        "spoon": spoon.structured_content["objects"],
                        "saucer": saucer.structured_content["objects"],
                        "rle": rle.structured_content["objects"][0]["rle"],
                        "archive": exported.structured_content["downloadUrl"],
                        "error": [missing.is_error, missing.content[0].text],
                    }
                )
            )


asyncio.run(main())
