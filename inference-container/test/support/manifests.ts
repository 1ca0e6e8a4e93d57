/** The deployment's files, parsed: their schemas require the expected fields. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { load } from "js-yaml";
import { z } from "zod";

export const CONTAINER_ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** The text of a file of the inference container. */
export const read = (path: string): string => readFileSync(join(CONTAINER_ROOT, path), "utf8");

/** A file of `kubernetes/`, parsed. @throws Error if it is not YAML, or has another shape */
export const manifest = <T>(path: string, shape: z.ZodType<T>): T =>
  shape.parse(load(read(join("kubernetes", path))));

export const Labels = z.record(z.string(), z.string());
export const Selector = z.object({ matchLabels: Labels });
/** Anything with a `spec` of this shape. */
export const withSpec = <T extends z.ZodRawShape>(spec: T) => z.looseObject({ spec: z.looseObject(spec) });

const Probe = z.object({ httpGet: z.object({ path: z.string(), port: z.string() }) });
const Variables = z.array(z.looseObject({ name: z.string(), value: z.string().optional() }));
const Mount = z.object({ name: z.string(), mountPath: z.string(), readOnly: z.literal(true).optional() });
const Confined = z.object({
  allowPrivilegeEscalation: z.literal(false),
  readOnlyRootFilesystem: z.literal(true),
  capabilities: z.object({ drop: z.tuple([z.literal("ALL")]) }),
});
const container = {
  name: z.string(),
  image: z.string(),
  env: Variables,
  securityContext: Confined,
  volumeMounts: z.array(Mount),
};
const ModelContainer = z.looseObject({
  ...container,
  command: z.tuple([z.literal("node"), z.string()]),
});
const Pause = z.tuple([z.literal("sleep"), z.coerce.number()]);
const ServiceContainer = z.looseObject({
  ...container,
  ports: z.tuple([z.object({ name: z.string(), containerPort: z.number() })]),
  startupProbe: Probe,
  readinessProbe: Probe,
  livenessProbe: Probe,
  lifecycle: z.object({ preStop: z.object({ exec: z.object({ command: Pause }) }) }),
});

/** A volume has a bounded size and, since `medium` is not among the fields, is never in memory. */
const Volume = z.strictObject({
  name: z.string(),
  emptyDir: z.strictObject({ sizeLimit: z.stringFormat("size", /^\d+[MG]i$/) }),
});

export const Deployment = withSpec({
  selector: Selector,
  template: z.looseObject({
    metadata: z.looseObject({ labels: Labels }),
    spec: z.looseObject({
      terminationGracePeriodSeconds: z.number(),
      automountServiceAccountToken: z.literal(false),
      securityContext: z.looseObject({ runAsNonRoot: z.literal(true), runAsUser: z.number().positive() }),
      initContainers: z.tuple([ModelContainer]),
      containers: z.tuple([ServiceContainer]),
      volumes: z.array(Volume),
    }),
  }),
});

/** The patch that gives the pods a GPU. */
export const GpuPatch = withSpec({
  template: withSpec({
    containers: z.tuple([
      z.looseObject({
        name: z.string(),
        image: z.string(),
        env: z.tuple([z.object({ name: z.literal("EXECUTION_PROVIDER"), value: z.literal("cuda") })]),
        resources: z.object({ limits: z.object({ "nvidia.com/gpu": z.literal("1") }) }),
      }),
    ]),
  }),
});

export const Kustomization = z.looseObject({
  resources: z.array(z.string()),
  patches: z.array(z.looseObject({ path: z.string().optional() })).default([]),
  images: z.array(z.looseObject({ name: z.string() })).default([]),
  configMapGenerator: z.array(z.object({ name: z.string(), literals: z.array(z.string()) })).default([]),
});

export const Compose = z.looseObject({
  "x-inference": z.looseObject({
    environment: Labels,
    stop_grace_period: z.stringFormat("seconds", /^\d+s$/),
  }),
});

/** The variables whose value is in place, by name. */
export const plainVariables = (variables: z.infer<typeof Variables>): Record<string, string> =>
  Object.fromEntries(variables.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value]])));

/** `NAME=value` lines, by name. */
export const literalVariables = (literals: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    literals.map((literal) => {
      const at = literal.indexOf("=");
      return [literal.slice(0, at), literal.slice(at + 1)];
    }),
  );
