import { setTimeout as sleep } from "node:timers/promises";
import type { Database } from "../../shared/database/database.ts";
import { LeftOut, NO_LOCAL_URLS, type Row, Wrong } from "./row.ts";
import { importRefusal } from "./service-rows.ts";
import { request, seconds, within, type World } from "./world.ts";

/** Time after which an import's client disconnects. */
const GONE_AFTER_MS = 700;

/** Begins an import and goes away in the middle. */
async function leaveImport(world: World, url: string): Promise<void> {
  const gone = new AbortController();
  const importing = request(world, "POST", "/v1/uploads/import", {
    body: { url },
    signal: AbortSignal.any([world.signal, gone.signal]),
  }).catch(() => null);
  const { local, form, signal } = world;
  if (local !== null) {
    const begun = async () => local.server.reading.from;
    if ((await within(form.letGoMs, begun, signal)) === null) {
      gone.abort();
      throw new LeftOut(NO_LOCAL_URLS);
    }
  }
  await sleep(GONE_AFTER_MS, undefined, { signal });
  gone.abort();
  const response = await importing;
  if (response === null) return;
  const answer: unknown = await response.json();
  if (typeof answer === "object" && answer !== null && "taskId" in answer)
    world.made.uploads.add(String(answer.taskId));
  throw new LeftOut(
    `the import ended with ${response.status} before its client could go: name a larger file, --import-url`,
  );
}

/** Returns the account's uploads between two times (epoch ms) that this verification did not make. */
async function remainsOf(
  { made }: World,
  database: Database,
  accountId: string,
  [from, to]: readonly [number, number],
): Promise<number> {
  const sql = `SELECT task_id FROM uploads WHERE account_id = '${accountId.replaceAll("'", "''")}' AND created_at BETWEEN ${from} AND ${to}`;
  const rows = (await database.run([sql]))[0] ?? [];
  return rows.filter(({ task_id: id }) => !made.uploads.has(String(id))).length;
}

/** Rows about the service's requests to others: that it aborts them, and refuses forbidden hosts. */
export const OUTSIDE_ROWS: readonly Row[] = [
  {
    name: "an import whose client goes away",
    mend: "add enable_request_signal to compatibility_flags: without it, an import continues after its client has gone",
    run: async (world) => {
      const { local, named, form, signal, database } = world;
      if (local !== null) {
        await leaveImport(world, local.server.url("/endless"));
        const left = Date.now();
        const until = await within(form.letGoMs, async () => local.server.reading.until, signal);
        if (until === null)
          throw new Wrong(
            `the service still reads its source ${seconds(form.letGoMs)} after its client has gone`,
          );
        return `the service let its source go ${seconds(Math.max(0, until - left))} later`;
      }
      if (named.importUrl === undefined)
        throw new LeftOut("name a picture or video of 50 MB or more on the Internet: --import-url https://…");
      if ("reason" in database) throw new LeftOut(`the database cannot be asked: ${database.reason}`);
      const { accountId } = await world.client.api.getAccount(undefined, { signal });
      const since = Date.now();
      await leaveImport(world, named.importUrl);
      const left = Date.now();
      await sleep(form.letGoMs, undefined, { signal });
      const remains = await remainsOf(world, database, accountId, [since, left]);
      if (remains > 0) throw new Wrong(`${remains} uploads remain of an import whose client went away`);
      return `nothing of it remains ${seconds(form.letGoMs)} later`;
    },
  },
  {
    name: "a fetch to the own zone",
    mend: "add global_fetch_strictly_public to compatibility_flags: without it, webhooks and imports reach other hosts of your domain past firewall and Access",
    run: async (world) => {
      const { local, named, baseUrl } = world;
      if (named.protectedUrl !== undefined) {
        const code = await importRefusal(world, named.protectedUrl);
        // The page on which one would have to sign in is no picture.
        if (code === "success") throw new Wrong(`an import of ${named.protectedUrl} got through`);
        return `an import of ${named.protectedUrl} ends with ${code}`;
      }
      if (local === null)
        throw new LeftOut(
          "name a host of the service's zone that only your firewall or Access protects, at a path that answers a picture: --protected-url https://…",
        );
      // Nothing here has a zone; but the way round by a redirect is the same.
      const moved = local.server.url(`/moved?to=${encodeURIComponent(`${baseUrl}/healthz`)}`);
      const code = await importRefusal(world, moved);
      if (local.server.moved === 0) throw new LeftOut(NO_LOCAL_URLS);
      if (code !== "url_forbidden") throw new Wrong(`a redirect to the service itself ends with ${code}`);
      return "a redirect to the service itself is refused; a local stack has no zone";
    },
  },
];
