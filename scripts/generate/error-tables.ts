import { join } from "node:path";
import { PROBLEMS } from "@segmentation/protocol";
import { ARCHIVE_PROBLEMS } from "../../src/jobs/rules/archive-problems.ts";
import { ERROR_CATALOGUE } from "../../src/shared/errors.ts";
import { PROJECT_ROOT } from "../shared/root.ts";

export const ERRORS_PAGE = join(PROJECT_ROOT, "docs", "errors.md");

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");

/** The page's tables by name: errors of a request, a task, an archive. */
const TABLES: ReadonlyMap<string, string> = new Map([
  [
    "request",
    table(
      ["code", "status", "message, unless the service sends a more specific one"],
      Object.entries(ERROR_CATALOGUE).map(([code, [status, message]]) => [
        `\`${code}\``,
        String(status),
        message,
      ]),
    ),
  ],
  [
    "task",
    table(
      ["code", "message", "tried again"],
      Object.entries(PROBLEMS).map(([code, { sentence, retryable }]) => [
        `\`${code}\``,
        sentence,
        retryable ? "yes" : "no",
      ]),
    ),
  ],
  [
    "archive",
    table(
      ["code", "message"],
      Object.entries(ARCHIVE_PROBLEMS).map(([code, sentence]) => [`\`${code}\``, sentence]),
    ),
  ],
]);

/** The errors' page with each table rewritten between its marks. @throws Error if a table has no marks */
export function withErrorTables(page: string): string {
  let written = page;
  for (const [name, text] of TABLES) {
    const [from, to] = [`<!-- table: ${name} -->\n`, "\n<!-- end -->"];
    const start = written.indexOf(from) + from.length;
    const end = written.indexOf(to, start);
    if (start < from.length || end < 0) throw new Error(`The page has no markers for the table ${name}.`);
    written = `${written.slice(0, start)}${text}${written.slice(end)}`;
  }
  return written;
}
