"""A server for tests: it gives prepared answers, and records its requests."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answer = tuple[int, dict[str, str], bytes]


def json_of(value: Any, status: int = 200, **headers: str) -> Answer:
    return status, {"content-type": "application/json", **headers}, json.dumps(value).encode()


EMPTY_LIST = json_of({"items": [], "nextToken": None})


class Recorder:
    """Gives one answer after the other, the last again and again; `{base}` in an answer is its own address."""

    def __init__(self, *answers: Answer) -> None:
        self.asked: list[tuple[str, dict[str, str]]] = []
        self.bodies: list[Any] = []
        """The bodies that were sent: bytes, or parsed JSON."""
        self.answer(*answers)
        recorder = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            # Headers and body leave together: apart, the second waits for an acknowledgement.
            wbufsize = -1

            def handle_any(self) -> None:
                sent = self.rfile.read(int(self.headers.get("content-length", 0)))
                is_json = self.headers.get("content-type") == "application/json"
                recorder.bodies.append(json.loads(sent) if is_json else sent)
                recorder.asked.append((f"{self.command} {self.path}", {k.lower(): v for k, v in self.headers.items()}))
                answers = recorder.answers
                status, headers, body = answers.pop(0) if len(answers) > 1 else answers[0]
                body = body.replace(b"{base}", recorder.base.encode())
                self.send_response(status)
                for name, value in {**headers, "content-length": str(len(body))}.items():
                    self.send_header(name, value.replace("{base}", recorder.base))
                self.end_headers()
                self.wfile.write(body)

            do_GET = do_POST = do_PUT = do_DELETE = handle_any

            def log_message(self, *_: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        # Clients leave in the middle: the tests are about that.
        self._server.handle_error = lambda *_: None  # type: ignore[method-assign]
        self.base = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    def answer(self, *answers: Answer) -> None:
        """Begins again, with these answers; without any, with an empty list."""
        self.answers = list(answers or [EMPTY_LIST])
        self.asked.clear()

    def __enter__(self) -> Recorder:
        return self

    def __exit__(self, *_: Any) -> None:
        self._server.shutdown()
        self._server.server_close()
