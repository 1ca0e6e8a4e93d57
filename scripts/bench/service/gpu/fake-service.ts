/** The inference service as a process, with the fake for a GPU. */
import { runService } from "../../../../inference-container/src/run-service.ts";

await runService(new URL("model.ts", import.meta.url).href);
