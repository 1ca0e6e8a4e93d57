import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** A proof's file, from the project's root, and the title of its test. */
export interface Proof {
  readonly file: string;
  readonly title: string;
}

/** Takes a proof apart. @throws where it has not the form `<file>: <title>`. */
export function parseProof(proof: string): Proof {
  const [, path, title] = /^([\w/-]+): (.+)$/s.exec(proof) ?? [];
  if (path === undefined || title === undefined) throw new Error(`Not a proof: ${proof}`);
  const file = path.startsWith("inference/") ? `inference-container/test/${path.slice(10)}` : `test/${path}`;
  return { file: `${file}.test.ts`, title };
}

/** A file's source, and that of the files under test/support that it imports: suites that several files share. */
function sourcesOf(file: string): string[] {
  const source = readFileSync(file, "utf8");
  const shared = [...source.matchAll(/from "((?:\.\.\/)+support\/[^"]+)"/g)].map(([, path = ""]) =>
    readFileSync(join(dirname(file), path), "utf8"),
  );
  return [source, ...shared];
}

/** Whether there is such a test: its title stands in its file, or in a suite that it shares, as a quoted text. */
export function isThere({ file, title }: Proof): boolean {
  if (!existsSync(file)) return false;
  return sourcesOf(file).some((source) =>
    ['"', "'", "`"].some((quote) => source.includes(quote + title + quote)),
  );
}
