import { z } from "zod";
import type { Entry } from "./closing.ts";

/** The first line of a part's object: whose it is, and the part before it. */
const Header = z.strictObject({
  account: z.string(),
  number: z.int().positive(),
  jobs: z.int().positive(),
  previous: z.strictObject({ key: z.string(), digest: z.string() }).nullable(),
});
export type ClosedObjectHeader = z.infer<typeof Header>;

/** Each line after the first: an entry of the ledger. Times are epoch milliseconds. */
const Line = z.strictObject({
  id: z.int(),
  jobId: z.string(),
  kind: z.enum(["reserve", "settle", "release", "void"]),
  fund: z.enum(["trial", "paid"]),
  units: z.int(),
  at: z.int(),
  meterEvent: z.string().nullable(),
}) satisfies z.ZodType<Entry>;

/** The key of a part's object. The digest is in it, so that no other bytes are ever written under it. */
export const closedObjectKey = (month: string, accountId: string, number: number, digest: string): string =>
  `ledger/${month}/${accountId}/${String(number).padStart(6, "0")}-${digest}.jsonl`;

/** A part's object: JSON lines, each ended by a newline. */
export const closedObject = (header: ClosedObjectHeader, jobs: readonly (readonly Entry[])[]): string =>
  [header, ...jobs.flat()].map((line) => `${JSON.stringify(line)}\n`).join("");

/** Reads a part's object back. @throws Error if it is none */
export function readClosedObject(text: string): { header: ClosedObjectHeader; jobs: Entry[][] } {
  const [first = "", ...rest] = text.trimEnd().split("\n");
  const entries = rest.map((line) => Line.parse(JSON.parse(line)));
  return {
    header: Header.parse(JSON.parse(first)),
    jobs: [...Map.groupBy(entries, ({ jobId }) => jobId).values()],
  };
}
