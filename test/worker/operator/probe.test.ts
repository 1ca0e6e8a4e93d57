import { PROTOCOL } from "@segmentation/protocol";
import { expect, it, vi } from "vitest";
import { AlarmProbe, DatabaseProbe, ProtocolProbe } from "../../../src/operator/contract/operator.ts";
import { Probe } from "../../../src/operator/store/probe.ts";
import { DESCRIPTION } from "../../support/worker/fakes/elsewhere.ts";
import { send } from "../../support/worker/client/api.ts";
import { home } from "../../support/worker/runtime/databases.ts";
import { notedEvents } from "../../support/worker/fakes/stripe.ts";

const probe = async (what: string): Promise<unknown> => {
  const headers = { authorization: "Bearer an-operator-token-for-the-tests-alone" };
  return (await send("POST", `/internal/operator/probe/${what}`, { headers })).body;
};

it("each database is as the service relies on, and its probe leaves nothing behind", async () => {
  const { databases } = DatabaseProbe.parse(await probe("databases"));
  expect(databases.length).toBeGreaterThan(0);
  for (const database of databases)
    expect(database).toMatchObject({ countsChanges: true, showsErrors: true });
  expect(await notedEvents()).toBe(0);
});

it("a database that counts the changes of each statement apart, or words its errors otherwise, is told", async () => {
  const counting = (between: string, message: (error: unknown) => string) =>
    new Proxy(home.DB, {
      get: (db, name) =>
        name === "batch"
          ? async (statements: D1PreparedStatement[]) => {
              const parted = statements.flatMap((one) => [db.prepare(between), one]);
              const ends = await db.batch(parted).catch((error: unknown) => {
                throw new Error(message(error));
              });
              return ends.filter((_, i) => i % 2 === 1);
            }
          : db.prepare.bind(db),
    });
  const none = "DELETE FROM stripe_events WHERE id = 'none'";
  expect(await new Probe(counting(none, String)).assumptions("probe ")).toEqual({
    countsChanges: false,
    showsErrors: true,
  });
  expect(await new Probe(counting("SELECT 1", () => "D1_ERROR")).assumptions("probe ")).toEqual({
    countsChanges: true,
    showsErrors: false,
  });
  expect(await notedEvents()).toBe(0);
});

it.each([
  [PROTOCOL, null],
  [PROTOCOL + 1, expect.stringContaining("protocol_mismatch")],
])("the inference service's version of the protocol is told: %s", async (protocol, reason) => {
  vi.spyOn(globalThis, "fetch").mockImplementation(async () => Response.json({ ...DESCRIPTION, protocol }));
  expect(ProtocolProbe.parse(await probe("protocol"))).toEqual({
    worker: PROTOCOL,
    service: protocol,
    reason,
    pools: [
      {
        name: "url",
        model: reason === null ? `${DESCRIPTION.id} ${DESCRIPTION.version}` : null,
        away: expect.anything(),
      },
    ],
  });
});

it("a service that does not answer has no version", async () => {
  vi.spyOn(globalThis, "fetch").mockRejectedValue(new TypeError("no such host"));
  const reason = "TypeError: no such host";
  expect(await probe("protocol")).toEqual({
    worker: PROTOCOL,
    service: null,
    reason,
    pools: [{ name: "url", model: null, away: reason }],
  });
});

it("an alarm's delay is measured", async () => {
  expect(AlarmProbe.parse(await probe("alarm")).lateMs).toBeGreaterThanOrEqual(0);
});
