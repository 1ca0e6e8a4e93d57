/** Rows that one statement deletes: D1 gives a statement 30 seconds, and lets nothing else run meanwhile. */
const PAGE = 10_000;
/** D1 takes a thousand statements from one run of a Worker, and others of the same run need theirs. */
const MOST_PAGES = 50;
/** A cron has 15 minutes for all of its work. */
const RUN_MS = 60_000;

/**
 * Deletes page by page, at least one, until nothing is left or the run's share is used up; the rest waits for the next run.
 * @param deletePage deletes up to `limit` rows and returns how many
 * @param until time after which no further page begins (epoch ms)
 * @returns the number of deleted rows
 */
export async function deleteInPages(
  deletePage: (limit: number) => Promise<number>,
  until = Date.now() + RUN_MS,
  mostPages = MOST_PAGES,
): Promise<number> {
  let deleted = 0;
  for (let pages = 1; ; pages += 1) {
    const rows = await deletePage(PAGE);
    deleted += rows;
    if (rows < PAGE || pages >= mostPages || Date.now() >= until) return deleted;
  }
}
