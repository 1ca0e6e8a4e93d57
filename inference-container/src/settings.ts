import { z } from "zod";
import { PROVIDERS } from "./device/messages.ts";

const LOOPBACK = /^(localhost|::1|127(\.\d{1,3}){3})$/;

const count = (least: number, most: number, standard: number) =>
  z.coerce.number().int().min(least).max(most).default(standard);
const seconds = (most: number, standard: number) => z.coerce.number().positive().max(most).default(standard);

/** A comma-separated list of origins, e.g. `https://a.example,http://127.0.0.1:8787`. */
const Origins = z
  .string()
  .transform((list) => list.split(",").map((item) => item.trim()))
  .pipe(
    z
      .array(
        z.string().refine((item) => URL.canParse(item) && new URL(item).origin === item, {
          error: (issue) =>
            `"${String(issue.input)}" is not an origin; write scheme, host and port only, like https://storage.example`,
        }),
      )
      .min(1),
  );

/** A gateway's URL. On the way to another machine, the token has to be encrypted. */
const GatewayUrl = z
  .url({ protocol: /^wss?$/, error: "is not the Worker's URL with wss:, like wss://segmentation.example" })
  .refine((url) => !URL.canParse(url) || url.startsWith("wss:") || LOOPBACK.test(new URL(url).hostname), {
    error: "must begin with wss: unless it is on this machine",
  });

/** A comma-separated list of CUDA device ids, e.g. `0,1`. */
const Devices = z
  .string()
  .transform((list) => list.split(",").map((item) => item.trim()))
  .pipe(
    z.array(
      z
        .string()
        .regex(/^\d{1,3}$/, {
          error: (issue) =>
            `"${String(issue.input)}" is not a CUDA device; list device numbers, counted from 0, like 0,1`,
        })
        .transform(Number),
    ),
  )
  .refine((devices) => new Set(devices).size === devices.length, "lists a device twice")
  .default([0]);

const Environment = z
  .object({
    HOST: z.string().default("127.0.0.1"),
    PORT: count(0, 65_535, 8788),
    INFERENCE_TOKEN: z.string().min(16, "must be at least 16 characters long").optional(),
    MODEL_FOLDER: z.string().min(1),
    EXECUTION_PROVIDER: z.enum(PROVIDERS).default("cpu"),
    DEVICES: Devices,
    CPU_FALLBACK: z.stringbool().default(false),
    MODEL_THREADS: count(0, 1_024, 0),
    MODEL_SERVER_TOKEN: z
      .string()
      .regex(/^[\x21-\x7e]+$/, "may have no spaces and only ASCII characters")
      .optional(),
    MODEL_SERVER_PATIENCE_SECONDS: count(0, 86_400, 300),
    FEATURE_CACHE_MB: count(0, 1_048_576, 256),
    DECODED_MB: count(1, 1_048_576, 1_024),
    TEXT_CACHE_MB: count(0, 1_048_576, 1),
    STORAGE_ORIGINS: Origins,
    CALLBACK_ORIGINS: Origins.optional(),
    GATEWAY_URL: GatewayUrl.optional(),
    QUEUE_CAPACITY: count(1, 10_000, 8),
    IN_FLIGHT: z.coerce.number().int().min(1).max(256).optional(),
    HEARTBEAT_SECONDS: seconds(600, 10),
    PATIENCE_SECONDS: seconds(86_400, 600),
    TASK_TIMEOUT_SECONDS: seconds(86_400, 120),
    DEVICE_FAULTS: count(1, 100, 10),
    DRAIN_SECONDS: seconds(3_600, 25),
    LOG_LEVEL: z.enum(["debug", "info", "warn", "error", "silent"]).default("info"),
  })
  .refine((env) => LOOPBACK.test(env.HOST) || env.INFERENCE_TOKEN !== undefined, {
    path: ["INFERENCE_TOKEN"],
    error: "is required when HOST is not a loopback address: set a secret that the Worker shares",
  })
  .refine((env) => env.GATEWAY_URL === undefined || env.INFERENCE_TOKEN !== undefined, {
    path: ["INFERENCE_TOKEN"],
    error: "is required with GATEWAY_URL: get one with npm run admin -- add-worker",
  })
  .refine((env) => env.GATEWAY_URL !== undefined || env.CALLBACK_ORIGINS !== undefined, {
    path: ["CALLBACK_ORIGINS"],
    error: "is missing",
  })
  .refine((env) => env.EXECUTION_PROVIDER !== "cpu" || env.DEVICES.length === 1, {
    path: ["DEVICES"],
    error: "lists several devices, which requires EXECUTION_PROVIDER=cuda or tensorrt: the CPU counts as one",
  });

const gatewayOrigins = (url: string | undefined): string[] =>
  url === undefined ? [] : [new URL(url.replace(/^ws/, "http")).origin];

export type Settings = ReturnType<typeof readSettings>;

/**
 * Reads the settings from the environment; an empty variable counts as missing.
 * @throws Error that names each missing or wrong setting
 */
export function readSettings(environment: Readonly<Record<string, string | undefined>>) {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ""));
  const parsed = Environment.safeParse(given);
  if (!parsed.success) {
    const wrong = parsed.error.issues.map((issue) => {
      const name = String(issue.path[0] ?? "");
      return `${name}: ${given[name] === undefined && issue.code !== "custom" ? "is missing" : issue.message}`;
    });
    throw new Error(`The settings are wrong. ${wrong.join("; ")}`);
  }
  const env = parsed.data;
  return {
    host: env.HOST,
    port: env.PORT,
    token: env.INFERENCE_TOKEN,
    modelFolder: env.MODEL_FOLDER,
    modelOptions: {
      provider: env.EXECUTION_PROVIDER,
      threads: env.MODEL_THREADS,
      featureCacheBytes: env.FEATURE_CACHE_MB * 1_048_576,
      textCacheBytes: env.TEXT_CACHE_MB * 1_048_576,
      // Sooner than the watchdog, which would end the engine and its other tasks.
      requestTimeoutMs: env.TASK_TIMEOUT_SECONDS * 900,
      serverPatienceMs: env.MODEL_SERVER_PATIENCE_SECONDS * 1_000,
    },
    devices: env.DEVICES,
    cpuFallback: env.CPU_FALLBACK,
    decodedBytes: env.DECODED_MB * 1_048_576,
    storageOrigins: new Set(env.STORAGE_ORIGINS),
    // The gateway is the Worker, which is called back.
    callbackOrigins: new Set(env.CALLBACK_ORIGINS ?? gatewayOrigins(env.GATEWAY_URL)),
    gatewayUrl: env.GATEWAY_URL,
    queueCapacity: env.QUEUE_CAPACITY,
    inFlight: env.IN_FLIGHT,
    heartbeatMs: env.HEARTBEAT_SECONDS * 1_000,
    patienceMs: env.PATIENCE_SECONDS * 1_000,
    taskTimeoutMs: env.TASK_TIMEOUT_SECONDS * 1_000,
    deviceFaults: env.DEVICE_FAULTS,
    drainMs: env.DRAIN_SECONDS * 1_000,
    logLevel: env.LOG_LEVEL,
  };
}
