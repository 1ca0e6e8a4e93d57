import { PROTOCOL } from "@segmentation/protocol";
import type { AlarmProbe, DatabaseProbe, ProtocolProbe } from "../contract/operator.ts";
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

/** Asks the inference service for its version of the protocol. */
export async function probeProtocol({ inference }: Platform): Promise<ProtocolProbe> {
  const model = await inference.describeModel();
  if (!("reason" in model)) return { worker: PROTOCOL, service: model.protocol, reason: null };
  return { worker: PROTOCOL, service: model.otherProtocol ?? null, reason: model.reason };
}
