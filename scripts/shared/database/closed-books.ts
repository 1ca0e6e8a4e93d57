import { z } from "zod";
import {
  addToClosed,
  ClosedSums,
  NOTHING_CLOSED,
  readClosedObject,
} from "../../../src/billing/rules/closing.ts";
import { sha256Hex } from "../../../src/shared/digest.ts";

/** A row of ledger_closings: the last part of an account's closed books, and the sums of all parts. */
export const ClosedBooks = z.object({
  account_id: z.string(),
  number: z.int(),
  object_key: z.string(),
  digest: z.string(),
  sums: z
    .string()
    .transform((text): unknown => JSON.parse(text))
    .pipe(ClosedSums),
});
export type ClosedBooks = z.infer<typeof ClosedBooks>;

/** Reads an object of the bucket as a string; null if it does not exist. */
export type ReadObject = (key: string) => Promise<string | null>;

/**
 * Checks an account's closed books against their objects, from the last part back to the first: each object's digest, its link to
 * the previous one, and the sum of all entries against the row. Returns the problem, or null.
 */
export async function checkClosedBooks(books: ClosedBooks, read: ReadObject): Promise<string | null> {
  let sums = NOTHING_CLOSED;
  let part: { key: string; digest: string } | null = { key: books.object_key, digest: books.digest };
  for (let number = books.number; part !== null; number -= 1) {
    const text = await read(part.key);
    if (text === null) return `there is no object ${part.key}`;
    if ((await sha256Hex(text)) !== part.digest) return `${part.key} is not what was written`;
    const { header, jobs }: ReturnType<typeof readClosedObject> = readClosedObject(text);
    if (header.account !== books.account_id || header.number !== number || header.jobs !== jobs.length) {
      return `${part.key} is not part ${number} of this account`;
    }
    sums = addToClosed(sums, jobs);
    part = header.previous;
    if ((part === null) !== (number === 1)) return `part ${number} does not follow another`;
  }
  return JSON.stringify(sums) === JSON.stringify(books.sums) ? null : "the entries come to other sums";
}
