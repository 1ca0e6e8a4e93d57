/** The inference service as a process, with the stand-in model. */
import { runService } from "../../../inference-container/src/run-service.ts";

await runService(new URL("stand-in-model.ts", import.meta.url).href);
