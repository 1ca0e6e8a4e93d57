import { Preflight } from "../../shared/storage/preflight.ts";
import { D1Store } from "../../shared/storage/d1-store.ts";

/** Undocumented behavior of D1 that the service relies on. */
export interface Assumptions {
  /** True if `changes()` counts the changes of the statement before it in the batch: metering depends on it. */
  readonly countsChanges: boolean;
  /** True if D1's error has SQLite's message: this identifies a preflight for a changed account. */
  readonly showsErrors: boolean;
}

/** Tests a database's assumptions. It leaves nothing behind. */
export class Probe extends D1Store {
  /** @param id a string that is not the id of a Stripe event */
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
