/** The service as a process, with the fixture model without regions. */
import { runService } from "../../../src/run-service.ts";

await runService(new URL("plain-model.ts", import.meta.url).href);
