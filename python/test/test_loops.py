"""AsyncClient on each installed event loop. python3 -m unittest"""

from __future__ import annotations

import asyncio
import unittest
from typing import Any

import anyio
import httpx
from recorder import Recorder, json_of
from segmentation_client import AsyncClient, SegmentationError

try:
    import trio  # noqa: F401

    BACKENDS = ["asyncio", "trio"]
except ImportError:
    BACKENDS = ["asyncio"]

UPLOAD = json_of({"uploadUrl": "{base}/up", "taskId": "a.gif", "expiresIn": 300})
BUSY = json_of({"error": "rate_limited", "message": "Later."}, 429)
DONE = {"jobId": "job_1", "type": "image", "status": "success", "error": None, "tasks": [{"taskId": "a.gif", "status": "success", "error": None}]}
EVENTS = (200, {"content-type": "text/event-stream"}, b"event: end\ndata: " + json_of(DONE)[2] + b"\n\n")
RESULT = json_of({"manifest": {"type": "image", "prompts": ["cup"], "items": []}, "assets": [], "expiresIn": 900})


class Loops(unittest.TestCase):
    def test_all_can_segment_and_repeat(self) -> None:
        for backend in BACKENDS:
            with self.subTest(backend), Recorder(BUSY, UPLOAD, (200, {}, b""), json_of({"jobId": "job_1"}), EVENTS, RESULT) as service:

                async def work() -> Any:
                    async with AsyncClient(service.base, "k", retry_delay=0.001) as client:
                        return await client.segment(b"GIF89a", "cup")

                self.assertEqual([each.task_id for each in anyio.run(work, backend=backend).pictures], ["a.gif"])

    def test_all_raise_the_first_failure_of_several_works(self) -> None:
        wrong = json_of({"error": "email_unverified", "message": "Verify the address."}, 403)
        for backend in BACKENDS:
            with self.subTest(backend), Recorder(wrong) as service:

                async def work() -> Any:
                    async with AsyncClient(service.base, "k", parallel=2) as client:
                        return await client.segment([b"GIF89a", b"GIF89b", b"GIF89c"], "cup")

                with self.assertRaises(SegmentationError) as failure:
                    anyio.run(work, backend=backend)
                self.assertEqual(failure.exception.code, "email_unverified")
                self.assertLess(len(service.asked), 3)

    def test_a_cancellation_cancels_the_job_too_where_that_is_wanted(self) -> None:
        waiting = json_of({**DONE, "status": "processing"})
        for backend in BACKENDS:
            with self.subTest(backend), Recorder(waiting) as service:

                async def work() -> None:
                    async with AsyncClient(service.base, "k", retry_delay=0.001) as client:
                        with anyio.move_on_after(0.1):
                            await client.result("job_1", cancel_on_abort=True)

                anyio.run(work, backend=backend)
                self.assertEqual(service.asked[-1][0], "POST /v1/jobs/job_1/cancel")

    def test_a_client_works_in_a_second_run_of_asyncio(self) -> None:
        async def ask(client: AsyncClient) -> int:
            await asyncio.gather(*[_listed(client) for _ in range(3)])
            return len([each async for each in client.jobs.list_jobs()])

        with Recorder() as service:
            for http in (None, httpx.AsyncClient(verify=False)):
                client = AsyncClient(service.base, "k", http=http, retry_delay=0.001)
                for _ in range(3):
                    self.assertEqual(asyncio.run(ask(client)), 0)


async def _listed(client: AsyncClient) -> None:
    async for _ in client.jobs.list_jobs():
        pass


if __name__ == "__main__":
    unittest.main()
