"""The one error of this package."""

from __future__ import annotations

from typing import Any, cast


class SegmentationError(Exception):
    """Every failure of this package. `code` is for programs; `message` has the reason and advice.

    The codes are the service's, and those of this package: `connection_failed`, `timed_out`,
    `unreadable_answer`, `storage_refused`, `invalid_signature` and `invalid_input`.
    """

    code: str
    message: str
    status: int | None
    """The HTTP status; None if there was no answer."""
    request_id: str | None
    """The answer's X-Request-Id: name it when you report a failure."""
    body: Any
    """The answer's body: its JSON, or its text."""
    job_id: str | None
    """The job that failed, or that continues although waiting for it failed: `client.result(job_id)` resumes
    waiting.
    """
    retry_after_seconds: int | None
    remaining_tokens: int | None
    """Tokens left in the free trial."""
    requested_tokens: int | None
    """Tokens that the refused job needs."""
    expires_at: str | None
    """End of the free trial: ISO 8601."""
    active_job_id: str | None
    """The job in progress that blocks a new one."""
    upgrade_url: str | None
    """The page on which to upgrade or pay."""
    current_version: int | None
    """The version of the annotations that is saved now, of a `version_conflict`."""

    def __init__(
        self,
        code: str,
        message: str,
        *,
        status: int | None = None,
        request_id: str | None = None,
        body: Any = None,
        job_id: str | None = None,
        retry_after_seconds: int | None = None,
        current_version: int | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.status = status
        self.request_id = request_id
        self.body = body
        self.job_id = job_id
        hints: dict[str, Any] = cast("dict[str, Any]", body) if isinstance(body, dict) else {}
        asked = hints.get("retryAfterSeconds")
        self.retry_after_seconds = asked if isinstance(asked, int) else retry_after_seconds
        self.remaining_tokens = hints.get("remainingTokens")
        self.requested_tokens = hints.get("requestedTokens")
        self.expires_at = hints.get("expiresAt")
        self.active_job_id = hints.get("activeJobId")
        self.upgrade_url = hints.get("upgradeUrl")
        self.current_version = current_version

    def __reduce__(self) -> tuple[Any, ...]:
        """Lets pools of processes pass the error on: by default, Python would make it from `args`, which has no
        code.
        """
        return type(self), (self.code, self.message), self.__dict__


def invalid_input(message: str, job_id: str | None = None) -> SegmentationError:
    """The error of an unusable input, option or setting."""
    return SegmentationError("invalid_input", message, job_id=job_id)


def problem_error(problem: str | None, job_id: str) -> SegmentationError:
    """The error of a failed job or archive, from its problem: a code, a colon and a sentence."""
    code, _, sentence = (problem or "internal_error: It failed.").partition(": ")
    return SegmentationError(code, sentence, job_id=job_id)
