import { EMBEDDED, FIXTURE } from "../support/chaos/models.ts";
import { describePowerCuts } from "../support/stack/power-cuts.ts";

/** As late as the platform says that it may be. */
const lateSeconds = 60;

describePowerCuts({ rounds: 1, jobsPerRound: 20, model: EMBEDDED, lateSeconds });

describePowerCuts({
  rounds: Number(process.env["CHAOS_ROUNDS"] ?? 20),
  jobsPerRound: Number(process.env["CHAOS_JOBS"] ?? 100),
  model: FIXTURE,
  lateSeconds,
});
