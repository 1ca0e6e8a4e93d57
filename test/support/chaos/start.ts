/**
 * Runs a stack as `npm start` does, with or without faults. CHAOS_SERVICE is the inference service's script, and CHAOS_MODEL
 * its model, if that has no folder; CHAOS_SEED, if it is set, puts the fault shims in their places.
 */
import { runCommand } from "../../../scripts/shared/command-line.ts";
import { startStack } from "../../../scripts/local/stack/start-stack.ts";

const {
  CHAOS_SEED: seed,
  CHAOS_LATE_SECONDS: late = "0",
  CHAOS_SERVICE: service,
  CHAOS_MODEL: modelFolder,
  STATE_DIR: stateDir,
} = process.env;

await runCommand(async (signal) => {
  const stack = await startStack({
    port: 0,
    stateDir,
    fakes: true,
    ...(modelFolder !== undefined && { modelFolder }),
    onProgress: (sentence) => console.log(sentence),
    signal,
    ...(seed === undefined
      ? { mains: { inference: service } }
      : {
          settings: { CHAOS_SEED: seed, CHAOS_LATE_SECONDS: late },
          mains: {
            worker: "test/support/chaos/worker/main.ts",
            inference: "test/support/chaos/inference-main.ts",
          },
        }),
  });
  const interrupted = new Promise<null>((resolve) => {
    signal.addEventListener("abort", () => resolve(null), { once: true });
  });
  const failure = await Promise.race([interrupted, stack.crashed]);
  await stack.stop();
  if (failure !== null) throw failure;
  return 0;
});
