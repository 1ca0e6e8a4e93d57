import { configureGlobal } from "fast-check";

// vitest.config.ts chooses and prints the run's seed; SEED=… repeats a run.
configureGlobal({ seed: Number(process.env["SEED"]) });
