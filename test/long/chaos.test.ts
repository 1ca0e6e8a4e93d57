import { EMBEDDED, PLANTED } from "../support/chaos/models.ts";
import { describePowerCuts } from "../support/node/power-cuts.ts";

describePowerCuts({ rounds: 1, jobsPerRound: 20, model: EMBEDDED });

describePowerCuts({
  rounds: Number(process.env["CHAOS_ROUNDS"] ?? 20),
  jobsPerRound: Number(process.env["CHAOS_JOBS"] ?? 100),
  model: PLANTED,
});
