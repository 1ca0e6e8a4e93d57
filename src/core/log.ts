/** The fields of a line, apart from those that every line has. */
type Fields = Readonly<Record<string, unknown>> & { time?: never; level?: never; event?: never };

/** Writes one structured line. Never give it a key, a token or a signed URL. */
export function log(level: "info" | "warn" | "error", event: string, fields: Fields): void {
  // Always the same method: the local runtime decorates the others, and the lines would no longer be JSON.
  console.log(JSON.stringify({ time: new Date().toISOString(), level, event, ...fields }));
}

/** An error as a log line tells it. */
export const reasonOf = (error: unknown): string =>
  error instanceof Error ? `${error.name}: ${error.message}` : String(error);
