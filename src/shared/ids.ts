import { v7 } from "uuid";

/** A new identifier, `<kind>_` and a version 7 UUID without dashes: opaque, unique, sorted by time. */
export function newId(kind: "job" | "acct" | "key" | "whe" | "evt"): string {
  return `${kind}_${v7().replaceAll("-", "")}`;
}

/** Returns true if a string has the form of a job's identifier. */
export const isJobId = (text: string): boolean => /^job_[0-9a-f]{32}$/.test(text);
