/** The service as a process, with the planted model. */
import { runService } from "../../src/run-service.ts";

await runService(new URL("planted-model.ts", import.meta.url).href);
