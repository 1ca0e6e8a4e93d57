import { configureGlobal } from "fast-check";

// The run's one seed, chosen and printed by vitest.config.ts; SEED=… runs the same again.
configureGlobal({ seed: Number(process.env["SEED"]) });
