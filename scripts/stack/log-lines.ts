/** The words for pino's numeric log levels; the Worker writes the words itself. */
const LEVELS: Readonly<Record<string, string>> = { 40: "warn", 50: "error", 60: "fatal" };
const QUIET_LEVELS = new Set(["10", "20", "30", "debug", "info"]);
const LEFT_OUT = new Set(["level", "time", "msg", "event"]);

function parseObject(line: string): Readonly<Record<string, unknown>> | null {
  if (!line.startsWith("{")) return null;
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null ? { ...value } : null;
  } catch {
    return null;
  }
}

/** Formats a JSON log line of the Worker or the inference service for people: event and fields. Leaves other text unchanged. */
export function readableLine(line: string): string {
  const entry = parseObject(line);
  const what = entry?.["msg"] ?? entry?.["event"];
  if (entry === null || typeof what !== "string") return line;
  const level = JSON.stringify(entry["level"] ?? "info").replaceAll('"', "");
  const fields = Object.entries(entry)
    .filter(([name]) => !LEFT_OUT.has(name))
    .map(([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`);
  return [QUIET_LEVELS.has(level) ? what : `${LEVELS[level] ?? level}: ${what}`, ...fields].join("  ");
}
