import { PROTOCOL } from "@segmentation/protocol";
import type { AlarmProbe, DatabaseProbe, ProtocolProbe } from "../contract/operator.ts";
import type { InferencePool } from "../../models/store/inference-pool.ts";
import type { Platform } from "../../platform.ts";

/** Tests undocumented behavior of D1 that the service relies on, in each database. */
export async function probeDatabases({ databases, at }: Platform): Promise<DatabaseProbe> {
  const id = `probe ${crypto.randomUUID()} `;
  return {
    databases: await Promise.all(
      databases.map(async (name) => ({ name, ...(await at(name).probe.assumptions(id)) })),
    ),
  };
}

/** Sets an alarm in a separate object, which then forgets everything, and waits for it. */
export const probeAlarm = async ({ accountStreams }: Platform): Promise<AlarmProbe> => ({
  lateMs: await accountStreams(`probe ${crypto.randomUUID()}`).alarmDelay(),
});

/** Asks the inference services for their version of the protocol, and each pool whether it takes tasks. Containers start for it. */
export async function probeProtocol({ inference }: Platform, now: number): Promise<ProtocolProbe> {
  const pools = await Promise.all(inference.pools.map((pool) => probePool(pool, now)));
  const model = await inference.describeModel();
  if (!("reason" in model)) return { worker: PROTOCOL, service: model.protocol, reason: null, pools };
  return { worker: PROTOCOL, service: model.otherProtocol ?? null, reason: model.reason, pools };
}

async function probePool(pool: InferencePool, now: number): Promise<ProtocolProbe["pools"][number]> {
  const waiting = { lane: "interactive", type: "image", account: "probe", acceptedAt: now } as const;
  const [model, room] = await Promise.all([pool.describeModel(), pool.room([waiting], "probe")]);
  const isKnown = !("reason" in model);
  return {
    name: pool.name,
    model: isKnown ? `${model.id} ${model.version}` : null,
    away: room?.away?.reason ?? (isKnown ? null : model.reason),
  };
}
