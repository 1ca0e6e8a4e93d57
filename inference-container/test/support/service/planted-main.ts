/** The service as a process, with the planted model or another of this folder that the first argument names. */
import { runService } from "../../../src/run-service.ts";

await runService(new URL(process.argv[2] ?? "planted-model.ts", import.meta.url).href);
