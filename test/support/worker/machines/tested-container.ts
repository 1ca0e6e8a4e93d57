import type { Env } from "../../../../src/env.ts";
import { InferenceContainer } from "../../../../src/models/object/inference-container.ts";
import { FakeContainer } from "./fake-container.ts";

interface HostedEnv extends Env {
  readonly MACHINE_HOST: Pick<Fetcher, "fetch">;
}

/** The object of a container, with a fake machine that may sleep after a second once a test lets it. */
export class TestedContainer extends InferenceContainer {
  readonly fake: FakeContainer;
  override sleepAfter = 1;
  /** True to let the machine sleep. On a busy computer, it would otherwise sleep before a test has seen it awake. */
  maySleep = false;
  /** Number of times that its machine could have been put to sleep. */
  expired = 0;

  constructor(ctx: ConstructorParameters<typeof InferenceContainer>[0], env: HostedEnv) {
    const fake = new FakeContainer(env.MACHINE_HOST, ctx.id.toString());
    // The runtime accepts only its own state, so this replaces one property of it.
    Object.defineProperty(ctx, "container", { value: fake, configurable: true });
    super(ctx, env);
    this.fake = fake;
  }

  override async onActivityExpired(): Promise<void> {
    if (!this.maySleep) return;
    await super.onActivityExpired();
    this.expired += 1;
  }

  /** Changes settings, as a deployment does. */
  set(settings: Readonly<Record<string, string>>): void {
    this.env = { ...this.env, ...settings };
  }

  /** Ends the object, but not its machine. */
  restart(): void {
    this.ctx.abort();
  }
}
