import { v7 } from "uuid";

/** A new identifier, `<kind>_` and a version 7 UUID without dashes: opaque, unique, sorting by time. */
export function newId(kind: "job" | "acct" | "key"): string {
  return `${kind}_${v7().replaceAll("-", "")}`;
}
