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

/** The prefix of a runtime error in Wrangler's output; its stack follows in separate lines. */
const ERROR_MARK = "✘ [ERROR] ";
/** The runtime's reports of a closed or failed connection. The Worker itself logs the consequences. */
const CONNECTION = /disconnected:|Connection reset by peer|Broken pipe|DNS lookup failed/;

/**
 * Returns the news in a part's log line for a person at the terminal, in one line: the end of a job, or a problem. Null for
 * everything else.
 */
export function newsLine(part: string, line: string): string | null {
  if (line.startsWith(ERROR_MARK)) {
    const what = line.slice(ERROR_MARK.length).trim();
    return CONNECTION.test(what) ? null : `[${part}] error: ${what}`;
  }
  const entry = parseObject(line);
  if (entry?.["event"] === "job_ended") {
    const seconds = (Number(entry["ms"]) / 1_000).toFixed(1);
    return `${String(entry["jobId"])}: ${String(entry["status"])} after ${seconds} s`;
  }
  return entry === null || isQuiet(entry) ? null : `[${part}] ${readableLine(line)}`;
}

const levelOf = (entry: Readonly<Record<string, unknown>>): string =>
  JSON.stringify(entry["level"] ?? "info").replaceAll('"', "");

const isQuiet = (entry: Readonly<Record<string, unknown>>): boolean => QUIET_LEVELS.has(levelOf(entry));

/** Formats a JSON log line of the Worker or the inference service for people: event and fields. Returns other lines unchanged. */
export function readableLine(line: string): string {
  const entry = parseObject(line);
  const what = entry?.["msg"] ?? entry?.["event"];
  if (entry === null || typeof what !== "string") return line;
  const level = levelOf(entry);
  const fields = Object.entries(entry)
    .filter(([name]) => !LEFT_OUT.has(name))
    .map(([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`);
  return [isQuiet(entry) ? what : `${LEVELS[level] ?? level}: ${what}`, ...fields].join("  ");
}
