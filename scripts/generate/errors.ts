import { readFile, writeFile } from "node:fs/promises";
import { ERRORS_PAGE, withErrorTables } from "./error-tables.ts";

/** Writes the tables of docs/errors.md; a test compares them. */
await writeFile(ERRORS_PAGE, withErrorTables(await readFile(ERRORS_PAGE, "utf8")));
