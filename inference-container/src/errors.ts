/** Whether an error is a system error with this code, e.g. "ENOSPC". */
export function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}

/** An error's message; anything else that was thrown, as text. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The code of why a `fetch` failed, e.g. "ECONNREFUSED"; "" without one. */
export function connectionCode(error: unknown): string {
  const cause: unknown = error instanceof Error ? error.cause : undefined;
  return typeof cause === "object" && cause !== null && "code" in cause ? String(cause.code) : "";
}

/** What the error of a failed `fetch` says, by its code where it has one. */
export function reasonOf(error: unknown): string {
  return connectionCode(error) || messageOf(error);
}
