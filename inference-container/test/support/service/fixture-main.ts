/** The service as a process, with the fixture model or another of this folder that the first argument names. */
import { runService } from "../../../src/run-service.ts";

await runService(new URL(process.argv[2] ?? "fixture-model.ts", import.meta.url).href);
