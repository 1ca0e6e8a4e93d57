import { existsSync, globSync } from "node:fs";
import { join } from "node:path";
import { load, loadAll } from "js-yaml";
import { expect, test } from "vitest";
import { z } from "zod";
import { Backlog } from "../../src/operator/contract/operator.ts";
import { SettingsSchema } from "../../src/settings.ts";
import { readSettings } from "../src/settings.ts";
import * as manifests from "./support/manifests.ts";
import { startRig } from "./support/service/running-service.ts";

const { CONTAINER_ROOT, Selector, manifest, read, withSpec } = manifests;
const files = globSync("**/*.yaml", { cwd: join(CONTAINER_ROOT, "kubernetes") });
const kustomization = (folder: string) =>
  manifest(join(folder, "kustomization.yaml"), manifests.Kustomization);

const deployment = manifest("base/deployment.yaml", manifests.Deployment).spec;
const pod = deployment.template.spec;
const [model] = pod.initContainers;
const [service] = pod.containers;
const gpu = manifest("nvidia/gpu.yaml", manifests.GpuPatch).spec.template.spec.containers[0];
const compose = manifests.Compose.parse(load(read("compose.yaml")))["x-inference"];

/** The variables of the service's container, without the secret. */
const settings = {
  ...manifests.literalVariables(kustomization("base").configMapGenerator[0]?.literals ?? []),
  ...manifests.plainVariables(service.env),
};
const modelVariables = manifests.plainVariables(model.env);

test("every file can be read, and is a part of a kustomization that names no other", () => {
  expect(files.length).toBeGreaterThan(7);
  for (const path of files) expect(loadAll(read(join("kubernetes", path))), path).toHaveLength(1);
  const named = ["base", "nvidia", "autoscaling", "from-zero"].flatMap((folder) => {
    const { resources, patches } = kustomization(folder);
    const own = [...resources, ...patches.flatMap(({ path }) => path ?? [])];
    return ["kustomization.yaml", ...own].map((path) => join(folder, path));
  });
  expect(new Set(named.filter((path) => path !== "base"))).toEqual(new Set(files));
});

test("the settings are the service's own or those of Node and npm, and the service takes them", () => {
  const own = [...read("src/settings.ts").matchAll(/^ {4}([A-Z_]+): /gm)].map((match) => match[1]);
  expect(own).toContain("QUEUE_CAPACITY");
  const known = [...own, "TMPDIR", "MODEL_DIR", "npm_config_cache"];
  const variables = [...service.env, ...model.env].map(({ name }) => name);
  for (const name of [...variables, ...Object.keys(settings), ...Object.keys(compose.environment)]) {
    expect(known).toContain(name);
  }
  expect(variables).toContain("INFERENCE_TOKEN");
  for (const name of ["QUEUE_CAPACITY", "IN_FLIGHT", "MODEL_THREADS", "FEATURE_CACHE_MB"])
    expect(compose.environment[name], "Compose passes it on").toBe(`\${${name}:-}`);
  const environment = { ...settings, HOST: "0.0.0.0", INFERENCE_TOKEN: "0123456789abcdef" };
  expect(readSettings(environment).modelOptions.provider).toBe("cpu");
  const onGpu = { ...environment, ...manifests.plainVariables(gpu.env) };
  expect(readSettings(onGpu).modelOptions.provider).toBe("cuda");
});

test("the files contain no secret", () => {
  for (const path of files) {
    expect(read(join("kubernetes", path))).not.toMatch(/kind: Secret|INFERENCE_TOKEN=[^…]/);
  }
});

test("nothing replaces the image's entry point, which is an init", () => {
  for (const container of [service, gpu]) expect(container).not.toHaveProperty("command");
  expect(read("compose.yaml")).not.toContain("entrypoint");
});

