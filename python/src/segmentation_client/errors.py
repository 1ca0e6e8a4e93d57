"""The one error of this package."""

from __future__ import annotations

from typing import Any, cast


class SegmentationError(Exception):
    """Every failure of this package. `code` is for programs, `message` says what happened and what to do.

    The codes are the service's, and of this package itself: `connection_failed`, `timed_out`, `unreadable_answer`,
    `storage_refused`, `invalid_signature` and `invalid_input`.
    """

    code: str
    message: str
    status: int | None
    """The HTTP status; None if there was no answer."""
    request_id: str | None
    """The answer's X-Request-Id: name it when you report a failure."""
    body: Any
    """The answer's body: what its JSON says, or its text."""
    job_id: str | None
    """The job that failed, or that goes on although waiting for it failed: `client.result(job_id)` resumes waiting."""
    retry_after_seconds: int | None
    remaining_tokens: int | None
    """Tokens left in the free trial."""
    requested_tokens: int | None
    """Tokens that the refused job needs."""
    expires_at: str | None
    """When the free trial ends or ended: ISO 8601."""
    active_job_id: str | None
    """The job in progress that blocks a new one."""
    upgrade_url: str | None
    """The page on which to upgrade or pay."""

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

    def __reduce__(self) -> tuple[Any, ...]:
        """Lets pools of processes hand the error on: by default, Python would make it of `args`, which has no code."""
        return type(self), (self.code, self.message), self.__dict__


def invalid_input(message: str, job_id: str | None = None) -> SegmentationError:
    """The error of an input, an option or a setting that cannot be used."""
    return SegmentationError("invalid_input", message, job_id=job_id)


def problem_error(problem: str | None, job_id: str) -> SegmentationError:
    """The error of a job or an archive that has failed: of a problem, which is a code, a colon and a sentence."""
    code, _, sentence = (problem or "internal_error: It failed.").partition(": ")
    return SegmentationError(code, sentence, job_id=job_id)
