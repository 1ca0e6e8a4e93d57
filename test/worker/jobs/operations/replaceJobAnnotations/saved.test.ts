import { abortAllDurableObjects } from "cloudflare:test";
import { env } from "cloudflare:workers";
import fc from "fast-check";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { JobAnnotations, SavedAnnotations } from "../../../../../src/jobs/contract/annotations.ts";
import { type Answer, type Client, newClient } from "../../../../support/worker/client/api.ts";
import { annotations, saveAnnotations } from "../../../../support/worker/fixtures/annotations.ts";
import { ring, successfulJob } from "../../../../support/worker/fixtures/archives.ts";
import { later } from "../../../../support/worker/runtime/time.ts";
import { storedOf } from "../../../../support/worker/runtime/traces.ts";
import { expectError } from "../../../../support/worker/client/wire.ts";
import { isLong } from "../../../../support/worker/client/random.ts";

let client: Client;
let jobId: string;
let taskId: string;
beforeEach(async () => {
  client = await newClient();
  const job = await successfulJob(client);
  ({ jobId } = job);
  taskId = job.tasks[0] ?? "";
});

const noted = (note: string) => annotations([{ taskId, note, objects: [] }]);
const save = (base: number, note: string): Promise<Answer> =>
  saveAnnotations(client, jobId, base, noted(note));
const read = async () =>
  JobAnnotations.parse((await client.send("GET", `/v1/jobs/${jobId}/annotations`)).body);
const noteOf = ({ document }: JobAnnotations): string => document.tasks[0]?.note ?? "";

describe("replaceJobAnnotations 200", () => {
  it("counts versions, in the body and the ETag, and keeps the last [A25-2]", async () => {
    for (const [base, note] of ["a", "b", "c"].entries()) {
      const { status, body, headers } = await save(base, note);
      expect(status).toBe(200);
      expect(SavedAnnotations.parse(body).version).toBe(base + 1);
      expect(headers.get("etag")).toBe(`"${base + 1}"`);
    }
    expect(noteOf(await read())).toBe("c");
  });

  it("answers a repeated request like the first, and changes nothing [A25-3]", async () => {
    await save(0, "a");
    const first = await save(1, "b");
    later(60_000);
    for (const base of [1, 2]) {
      const again = await save(base, "b");
      expect(again.status).toBe(200);
      expect(again.body).toEqual(first.body);
    }
    expectError(await save(0, "b"), 412, "version_conflict");
    expect((await read()).version).toBe(2);
  });

  it("takes an ETag that a proxy has made weak [A25-2]", async () => {
    const path = `/v1/jobs/${jobId}/annotations`;
    const { status } = await client.send("PUT", path, { document: noted("a") }, { "if-match": 'W/"0"' });
    expect(status).toBe(200);
  });

  it("accepts an answer of GET unchanged, and costs nothing [A25-2]", async () => {
    const usage = () => client.send("GET", "/v1/account/usage");
    const before = (await usage()).body;
    const answer = await read();
    const path = `/v1/jobs/${jobId}/annotations`;
    expect((await client.send("PUT", path, answer, { "if-match": '"0"' })).status).toBe(200);
    expect((await usage()).body).toEqual(before);
  });

  it("survives a restart of the job's object [A25-2]", async () => {
    await save(0, "a");
    await abortAllDurableObjects();
    expect(noteOf(await read())).toBe("a");
  });

  it.runIf(isLong)(
    "loses nothing silently: of several writers, each accepted version is based on the one before [A25-3]",
    async () => {
      await fc.assert(
        fc.asyncProperty(
          // The next actor: reads, saves its last read with its mark, or repeats its last request.
          fc.array(fc.tuple(fc.nat({ max: 3 }), fc.constantFrom("read", "save", "repeat", "both")), {
            minLength: 5,
            maxLength: 25,
          }),
          async (steps) => {
            const start = await read();
            const writers = Array.from({ length: 4 }, () => ({
              base: start.version,
              note: noteOf(start),
              last: { base: -1, note: "" },
            }));
            const accepted = new Map([[start.version, noteOf(start)]]);
            const send = async (writer: (typeof writers)[number], base: number, note: string) => {
              const { status, body, headers } = await save(base, note);
              if (status === 200) {
                const version = Number(body.version);
                // An accepted version never changes.
                expect(accepted.get(version) ?? note).toBe(note);
                accepted.set(version, note);
                Object.assign(writer, { base: version, note });
              } else {
                expectError({ status, body, headers, replayed: null }, 412, "version_conflict");
                expect(Number(headers.get("etag")?.slice(1, -1))).not.toBe(base);
              }
            };
            for (const [i, [who, act]] of steps.entries()) {
              const writer = writers[who];
              if (writer === undefined) continue;
              if (act === "read") {
                const now = await read();
                Object.assign(writer, { base: now.version, note: noteOf(now) });
              } else if (act === "repeat") {
                if (writer.last.base >= 0) await send(writer, writer.last.base, writer.last.note);
              } else {
                const other = writers[(who + 1) % 4] ?? writer;
                const mine = { base: writer.base, note: `${writer.note}${who}.${i} ` };
                writer.last = mine;
                const sent = [send(writer, mine.base, mine.note)];
                if (act === "both") sent.push(send(other, other.base, `${other.note}${who}!${i} `));
                await Promise.all(sent);
              }
            }
            const end = await read();
            // Every writer appends to the document that it has read: the last document has all marks of all versions before it, in order.
            const chain = [...accepted].toSorted(([a], [b]) => a - b);
            for (const [at, [version, note]] of chain.entries()) {
              const [previous, before] = chain[at - 1] ?? [version - 1, ""];
              expect(version).toBe(previous + 1);
              expect(note.startsWith(before)).toBe(true);
            }
            expect(chain.at(-1)).toEqual([end.version, noteOf(end)]);
            // The next run begins with a short note.
            await save(end.version, "");
          },
        ),
        { seed: Number(env.SEED), numRuns: 12, endOnFailure: true },
      );
    },
  );
});

describe("a job's annotations", () => {
  it("are deleted with the job, at once [A25-6]", async () => {
    await save(0, "a secret note");
    expect((await storedOf(jobId)).join()).toContain("a secret note");
    expect((await client.send("DELETE", `/v1/jobs/${jobId}`)).status).toBe(204);
    expect((await storedOf(jobId)).join()).not.toContain("a secret note");
    expectError(await client.send("GET", `/v1/jobs/${jobId}/annotations`), 404, "job_not_found");
    expectError(await save(1, "b"), 404, "job_not_found");
  });

  it("are deleted at the end of the retention [A25-6]", async () => {
    await save(0, "a secret note");
    vi.spyOn(console, "log").mockImplementation(() => {});
    later(31 * 86_400_000);
    await ring(jobId);
    expect((await storedOf(jobId)).join()).not.toContain("a secret note");
  });
});
