import type { AlarmProbe, DatabaseProbe } from "../contract/operator.ts";
import type { Platform } from "../../platform.ts";

/** Tries out what the service relies on and D1 does not document, in each database. */
export async function probeDatabases({ databases, at }: Platform): Promise<DatabaseProbe> {
  const id = `probe ${crypto.randomUUID()} `;
  return {
    databases: await Promise.all(
      databases.map(async (name) => ({ name, ...(await at(name).probe.assumptions(id)) })),
    ),
  };
}

/** Sets an alarm in an object of its own, which then forgets everything, and waits for it. */
export const probeAlarm = async ({ accountStreams }: Platform): Promise<AlarmProbe> => ({
  lateMs: await accountStreams(`probe ${crypto.randomUUID()}`).alarmDelay(),
});
