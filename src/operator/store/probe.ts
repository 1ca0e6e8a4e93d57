import { Preflight } from "../../shared/storage/preflight.ts";
import { D1Store } from "../../shared/storage/d1-store.ts";

/** Behavior of D1 that the service relies on and that is not documented. */
export interface Assumptions {
  /** True if `changes()` counts what the statement before it in the batch has changed: use is metered by it. */
  readonly countsChanges: boolean;
  /** True if D1's error has SQLite's text: a preflight for an account that has changed is known by it. */
  readonly showsErrors: boolean;
}

/** Tries a database's assumptions out. It leaves nothing behind. */
export class Probe extends D1Store {
  /** @param id a text that no event of Stripe has as its id */
  async assumptions(id: string): Promise<Assumptions> {
    const note = (name: string, where: string) =>
      this.statement(
        `INSERT INTO stripe_events (id, type, received_at) SELECT ?1, 'probe', 0 WHERE ${where}`,
        [id + name],
      );
    const ends = await this.db.batch<{ id: string }>([
      note("first", "true"),
      note("after a change", "changes() > 0"),
      this.statement("DELETE FROM stripe_events WHERE id = ?1", [id]),
      note("after none", "changes() > 0"),
      this.statement("DELETE FROM stripe_events WHERE id GLOB ?1 || '*' RETURNING id", [id]),
    ]);
    const noted = ends.at(-1)?.results.map((row) => row.id) ?? [];
    const preflight = new Preflight(this.db, "SELECT 'now'", [], "before");
    await preflight.batch([]).catch(() => {});
    return {
      countsChanges: noted.toSorted().join() === `${id}after a change,${id}first`,
      showsErrors: preflight.state === "shut",
    };
  }
}
