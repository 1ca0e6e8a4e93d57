import { PLANTED } from "../support/chaos/models.ts";
import { describePowerCuts } from "../support/node/power-cuts.ts";

describePowerCuts({
  rounds: Number(process.env["CHAOS_ROUNDS"] ?? 20),
  jobsPerRound: Number(process.env["CHAOS_JOBS"] ?? 100),
  model: PLANTED,
});
