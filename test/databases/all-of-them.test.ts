import { createMessageBatch } from "cloudflare:test";
import { beforeEach, describe, expect, it, vi } from "vitest";
import worker from "../../src/index.ts";
import { secretsOf } from "../../src/feature-settings.ts";
import { sealSecrets } from "../../src/webhooks/rules/signing.ts";
import { inputKey } from "../../src/shared/bucket/object-keys.ts";
import { platformOf, type Platform } from "../../src/platform.ts";
import { resealSecrets } from "../../src/operator/operations/reseal-secrets.ts";
import { Directory } from "../../src/accounts/store/directory.ts";
import { newClient } from "../support/worker/client/api.ts";
import { deliverIn } from "../support/worker/fakes/inference.ts";
import { presign } from "../support/worker/fixtures/jobs.ts";
import { PATIENT } from "../support/worker/runtime/time.ts";
import {
  database,
  databaseThrough,
  inDatabase,
  useDatabases,
  withDatabases,
} from "../support/worker/runtime/several.ts";
import { newEndpoint } from "../support/worker/fakes/webhooks.ts";

const environment = useDatabases(4);
const EACH = ["DB", "DB_2", "DB_4"];
let platform: Platform;

beforeEach(() => {
  platform = platformOf(environment);
});

/** An upload of a new account in a database, and the bucket's event about it. */
const uploadIn = (name: string, size: number) =>
  inDatabase(name, async () => {
    const client = await newClient();
    const taskId = await presign(client);
    const key = inputKey(client.accountId, taskId);
    const eventTime = new Date().toISOString();
    return {
      taskId,
      event: { bucket: "segmentation-media", action: "PutObject", object: { key, size }, eventTime },
    };
  });

const sizeIn = (name: string, taskId: string) =>
  database(name).prepare("SELECT size FROM uploads WHERE task_id = ?1").bind(taskId).first<number>("size");

describe("a batch of the bucket's events", () => {
  it("brings the sizes of uploads in each database, by one read of the directory", async () => {
    const uploads: Awaited<ReturnType<typeof uploadIn>>[] = [];
    for (const [i, name] of EACH.entries()) uploads.push(await uploadIn(name, 40 + i));
    const read = vi.spyOn(Directory.prototype, "databasesOf");
    await deliverIn(environment, "segmentation-uploads", ...uploads.map(({ event }) => event));
    const sizes = await Promise.all(uploads.map(({ taskId }, i) => sizeIn(EACH[i] ?? "DB", taskId)));
    expect(sizes).toEqual([40, 41, 42]);
    expect(read).toHaveBeenCalledOnce();
  });

  it("records those of every database while one is slow and another one away, and gets only that one's again", async () => {
    const uploads: Awaited<ReturnType<typeof uploadIn>>[] = [];
    for (const name of EACH) uploads.push(await uploadIn(name, 40));
    const failing = withDatabases(4, {
      DB_2: databaseThrough(database("DB_2"), () => Promise.reject(new Error("Network connection lost."))),
      DB_4: databaseThrough(database("DB_4"), () => new Promise(() => {})),
    });
    const timestamp = new Date();
    const messages = uploads.map(({ event: body }, i) => {
      return {
        id: `m${i}`,
        timestamp,
        attempts: 1,
        body,
        ack: vi.fn<() => void>(),
        retry: vi.fn<() => void>(),
      };
    });
    const { queue, metadata } = createMessageBatch("segmentation-uploads", []);
    const batch = { queue, metadata, messages, ackAll: () => {}, retryAll: () => {} };
    // Not awaited: the fourth database never answers.
    void worker.queue(batch, failing);
    await vi.waitFor(() => {
      const calls = messages.map(({ ack, retry }) => [ack.mock.calls.length, retry.mock.calls.length]);
      expect(calls).toEqual([
        [1, 0],
        [0, 1],
        [0, 0],
      ]);
    }, PATIENT);
  });

  it("needs no directory if there is one database", async () => {
    const { taskId, event } = await uploadIn("DB", 40);
    const read = vi.spyOn(Directory.prototype, "databasesOf");
    await deliverIn(withDatabases(1), "segmentation-uploads", event);
    expect(await sizeIn("DB", taskId)).toBe(40);
    expect(read).not.toHaveBeenCalled();
  });
});

describe("a rotation of the master secret", () => {
  it("seals the endpoints' secrets of each database with the new one", async () => {
    const former = { ...platform.settings, MASTER_SECRET: "a former secret of the tests of 43 characters-" };
    const { MASTER_SECRET: current } = platform.settings;
    for (const name of EACH) {
      await inDatabase(name, async () => {
        const { endpointId } = await newEndpoint(await newClient());
        const sealed = await sealSecrets(secretsOf(former), endpointId, [
          { secret: "whsec_c2VjcmV0", validUntil: Date.now() + 1_000_000 },
        ]);
        await database(name)
          .prepare("UPDATE webhook_endpoints SET secrets = ?2 WHERE id = ?1")
          .bind(endpointId, sealed)
          .run();
      });
    }
    const settings = {
      ...platform.settings,
      MASTER_SECRET: current,
      MASTER_SECRET_PREVIOUS: former.MASTER_SECRET,
    };
    const rotating = { ...platform, settings };
    const counts = { looked: 0, resealed: 0, unreadable: 0 };
    let after: string | null = "";
    for (let pages = 0; after !== null && pages < 10; pages += 1) {
      const page = await resealSecrets(rotating, after);
      counts.looked += page.looked;
      counts.resealed += page.resealed;
      counts.unreadable += page.unreadable.length;
      after = page.next;
    }
    expect({ ...counts, after }).toEqual({ looked: 3, resealed: 3, unreadable: 0, after: null });
  });
});
