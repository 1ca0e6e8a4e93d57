/** Whether an error is one of the system's with this code, e.g. "ENOSPC". */
export function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
