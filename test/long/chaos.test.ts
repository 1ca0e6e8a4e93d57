import { describePowerCuts } from "../support/node/power-cuts.ts";

describePowerCuts(Number(process.env["CHAOS_ROUNDS"] ?? 5));
