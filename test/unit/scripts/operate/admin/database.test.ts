import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { listen } from "../../../../../scripts/shared/listen.ts";
import { openLocalDatabase } from "../../../../../scripts/shared/database/database.ts";
import type { FileLock } from "../../../../../scripts/shared/file-lock.ts";
import { lockFolder } from "../../../../../scripts/shared/state/folder-lock.ts";
import { writePrivateFile } from "../../../../../scripts/shared/state/private-file.ts";
import { loadSecrets } from "../../../../../scripts/shared/state/secrets.ts";
import {
  type StackAddress,
  createStateFolder,
  type StateFolder,
  stateFolder,
} from "../../../../../scripts/shared/state/state-folder.ts";

describe("the database of a local stack that runs", () => {
  let state: StateFolder;
  let lock: FileLock;
  beforeEach(async () => {
    state = stateFolder(await mkdtemp(join(tmpdir(), "admin-database-")));
    await createStateFolder(state);
    lock = lockFolder(state);
  });
  afterEach(async () => {
    lock.release();
    await rm(state.path, { recursive: true });
  });

  it("is reached through the Worker, which has the file open, and never opened a second time", async () => {
    const seen: unknown[] = [];
    const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
      const { method, url, headers } = request;
      seen.push({ method, url, token: headers.authorization, body: JSON.parse(await text(request)) });
      response.end(JSON.stringify({ results: [[{ one: 1 }], []] }));
    };
    const server = createServer((request, response) => void answer(request, response));
    const url = await listen(server);
    const { OPERATOR_TOKEN } = await loadSecrets(state);
    const ready: StackAddress = { baseUrl: url, apiKey: "", inferenceUrl: url };
    await writePrivateFile(state.ready, JSON.stringify(ready));

    const statements = ["SELECT 1 AS one", "DELETE FROM dead_letters"];
    const database = await openLocalDatabase(state);
    expect(await database.run(statements)).toEqual([[{ one: 1 }], []]);
    expect(seen).toEqual([
      {
        method: "POST",
        url: "/internal/operator/sql",
        token: `Bearer ${OPERATOR_TOKEN}`,
        body: { database: "DB", statements },
      },
    ]);
    server.close();
  });

  it("is left alone while the stack is being started or stopped", async () => {
    await expect(openLocalDatabase(state)).rejects.toThrow("wait until it is ready");
  });
});
