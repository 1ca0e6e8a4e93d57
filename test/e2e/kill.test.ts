import { describePowerCuts } from "../support/node/power-cuts.ts";

// `npm run chaos` has more rounds.
describePowerCuts(1);
