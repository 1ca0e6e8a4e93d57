import { sql } from "../../shared/database/sql.ts";

/** A page: the ids after `after`, up to `to`; up to the end if that is null. */
export interface Page {
  readonly after: string;
  readonly to: string | null;
}

/** Returns the condition that a column's id is in a page. */
export const within = (column: string, { after, to }: Page): string =>
  `${column} > ${sql`${after}`}${to === null ? "" : ` AND ${column} <= ${sql`${to}`}`}`;

/** A column that is counted in the order of its index, and the number of its rows in a page. */
export interface Counted {
  readonly table: string;
  readonly column: string;
  readonly rows: number;
}

/**
 * Returns the statement for the last id of the page that begins after an id: the first id at which one of the columns has a
 * page's number of rows. NULL if none has as many.
 */
export const endOfPage = (columns: readonly Counted[], after: string): string =>
  `SELECT min(id) AS id FROM (${columns
    .map(
      ({ table, column, rows }) =>
        `SELECT * FROM (SELECT ${column} AS id FROM ${table} WHERE ${column} > ${sql`${after}`} ORDER BY ${column} LIMIT 1 OFFSET ${rows - 1})`,
    )
    .join(" UNION ALL ")})`;
