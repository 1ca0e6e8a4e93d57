import type { Database, Row } from "../../../../scripts/shared/database/database.ts";
import { home } from "./databases.ts";

/** A D1 database as the operator's commands see one. */
export const asOperator = (db: () => D1Database): Database => ({
  run: async (statements) =>
    (await db().batch<Row>(statements.map((statement) => db().prepare(statement)))).map(
      ({ results }) => results,
    ),
});

export const database: Database = asOperator(() => home.DB);
