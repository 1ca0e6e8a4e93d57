/** The Worker of a deployment with containers that a test serves on this machine. */
import { withStorage } from "../../../../scripts/local/stack/workers/with-storage.ts";
import type { Env } from "../../../../src/env.ts";
import service from "../../../../src/index.ts";
import { TestedContainer } from "../../worker/machines/tested-container.ts";

export {
  AccountStreams,
  ContainerProxy,
  InferenceGateway,
  JobObject,
  WebhookObject,
} from "../../../../src/index.ts";

interface ServedEnv extends Env {
  /** The origin of the machines' host. */
  readonly MACHINES: string;
}

/** The object of a container, whose machine is a process that the test's host starts. */
export class InferenceContainer extends TestedContainer {
  constructor(ctx: DurableObjectState<object>, env: ServedEnv) {
    const fetchFrom: typeof fetch = (input, init) => {
      const { pathname } = new URL(input instanceof Request ? input.url : input);
      return fetch(env.MACHINES + pathname, init);
    };
    super(ctx, { ...env, MACHINE_HOST: { fetch: fetchFrom } });
  }
}

export default withStorage(service);
