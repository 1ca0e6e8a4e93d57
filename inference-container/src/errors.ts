/** True for a system error with this code, e.g. "ENOSPC". */
export function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}

/** An error's message; any other thrown value, as text. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The system's code for a failed `fetch`, e.g. "ECONNREFUSED"; "" without one. */
export function connectionCode(error: unknown): string {
  const cause: unknown = error instanceof Error ? error.cause : undefined;
  return typeof cause === "object" && cause !== null && "code" in cause ? String(cause.code) : "";
}

/** The reason why a `fetch` failed: the system's code if there is one, otherwise the message. */
export function reasonOf(error: unknown): string {
  return connectionCode(error) || messageOf(error);
}
