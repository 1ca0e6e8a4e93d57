import { runService } from "./run-service.ts";

await runService(new URL("models/load.ts", import.meta.url).href);
