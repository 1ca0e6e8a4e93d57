import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { PAGE, withProofs } from "../../test/conformance/page.ts";
import { PROJECT_ROOT } from "../shared/root.ts";

/** Writes the tests into docs/contributing/conformance.md; a test checks that it is current. */
const file = join(PROJECT_ROOT, PAGE);
await writeFile(file, withProofs(await readFile(file, "utf8")));
