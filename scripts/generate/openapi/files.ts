import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { MOST_OBJECTS, MOST_REGIONS, outputsOf, PROBLEMS } from "@segmentation/protocol";
import { z } from "zod";
import {
  COMMON_ERRORS,
  errorsOf,
  type Operation,
  PATH_PARAMETERS,
} from "../../../src/shared/api/operation.ts";
import { OPERATIONS } from "../../../src/operations.ts";
import { JobType } from "../../../src/shared/api/primitives.ts";
import { MOST_POINTS } from "../../../src/jobs/contract/region.ts";
import { MOST_FURTHER_JOBS } from "../../../src/shares/contract/share.ts";
import { ARCHIVE_PROBLEMS } from "../../../src/jobs/rules/archive-problems.ts";
import { FREE_REFINEMENTS } from "../../../src/jobs/rules/admission.ts";
import { openApiDocument } from "../../../src/http/openapi/document.ts";
import { PROJECT_ROOT } from "../../shared/root.ts";
import { exampleOf } from "./example.ts";
import { DIGESTS, digestsFile } from "./protocol-digests.ts";
import { pythonFiles } from "./python.ts";

const run = promisify(execFile);

const GENERATOR = join(
  PROJECT_ROOT,
  "test",
  "generated-client",
  "node_modules",
  "openapi-typescript",
  "bin",
  "cli.js",
);

/** Leaves out of the API's document what the client library reads without types: errors, and the headers of responses. */
function onlySuccesses(key: string, value: object): unknown {
  if (key === "headers") return undefined;
  if (key !== "responses") return value;
  return Object.fromEntries(Object.entries(value).filter(([status]) => status.startsWith("2")));
}

/** The client types that openapi-typescript generates. */
async function clientTypes(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "openapi-"));
  try {
    const [source, types] = [join(folder, "openapi.json"), join(folder, "schema.d.ts")];
    await writeFile(source, JSON.stringify(openApiDocument(), onlySuccesses));
    // A request may leave out a field with a default.
    await run(process.execPath, [GENERATOR, source, "--output", types, "--default-non-nullable=false"], {
      cwd: folder,
    });
    const text = await readFile(types, "utf8");
    return text.slice(text.indexOf("export interface components"));
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Errors of requests that reach no operation. */
const ELSEWHERE = ["not_found", "method_not_allowed"];

/** The limits that the pages name; the service names the others. */
const LIMITS = {
  regions: MOST_REGIONS,
  pointsPerRegion: MOST_POINTS,
  followedObjects: MOST_OBJECTS,
  freeRefinements: FREE_REFINEMENTS,
  furtherJobsPerShare: MOST_FURTHER_JOBS,
};

/** A union of codes, one per line. */
const union = (name: string, meaning: string, codes: Iterable<string>): string =>
  `/** ${meaning} */\nexport type ${name} =\n${[...codes].map((code) => `  | "${code}"`).join("\n")};\n`;

/** A call of the client library, with the examples of the operation's path and body. */
function exampleCall(id: string, { path, body, answer, contentType }: Operation): string {
  const inPath = Object.entries(PATH_PARAMETERS).filter(([name]) => path.includes(`{${name}}`));
  const input = {
    ...Object.fromEntries(inPath.map(([name, schema]) => [name, exampleOf(schema)])),
    ...Object(exampleOf(body) ?? {}),
  };
  const call = `client.api.${id}(${Object.keys(input).length === 0 ? "" : JSON.stringify(input, null, 2)})`;
  if (contentType !== undefined)
    return `for await (const { event, data } of ${call}) console.log(event, data);`;
  const isPaged = answer instanceof z.ZodObject && "nextToken" in answer.shape;
  return isPaged ? `for await (const item of ${call}) console.log(item);` : `await ${call};`;
}

/** Returns an operation's comment for editors: its description, and a call. */
function comment(id: string, operation: Operation): string {
  const { summary, description } = operation;
  const text = [
    `${summary}.`,
    ...(description ? ["", description] : []),
    "@example",
    exampleCall(id, operation),
  ];
  const lines = text.join("\n").replaceAll("*/", "*\\/").split("\n");
  return `  /**\n${lines.map((line) => `   * ${line}`.trimEnd()).join("\n")}\n   */\n`;
}

/**
 * Returns the client library's part of the contract, as TypeScript: each operation's method, path, body and kind of answer, the
 * keys of a job's assets, limits, and the codes of errors and problems. Adds the types that openapi-typescript generated from the
 * API's document.
 */
function clientContract(types: string): string {
  const routes = Object.entries(OPERATIONS).map(
    ([id, { method, path, body, status, contentType }]: [string, Operation]) =>
      `  ${id}: "${method.toUpperCase()} ${path}${body === undefined ? "" : " body"}${contentType !== undefined ? " events" : status === 204 ? " empty" : ""}",`,
  );
  const assets = JobType.options.map((type) => {
    const keys = outputsOf(type).map(([kind, { assetKey }]) => `    ${kind}: "${assetKey}",\n`);
    return `  ${type}: {\n${keys.join("")}  },`;
  });
  const limits = Object.entries(LIMITS).map(([name, most]) => `  ${name}: ${most},`);
  const errors = new Set<string>([...COMMON_ERRORS, ...ELSEWHERE]);
  for (const operation of Object.values<Operation>(OPERATIONS))
    for (const code of errorsOf(operation)) errors.add(code);
  return [
    "// Made by `npm run openapi` from the service's contract. Change it there.\n",
    `/** Each operation's method and path, whether it takes a body, and whether its success is empty (204) or a stream of events. */\nexport const ROUTES = {\n${routes.join("\n")}\n} as const;\n`,
    `/** The keys of a job's assets by its type. A job asks in its \`formats\` for all but \`masks\` and \`preview\`. */\nexport const ASSETS = {\n${assets.join("\n")}\n} as const;\n`,
    `/** Limits of a request, and the number of free refinements of a picture's masks. */\nexport const LIMITS = {\n${limits.join("\n")}\n} as const;\n`,
    union("ApiErrorCode", "The error codes of the service's answers.", [...errors].toSorted()),
    union(
      "TaskProblemCode",
      "The codes for a task's failure, or for the part of its result that it could not deliver.",
      Object.keys(PROBLEMS).toSorted(),
    ),
    union(
      "ArchiveProblemCode",
      "The codes for an archive that could not be built.",
      Object.keys(ARCHIVE_PROBLEMS).toSorted(),
    ),
    types,
  ].join("\n");
}

/** Returns the operations as methods, each with its comment for editors. */
function clientOperations(): string {
  const methods = Object.entries(OPERATIONS).map(
    ([id, operation]) => `${comment(id, operation)}  readonly ${id}: Call<"${id}">;\n`,
  );
  return `// Made by \`npm run openapi\` from the service's contract. Change it there.
import type { Call } from "./types.ts";

/** Every operation of the service by its name in the contract. */
export interface Api {
${methods.join("")}}
`;
}

/** The generated files that are committed: each file's text by its path in the project. */
export async function generatedFiles(): Promise<ReadonlyMap<string, string>> {
  const document = `${JSON.stringify(openApiDocument(), null, 2)}\n`;
  return new Map([
    ["docs/openapi.json", document],
    ["client/src/contract.ts", clientContract(await clientTypes())],
    ["client/src/api/operations.ts", clientOperations()],
    [DIGESTS, await digestsFile()],
    ...pythonFiles(JSON.parse(document)),
  ]);
}
