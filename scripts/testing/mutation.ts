import { spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { z } from "zod";
import { Failure, runCommand } from "../shared/command-line.ts";
import { PROJECT_ROOT } from "../shared/root.ts";
import {
  CORE,
  changeOf,
  isAlive,
  readEquivalents,
  rowOf,
  scores,
  share,
  total,
  type Mutant,
} from "./mutation-score.ts";
import { endOf } from "./steps.ts";

/** Minimum share of the core's mutants that its tests have to kill. */
const LEAST_KILLED = 0.95;

/** Stryker's packages and their lock: otherwise all contributors would install a quarter more files for this one test. */
const STRYKER = join(PROJECT_ROOT, "test", "stryker");
const EQUIVALENTS = "test/unit/survivors.md";
const REPORTS = ".local/mutation";
const SANDBOX = `${REPORTS}/sandbox-${process.pid}`;

const percent = (killed: number): string => `${(killed * 100).toFixed(1)} %`.padStart(7);

/** Of a report of the schema "mutation-testing-report-schema"; lines and columns count from 1. */
const Place = z.object({ line: z.number(), column: z.number() });
const Report = z.object({
  files: z.record(
    z.string(),
    z.object({
      mutants: z.array(
        z.object({
          mutatorName: z.string(),
          location: z.object({ start: Place, end: Place }),
          replacement: z.string(),
          status: z.string(),
        }),
      ),
    }),
  ),
});

/** Runs a program, and prints its output. @throws Failure if it fails */
async function run(
  program: string,
  args: readonly string[],
  cwd: string,
  signal: AbortSignal,
): Promise<void> {
  const code = await endOf(spawn(program, args, { cwd, stdio: "inherit" }), signal);
  if (code !== 0) throw new Failure(`${program} failed; see its message above.`);
}

/** Changes the code of `files` in every way that Stryker knows, one change at a time, and checks if a test notices. */
async function mutate(files: readonly string[], concurrency: number, signal: AbortSignal): Promise<Mutant[]> {
  await run("npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error"], STRYKER, signal);
  const settings = {
    mutate: files,
    concurrency,
    testRunner: "vitest",
    vitest: { configFile: "scripts/testing/mutation.vitest.config.ts" },
    plugins: ["@stryker-mutator/vitest-runner"],
    coverageAnalysis: "perTest",
    // An invalid name: Stryker would read a real file with the API of TypeScript 5, and Vite needs none.
    tsconfigFile: "none.json",
    ignorePatterns: [
      "**",
      "!src/**",
      "!test/unit/**",
      "!test/support/**",
      "!scripts/testing/**",
      "!docs/errors.md",
      "!package.json",
    ],
    tempDirName: SANDBOX,
    reporters: ["progress-append-only", "html", "json"],
    htmlReporter: { fileName: `${REPORTS}/report.html` },
    jsonReporter: { fileName: `${REPORTS}/report.json` },
    allowConsoleColors: false,
  };
  const folder = join(PROJECT_ROOT, REPORTS);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "settings.json"), JSON.stringify(settings));
  const program = join(STRYKER, "node_modules", ".bin", "stryker");
  await run(program, ["run", join(folder, "settings.json")], PROJECT_ROOT, signal);
  const report = Report.parse(JSON.parse(await readFile(join(folder, "report.json"), "utf8")));
  return Object.entries(report.files).flatMap(([name, { mutants }]) =>
    mutants.map(({ mutatorName, ...mutant }) => ({ file: name, mutator: mutatorName, ...mutant })),
  );
}

/** Compares the survivors with the list of equivalent mutants: survivors that it lacks, and rows that no longer survive. */
async function compare(mutants: readonly Mutant[]): Promise<{ unlisted: string[]; stale: string[] }> {
  const listed = readEquivalents(await readFile(join(PROJECT_ROOT, EQUIVALENTS), "utf8")).map(rowOf);
  const unlisted: string[] = [];
  for (const mutant of mutants.filter(isAlive)) {
    const source = await readFile(join(PROJECT_ROOT, mutant.file), "utf8");
    const row = rowOf(changeOf(mutant, source));
    const at = listed.indexOf(row);
    if (at >= 0) listed.splice(at, 1);
    else unlisted.push(`${mutant.file}:${mutant.location.start.line} ${row} ${mutant.status}`);
  }
  const files = new Set(mutants.map(({ file }) => file));
  return { unlisted, stale: listed.filter((row) => [...files].some((file) => row.includes(`\`${file}\``))) };
}

/**
 * Mutation testing of the pure core. The exit code is 1 if the tests kill too few mutants, or if a mutant that is listed as
 * equivalent was killed. Arguments are the files to mutate; without any, all of the core.
 */
async function mutationTest(signal: AbortSignal): Promise<number> {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { concurrency: { type: "string", default: "2" } },
  });
  const files = positionals.length === 0 ? CORE : positionals;
  const begin = performance.now();
  const mutants = await mutate(files, Number(values.concurrency), signal);
  const seconds = Math.round((performance.now() - begin) / 1_000);

  const byFile = scores(mutants);
  const all = total(byFile.values());
  const { unlisted, stale } = await compare(mutants);
  console.log("\nMutants that the tests of the core killed:\n");
  for (const [file, score] of byFile) {
    console.log(
      `${percent(share(score))}  ${String(score.killed).padStart(4)} of ${String(score.mutants).padStart(4)}  ${file}`,
    );
  }
  if (unlisted.length > 0)
    console.log(`\nSurvivors that ${EQUIVALENTS} does not explain:\n${unlisted.join("\n")}`);
  if (stale.length > 0) console.log(`\nListed in ${EQUIVALENTS}, but killed or gone:\n${stale.join("\n")}`);
  const survivors = all.mutants - all.killed;
  console.log(
    `\n${percent(share(all)).trim()} of ${all.mutants} mutants killed in ${seconds} s; ${survivors} survive, ` +
      `${survivors - unlisted.length} of them change nothing. Report: ${REPORTS}/report.html`,
  );
  return share(all) >= LEAST_KILLED && stale.length === 0 ? 0 : 1;
}

// Stryker removes its copy of the project only if it is not interrupted.
process.on("exit", () => rmSync(join(PROJECT_ROOT, SANDBOX), { recursive: true, force: true }));

await runCommand(mutationTest);
