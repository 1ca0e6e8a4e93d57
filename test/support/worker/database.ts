import { env } from "cloudflare:workers";
import type { Database, Row } from "../../../scripts/admin/database.ts";

/** The test's D1 database, as the operator's commands see one. */
export const database: Database = {
  run: async (statements) =>
    (await env.DB.batch<Row>(statements.map((statement) => env.DB.prepare(statement)))).map(
      ({ results }) => results,
    ),
};
