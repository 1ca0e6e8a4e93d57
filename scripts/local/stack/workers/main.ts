/** The Worker of a local stack; wrangler.toml names the deployed one. */
import service from "../../../../src/index.ts";
import { withStorage } from "./with-storage.ts";

export { AccountStreams, InferenceGateway, JobObject, WebhookObject } from "../../../../src/index.ts";

export default withStorage(service);
