import { z } from "zod";

/*
 * The two additional calls of the operator's API in a local stack. The Worker has the database's and the bucket's files open: if
 * a second process opened them, a write of either would end in "database is locked".
 */

/** A row of the database: the values that its statements give. */
export const Row = z.record(z.string(), z.union([z.string(), z.number(), z.null()]));
export type Row = z.infer<typeof Row>;

/** Runs the statements in one transaction of a database, which its binding names. */
export const SQL_PATH = "/sql";
export const SqlRequest = z.object({
  database: z.string().default("DB"),
  statements: z.array(z.string()).min(1),
});
export type SqlRequest = z.infer<typeof SqlRequest>;
/** The rows of each statement. */
export const SqlAnswer = z.object({ results: z.array(z.array(Row)) });

/** Reads an object of the bucket as text. */
export const OBJECT_PATH = "/object";
export const ObjectRequest = z.object({ key: z.string() });
/** `text` is null if there is no such object. */
export const ObjectAnswer = z.object({ text: z.string().nullable() });
