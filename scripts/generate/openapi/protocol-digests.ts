import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import * as protocol from "@segmentation/protocol";
import { z } from "zod";
import { PROJECT_ROOT } from "../../shared/root.ts";

/** The digests of each version's message schemas, by version. */
export const DIGESTS = "protocol/test/digests.json";

export const readDigests = async (): Promise<Readonly<Record<string, string>>> =>
  z.record(z.string(), z.string()).parse(JSON.parse(await readFile(join(PROJECT_ROOT, DIGESTS), "utf8")));

/** Returns the digest of this version's message schemas. */
export function protocolDigest(): string {
  const schemas = Object.entries(protocol)
    .flatMap(([name, value]) =>
      value instanceof z.ZodType ? [[name, z.toJSONSchema(value, { unrepresentable: "any" })] as const] : [],
    )
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  return createHash("sha256").update(JSON.stringify(schemas)).digest("hex");
}

/** Returns the file of digests, with this version's digest regenerated. */
export const digestsFile = async (): Promise<string> =>
  `${JSON.stringify({ ...(await readDigests()), [protocol.PROTOCOL]: protocolDigest() }, null, 2)}\n`;
