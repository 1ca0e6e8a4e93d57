import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { conformancePage } from "../test/conformance/page.ts";
import { NOT_THERE_YET, PARTS } from "../test/conformance/parts.ts";
import { PROJECT_ROOT } from "./shared/root.ts";

/** Writes docs/conformance.md; a test checks that it is up to date. */
await writeFile(join(PROJECT_ROOT, "docs", "conformance.md"), conformancePage(PARTS, NOT_THERE_YET));