test("a stop waits for the drain and its last reports", () => {
  const [, pause] = service.lifecycle.preStop.exec.command;
  const drain = readSettings(settings).drainMs / 1_000;
  expect(pod.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(pause + drain + 10);
  const grace = Number.parseInt(compose.stop_grace_period, 10);
  expect(grace).toBeGreaterThanOrEqual(Number(compose.environment["DRAIN_SECONDS"]) + 10);
  const [, timeout] = /docker run --stop-timeout (\d+)/.exec(read("README.md")) ?? [];
  const { drainMs } = readSettings({ ...settings, DRAIN_SECONDS: "" });
  expect(Number(timeout)).toBeGreaterThanOrEqual(drainMs / 1_000 + 5);
});

test("the model is fetched to where the service reads it", () => {
  expect(existsSync(join(CONTAINER_ROOT, "..", model.command[1]))).toBe(true);
  const Manifest = z.looseObject({ version: z.string() });
  const { version } = Manifest.parse(JSON.parse(read("models/builtin/manifest.json")));
  const mountPath = modelVariables["MODEL_DIR"] ?? "";
  const folder = `${mountPath}/builtin-${version}`;
  expect(settings["MODEL_FOLDER"]).toBe(folder);
  for (const image of ["Dockerfile", "Dockerfile.cuda"])
    expect(read(image)).toContain(`MODEL_FOLDER=${folder}\n`);
  expect(compose.environment["MODEL_FOLDER"]).toBe(`/models/\${EMBEDDED_MODEL:-builtin}-${version}`);
  expect(model.volumeMounts).toContainEqual({ name: "models", mountPath });
  expect(service.volumeMounts).toContainEqual({ name: "models", mountPath, readOnly: true });
});

test("the largest video finds room for itself, its masks and its preview, on disk", () => {
  const mount = service.volumeMounts.find(({ mountPath }) => mountPath === settings["TMPDIR"]);
  const scratch = pod.volumes.find(({ name }) => name === mount?.name)?.emptyDir.sizeLimit ?? "";
  expect(scratch).toMatch(/Gi$/);
  const largest = SettingsSchema.shape.MAX_VIDEO_BYTES.parse(undefined);
  expect(Number.parseInt(scratch, 10) * 1024 ** 3).toBeGreaterThan(2 * largest);
});

test("service, policy, budget and monitor select the pods", () => {
  const { labels } = deployment.template.metadata;
  const { spec: kubernetesService } = manifest(
    "base/service.yaml",
    withSpec({ selector: manifests.Labels, ports: z.tuple([z.looseObject({ targetPort: z.string() })]) }),
  );
  const policy = manifest("base/network-policy.yaml", withSpec({ podSelector: Selector }));
  const selecting = ["base/disruption-budget.yaml", "autoscaling/pod-monitor.yaml"].map((path) =>
    manifest(path, withSpec({ selector: Selector })),
  );
  expect(kubernetesService.ports[0].targetPort).toBe(service.ports[0].name);
  expect(kubernetesService.selector).toEqual(labels);
  for (const { matchLabels } of [
    deployment.selector,
    policy.spec.podSelector,
    ...selecting.map(({ spec }) => spec.selector),
  ]) {
    expect(matchLabels).toEqual(labels);
  }
});

test("each image is one that its kustomization names; the model is fetched with the CPU's", () => {
  const images = (folder: string) => kustomization(folder).images.map(({ name }) => name);
  expect([service.image, model.image]).toEqual([...images("base"), ...images("base")]);
  expect([gpu.image]).toEqual(images("nvidia"));
  expect(gpu.name).toBe(service.name);
});

test("the service listens where the probes ask, and they get an answer", async () => {
  const [{ name, containerPort }] = service.ports;
  expect(containerPort).toBe(readSettings(settings).port);
  for (const dockerfile of ["Dockerfile", "Dockerfile.cuda"]) {
    expect(read(dockerfile)).toContain(`\nEXPOSE ${containerPort}\n`);
  }
  await using rig = await startRig();
  const paths = new Set<string>();
  for (const { httpGet } of [service.startupProbe, service.readinessProbe, service.livenessProbe]) {
    paths.add(httpGet.path);
    expect(httpGet.port).toBe(name);
    expect((await fetch(`${rig.service.url}${httpGet.path}`)).status).toBe(200);
  }
  expect(paths).toEqual(new Set(["/readyz", "/healthz"]));
});

test("the component from-zero asks for a field of the Worker's backlog, with a token, and lets the last pod end", () => {
  const { spec } = manifest(
    "from-zero/scaled-object.yaml",
    withSpec({
      minReplicaCount: z.literal(0),
      triggers: z.tuple([
        z.looseObject({
          type: z.literal("metrics-api"),
          metadata: z.looseObject({
            url: z.url(),
            valueLocation: Backlog.keyof(),
            authMode: z.literal("bearer"),
          }),
          authenticationRef: z.object({ name: z.string() }),
        }),
      ]),
    }),
  );
  const [{ metadata, authenticationRef }] = spec.triggers;
  expect(new URL(metadata.url).pathname).toBe("/internal/operator/backlog");
  const authentication = manifest(
    "from-zero/trigger-authentication.yaml",
    z.looseObject({
      metadata: z.object({ name: z.string() }),
      spec: z.object({ secretTargetRef: z.tuple([z.looseObject({ parameter: z.literal("token") })]) }),
    }),
  );
  expect(authentication.metadata.name).toBe(authenticationRef.name);
});
