/** Whether an error is a system error with this code, e.g. "ENOSPC". */
export function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
