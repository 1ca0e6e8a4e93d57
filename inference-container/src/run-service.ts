import pino from "pino";
import { messageOf } from "./errors.ts";
import { startService } from "./service.ts";
import { readSettings } from "./settings.ts";

/** Ctrl-C reaches a whole process group, and a launcher may forward it as well: both count as one signal. */
const SAME_SIGNAL_MS = 1_000;

/**
 * Runs the service as a process: reads the settings from the environment, logs to stdout, drains at SIGTERM or SIGINT.
 * Exits with 0. Exits with 1 if it gave up tasks, after a second signal, or if the model can't be loaded or used on any
 * device. Exits with 2 if the settings are wrong.
 *
 * @param loader URL of the module that exports `loadModel`
 */
export async function runService(loader: string): Promise<void> {
  let settings;
  try {
    settings = readSettings(process.env);
  } catch (error) {
    pino({ base: null }).fatal({ reason: messageOf(error) }, "settings_wrong");
    process.exit(2);
  }
  const log = pino({ level: settings.logLevel, base: null, timestamp: pino.stdTimeFunctions.isoTime });
  let isReady = false;
  try {
    const service = await startService(settings, loader, log);
    let stoppingSince: number | undefined;
    const stop = async (signal: string): Promise<void> => {
      if (stoppingSince !== undefined) {
        if (performance.now() - stoppingSince > SAME_SIGNAL_MS) process.exit(1);
        return;
      }
      stoppingSince = performance.now();
      log.info({ signal }, "draining");
      const finished = await service.drain();
      log.info({ finished }, "stopped");
      process.exit(finished ? 0 : 1);
    };
    process.on("SIGTERM", (signal) => void stop(signal));
    process.on("SIGINT", (signal) => void stop(signal));
    const ready = service.ready.then(() => void (isReady = true));
    await Promise.all([ready, service.lost]).catch(async (error: unknown) => {
      await service.drain();
      throw error;
    });
  } catch (error) {
    const reason = messageOf(error);
    if (isReady) log.fatal({ reason }, "devices_lost");
    else log.fatal({ reason }, "start_failed");
    process.exit(1);
  }
}
