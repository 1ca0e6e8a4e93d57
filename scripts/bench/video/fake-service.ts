/** The inference service as a process, with the fake model. */
import { runService } from "../../../inference-container/src/run-service.ts";

await runService(new URL("fake-model.ts", import.meta.url).href);
