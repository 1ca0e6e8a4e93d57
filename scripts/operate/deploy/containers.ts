import { Failure, usageError } from "../../shared/command-line.ts";
import type { Configuration } from "../../shared/cloudflare/configuration.ts";
import {
  costSentence,
  INSTANCE_TYPES,
  type InstanceType,
  isInstanceType,
} from "../../shared/cloudflare/container-prices.ts";
import { addToOperatorFile } from "../../shared/cloudflare/operator-file.ts";
import type { Operator } from "../../shared/operator.ts";

export const CONTAINER_BINDING = "INFERENCE_CONTAINER";
const CLASS_NAME = "InferenceContainer";
const MIGRATION = "inference-container";
const DOCKERFILE = "inference-container/Dockerfile";
const MOST_INSTANCES = 50;
/** The models that the Dockerfile can build in. */
const MODELS = ["builtin", "builtin-fast"] as const;
/** Time to finish tasks before a machine is replaced. */
const GRACE_SECONDS = 600;

/** The options about containers. */
export interface ContainerOptions {
  readonly instance?: string | undefined;
  readonly instances?: string | undefined;
  readonly image?: string | undefined;
  readonly model?: string | undefined;
}

/** Returns the configuration's containers for inference; undefined if it has none. */
const containersIn = ({ containers }: Configuration) =>
  containers.find((each) => each.class_name === CLASS_NAME);

export const hasContainerBinding = ({ durable_objects: { bindings } }: Configuration): boolean =>
  bindings.some(({ name }) => name === CONTAINER_BINDING);

const REGISTRIES = "docker.io, registry.cloudflare.com, ECR or Google's Artifact Registry";

/** Returns an image's problem; null if Cloudflare can fetch it. */
function imageProblem(image: string): string | null {
  const [registry = ""] = image.split("/");
  if (registry === "ghcr.io") return `Cloudflare can't fetch from ghcr.io: push the image to ${REGISTRIES}`;
  if (!/^[\w.-]+\.[a-z]+\/.+$/.test(image)) return `it must begin with its registry: ${REGISTRIES}`;
  return /:[\w.-]+$/.test(image) && !image.endsWith(":latest")
    ? null
    : "it needs a tag, and not latest: by another tag, Cloudflare sees that the image is another one";
}

const isCount = (text: string): boolean =>
  /^\d+$/.test(text) && Number(text) >= 1 && Number(text) <= MOST_INSTANCES;

/** An option's value: from the command line, or from the operator, or the default. @throws a usage error */
async function valueOf(
  option: string,
  given: string | undefined,
  { ask }: Operator,
  question: string,
  standard: string,
  problemOf: (text: string) => string | null,
): Promise<string> {
  if (given !== undefined) {
    const problem = problemOf(given);
    if (problem === null) return given;
    throw usageError(`--${option} cannot be ${given}: ${problem}.\nSee: npm run deploy -- --help`);
  }
  if (ask === null) return standard;
  for (let reason = ""; ;) {
    const answer = await ask(`${question}${reason}`);
    if (answer === "") return standard;
    const problem = problemOf(answer);
    if (problem === null) return answer;
    reason = ` (${problem})`;
  }
}

const TYPES = Object.keys(INSTANCE_TYPES).filter(isInstanceType);

async function typeOf(given: string | undefined, operator: Operator): Promise<InstanceType> {
  const answer = await valueOf(
    "instance",
    given,
    operator,
    `Which instance type?\n${TYPES.map((type) => `  ${costSentence(type)}\n`).join("")}(Enter: standard-3)`,
    "standard-3",
    (text) => (isInstanceType(text) ? null : `it must be ${TYPES.join(", ")}`),
  );
  return isInstanceType(answer) ? answer : "standard-3";
}

/** Says which part of existing containers differs from the command line; nothing is changed. @throws Failure */
function checkExisting(configuration: Configuration, options: ContainerOptions): void {
  const existing = containersIn(configuration);
  const pairs = [
    ["instance_type", options.instance, existing?.instance_type],
    ["max_instances", options.instances, existing?.max_instances],
    ["image", options.image, existing?.image],
  ] as const;
  for (const [name, given, present] of pairs) {
    if (given === undefined || given === String(present)) continue;
    throw new Failure(
      `The containers have ${name} = ${String(present)} already. Change it in [[containers]] of ${configuration.file}${name === "max_instances" ? ", and CONTAINER_INSTANCES in [vars] with it" : ""}.`,
    );
  }
}

/**
 * Writes containers for inference into the operator's file, unless it has them.
 * @param withoutUrl true if no service at a URL is used in addition
 * @throws Failure, a usage error
 */
export async function addContainers(
  configuration: Configuration,
  options: ContainerOptions,
  withoutUrl: boolean,
  operator: Operator,
  say: (sentence: string) => void,
): Promise<void> {
  if (hasContainerBinding(configuration)) return checkExisting(configuration, options);
  const type = await typeOf(options.instance, operator);
  const count = await valueOf(
    "instances",
    options.instances,
    operator,
    "How many containers at most? One more starts only when all are full. (Enter: 2)",
    "2",
    (text) => (isCount(text) ? null : `it must be a number from 1 to ${MOST_INSTANCES}`),
  );
  const image =
    options.model !== undefined
      ? DOCKERFILE
      : await valueOf(
          "image",
          options.image,
          operator,
          `Which image? (Enter: Wrangler builds ${DOCKERFILE}, for which Docker has to run)`,
          DOCKERFILE,
          imageProblem,
        );
  const built = image === DOCKERFILE && {
    image_build_context: ".",
    image_vars: { VARIANT: "baked", MODEL: options.model ?? MODELS[0] },
  };
  if (options.model !== undefined && !MODELS.some((name) => name === options.model)) {
    throw usageError(
      `--model can only be ${MODELS.join(" or ")}. Build an image with another model (docs/operations/deploy.md), and give --image.\nSee: npm run deploy -- --help`,
    );
  }
  const instances = Number(count);
  await addToOperatorFile(configuration.base, {
    vars: { CONTAINER_INSTANCES: instances, ...(withoutUrl && { INFERENCE_URL: "" }) },
    entries: {
      containers: [
        {
          class_name: CLASS_NAME,
          image,
          ...built,
          instance_type: type,
          max_instances: instances,
          rollout_active_grace_period: GRACE_SECONDS,
        },
      ],
      durable_objects: { bindings: [{ name: CONTAINER_BINDING, class_name: CLASS_NAME }] },
      // All of them: Cloudflare applies them in this order, even after a later version adds more.
      migrations: [
        ...configuration.migrations.map(({ tag }) => ({ tag: String(tag) })),
        { tag: MIGRATION, new_sqlite_classes: [CLASS_NAME] },
      ],
    },
  });
  say(`✓ Cloudflare Containers, at most ${instances} of ${costSentence(type)}`);
}

/**
 * Returns the options of `wrangler deploy` for containers. The image's name tells the Worker when to ask for the model again;
 * all machines are replaced at once, because the Worker is.
 */
export function containerArguments(configuration: Configuration, now: Date): string[] {
  const containers = containersIn(configuration);
  if (containers === undefined) return [];
  const image = containers.image === DOCKERFILE ? `built ${now.toISOString()}` : containers.image;
  return [`--var=CONTAINER_IMAGE:${image}`, "--containers-rollout=immediate"];
}
