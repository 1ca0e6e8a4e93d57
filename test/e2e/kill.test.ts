import { FIXTURE } from "../support/chaos/models.ts";
import { describePowerCuts } from "../support/stack/power-cuts.ts";

// `npm run chaos` has more rounds and jobs, and a round with the embedded model.
describePowerCuts({ rounds: 1, jobsPerRound: 8, model: FIXTURE, lateSeconds: 2 });
