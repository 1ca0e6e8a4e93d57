import { checkClosedBooks, ClosedBooks, type ReadObject } from "../../shared/database/closed-books.ts";
import type { Database, Row } from "../../shared/database/database.ts";
import { endOfPage } from "./ledger-pages.ts";
import { type Chapter, MOST_OF_A_KIND, ofAccounts, ofJobs, ofMeterEvents } from "./ledger-queries.ts";
import { sql } from "../../shared/database/sql.ts";

export interface LedgerReport {
  /** The disagreements, up to a hundred of each kind; empty if the ledger is right. */
  readonly findings: readonly Row[];
  /** The result, with the numbers of jobs, entries, accounts and units. */
  readonly summary: string;
}

export interface LedgerCheckOptions {
  /** Reads the objects of closed books, to compare them. */
  readonly read?: ReadObject | undefined;
  /** Called after each page if the check takes more than one. */
  readonly onProgress?: ((progress: string) => void) | undefined;
  /** Number of jobs in a page. */
  readonly page?: number | undefined;
}

/** A page takes half a second: the database answers no other request meanwhile, and D1 ends a call after 30 seconds. */
const JOBS_A_PAGE = 10_000;
/** Each of them has up to 400 days in it. */
const CLOSINGS_A_PAGE = 500;

/** The last id that a chapter has read, and the end of its next page. */
interface Place {
  readonly chapter: Chapter;
  readonly after: string;
  readonly to: string | null;
}

type Numbers = Record<"jobs" | "entries" | "closed" | "accounts" | "units" | "events", number>;

const textOf = (value: Row[string] | undefined): string | null => (typeof value === "string" ? value : null);

/**
 * Checks that the ledger, with its closed books, agrees with the jobs and with the metered usage. Reads page by page, so that no
 * statement takes long for any number of jobs. It sees concurrent changes or their previous state.
 * @param grant the tokens of a trial @param now epoch milliseconds
 */
export async function checkLedger(
  database: Database,
  grant: number,
  now: number,
  { read, onProgress = () => undefined, page = JOBS_A_PAGE }: LedgerCheckOptions = {},
): Promise<LedgerReport> {
  const numbers: Numbers = { jobs: 0, entries: 0, closed: 0, accounts: 0, units: 0, events: 0 };
  const findings: Row[] = [];
  let places = await beginnings(database, grant, now, page);
  while (places.length > 0) {
    const answers = await database.run(
      places.flatMap(({ chapter, ...place }) => [
        chapter.numbers(place).trim(),
        endOfPage(chapter.columns, place.to ?? place.after),
        ...chapter.queries.map(({ statement }) => statement(place).trim()),
      ]),
    );
    const ahead: Place[] = [];
    for (const { chapter, to } of places) {
      const [[counts = {}] = [], [end] = []] = answers.splice(0, 2);
      add(numbers, counts);
      for (const { problem } of chapter.queries) {
        const before = findings.filter((finding) => finding["problem"] === problem).length;
        const rows = answers.shift() ?? [];
        for (const row of rows.slice(0, MOST_OF_A_KIND - before)) findings.push({ problem, ...row });
      }
      if (to !== null) ahead.push({ chapter, after: to, to: textOf(end?.["id"]) });
    }
    places = ahead;
    const { jobs, entries, accounts, events } = numbers;
    if (places.length > 0)
      onProgress(`jobs: ${jobs}, entries: ${entries}, accounts: ${accounts}, meter events: ${events}`);
  }
  if (read) findings.push(...(await compareWithObjects(database, read, onProgress)));
  const { jobs, entries, accounts, units, closed } = numbers;
  const seen = `jobs: ${jobs}, entries: ${entries + closed} (closed: ${closed}), accounts: ${accounts}, units settled: ${units}${read ? "; closed books compared with their objects" : ""}`;
  return {
    findings,
    summary:
      findings.length === 0
        ? `The ledger agrees: ${seen}.`
        : `The ledger disagrees in ${findings.length} ${findings.length === 1 ? "place" : "places"}: ${seen}.`,
  };
}

/** The beginning of each chapter, with the end of its first page. */
async function beginnings(database: Database, grant: number, now: number, page: number): Promise<Place[]> {
  const chapters = [ofJobs(page), ofAccounts(page, grant), ofMeterEvents(page, now)];
  const ends = await database.run(chapters.map(({ columns }) => endOfPage(columns, "")));
  return chapters.map((chapter, i) => ({ chapter, after: "", to: textOf(ends[i]?.[0]?.["id"]) }));
}

function add(numbers: Numbers, counts: Row): void {
  for (const name of ["jobs", "entries", "closed", "accounts", "units", "events"] as const)
    numbers[name] += Number(counts[name] ?? 0);
}

/** Compares closed books with their objects, account by account. */
async function compareWithObjects(
  database: Database,
  read: ReadObject,
  onProgress: (progress: string) => void,
): Promise<Row[]> {
  const found: Row[] = [];
  let compared = 0;
  for (let after = ""; ;) {
    const [rows = []] = await database.run([
      sql`SELECT account_id, number, object_key, digest, sums FROM ledger_closings
            WHERE account_id > ${after} ORDER BY account_id LIMIT ${CLOSINGS_A_PAGE}`,
    ]);
    for (const row of rows) {
      const closed = ClosedBooks.parse(row);
      after = closed.account_id;
      const detail = await checkClosedBooks(closed, read);
      if (detail !== null) {
        const subject = closed.account_id;
        found.push({ problem: "closed books that differ from their objects", subject, detail });
      }
    }
    compared += rows.length;
    if (rows.length < CLOSINGS_A_PAGE) return found;
    onProgress(`closed books of ${compared} accounts compared with their objects`);
  }
}
