import { readFile, writeFile } from "node:fs/promises";
import { ERRORS_PAGE, withTables } from "./errors/tables.ts";

/** Writes the tables of docs/errors.md; a test compares them. */
await writeFile(ERRORS_PAGE, withTables(await readFile(ERRORS_PAGE, "utf8")));
