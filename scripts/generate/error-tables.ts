import { join } from "node:path";
import { PROBLEMS } from "@segmentation/protocol";
import { ARCHIVE_PROBLEMS } from "../../src/jobs/rules/archive-problems.ts";
import { ERROR_CATALOGUE } from "../../src/shared/errors.ts";
import { table, withTables } from "./marked-tables.ts";
import { PROJECT_ROOT } from "../shared/root.ts";

export const ERRORS_PAGE = join(PROJECT_ROOT, "docs", "errors.md");

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
export const withErrorTables = (page: string): string => withTables(page, TABLES);
