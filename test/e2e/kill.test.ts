import { EMBEDDED } from "../support/chaos/models.ts";
import { describePowerCuts } from "../support/node/power-cuts.ts";

// `npm run chaos` has more rounds and jobs, of a model that is faster.
describePowerCuts({ rounds: 1, jobsPerRound: 20, model: EMBEDDED });
