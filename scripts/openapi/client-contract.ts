import { PROBLEMS } from "@segmentation/protocol";
import { COMMON_ERRORS, errorsOf, type Operation } from "../../src/contract/operation.ts";
import { OPERATIONS } from "../../src/contract/operations.ts";
import { ARCHIVE_PROBLEMS } from "../../src/core/archives/problems.ts";

/** Where it lies in the project. */
export const CLIENT_CONTRACT = "client/src/contract.ts";

/** Errors of requests that reach no operation. */
const ELSEWHERE = ["not_found", "method_not_allowed"];

/** A union of codes, one a line. */
const union = (name: string, comment: string, codes: Iterable<string>): string =>
  `/** ${comment} */\nexport type ${name} =\n${[...codes].map((code) => `  | "${code}"`).join("\n")};\n`;

/**
 * What the client library knows of the contract, as TypeScript: each operation's method, path and status, the codes of
 * errors and problems, and the types that openapi-typescript made of the API's document.
 */
export function clientContract(types: string): string {
  const routes = Object.entries(OPERATIONS).map(
    ([id, { method, path, status, contentType }]: [string, Operation]) =>
      `  ${id}: "${method.toUpperCase()} ${path} ${status}${contentType === undefined ? "" : " events"}",`,
  );
  const errors = new Set<string>([...COMMON_ERRORS, ...ELSEWHERE]);
  for (const operation of Object.values<Operation>(OPERATIONS))
    for (const code of errorsOf(operation)) errors.add(code);
  return [
    "// Made by `npm run openapi` from the service's contract. Change it there.\n",
    `/** Each operation's method, path, the status of its success, and whether that is a stream of events. */\nexport const ROUTES = {\n${routes.join("\n")}\n} as const;\n`,
    union("ApiErrorCode", "What the service answers instead of a result.", [...errors].toSorted()),
    union(
      "TaskProblemCode",
      "Why a task failed, or what it could not serve.",
      Object.keys(PROBLEMS).toSorted(),
    ),
    union(
      "ArchiveProblemCode",
      "Why an archive could not be built.",
      Object.keys(ARCHIVE_PROBLEMS).toSorted(),
    ),
    types.slice(types.indexOf("export interface paths")),
  ].join("\n");
}
