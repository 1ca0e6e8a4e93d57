import { globSync, readFileSync } from "node:fs";

/** Names by which a test file depends on the form of the run. */
const ASKS = /\b(isLong|readFigures|furtherFindingsOn)\b|\bamount\(\{/;

/**
 * The test files among `patterns` that have more to do in the long form of a run: `npm run test:long` runs them, too. Files of
 * `long` folders are not among them: they have no other form.
 */
export const withLongForm = (patterns: readonly string[]): string[] =>
  globSync([...patterns], { exclude: ["**/long/**", "**/node_modules/**"] }).filter((file) =>
    ASKS.test(readFileSync(file, "utf8")),
  );
