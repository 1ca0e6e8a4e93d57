import { parseProof } from "./proof.ts";
import type { Part, Statement } from "./statement.ts";

const INTRODUCTION = `# Conformance

Each statement of the specification, in short, with the tests that prove it. Made from \`test/conformance/\` by
\`npm run conformance\`; a test holds this page to it, and each named test to being there.
`;

/** A text as Markdown shows it in a table, to the letter. */
const cell = (text: string): string => text.replaceAll("<", "&lt;").replaceAll("|", "\\|");

function row({ section, says, proofs }: Statement): string {
  const tests = proofs.map((proof) => {
    const { file, title } = parseProof(proof);
    const name = file.replace(/^test\//, "").replace(/\.test\.ts$/, "");
    return `[${name}](../${file}): ${cell(title)}`;
  });
  return `| ${section} | ${cell(says)} | ${tests.join("<br>")} |`;
}

/** The page `docs/conformance.md`. */
export function conformancePage(parts: readonly Part[], notThereYet: readonly string[]): string {
  const tables = parts.map(
    ({ title, statements }) =>
      `\n## ${title}\n\n| section | statement | proven by |\n|---|---|---|\n${statements.map(row).join("\n")}\n`,
  );
  const missing = notThereYet.map((what) => `- ${what}\n`).join("");
  const end = notThereYet.length === 0 ? "" : `\n## Not there yet\n\n${missing}`;
  return `${INTRODUCTION}${tables.join("")}${end}`;
}
