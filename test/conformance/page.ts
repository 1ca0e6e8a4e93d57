import { labelOf, parseProof } from "./proof.ts";
import type { Part, Statement } from "./statement.ts";

const INTRODUCTION = `# Conformance

Each statement of the specification, in short, and the tests that prove it: file, and first words of the title. Files
lie in \`test/worker/*/\`; those of \`unit\` and \`e2e\` in \`test/\`, of \`inference\` in \`inference-container/test/\`.
Made by \`npm run conformance\`; a test holds it to tests and statements.
`;

/** A text that Markdown shows to the letter in a table. */
const cell = (text: string): string => text.replaceAll("<", "&lt;").replaceAll("|", "\\|");

/** The proofs of a statement: each file once, with the labels of its tests. */
function provenBy(proofs: readonly string[]): string {
  const labels = new Map<string, Set<string>>();
  for (const proof of proofs) {
    const [file = ""] = proof.split(": ");
    const name = file.replace(/^(?:operations|every-operation|jobs|accounts)\//, "");
    labels.set(name, (labels.get(name) ?? new Set()).add(cell(labelOf(parseProof(proof)))));
  }
  return [...labels].map(([name, of]) => `${name}: ${[...of].join("; ")}`).join(". ");
}

/** The rows of a part: the same statement with the same proofs in several sections is one row. */
function rows(statements: readonly Statement[]): string[] {
  const sections = new Map<string, string[]>();
  for (const { section, says, proofs } of statements) {
    const row = `${cell(says)} | ${provenBy(proofs)}`;
    sections.set(row, [...(sections.get(row) ?? []), section]);
  }
  return [...sections].map(([row, of]) => `${of.join(", ")} | ${row}`);
}

/** The page `docs/conformance.md`. */
export function conformancePage(parts: readonly Part[], notThereYet: readonly string[]): string {
  const tables = parts.map(
    ({ title, statements }) =>
      `\n## ${title}\n\n§ | statement | proven by\n---|---|---\n${rows(statements).join("\n")}\n`,
  );
  const missing = notThereYet.map((what) => `- ${what}\n`).join("");
  const end = notThereYet.length === 0 ? "" : `\n## Not there yet\n\n${missing}`;
  return `${INTRODUCTION}${tables.join("")}${end}`;
}
