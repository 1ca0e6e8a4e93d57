import { expect, test } from "vitest";
import { readSettings } from "../src/settings.ts";

const COMPLETE = {
  MODEL_FOLDER: "/models/builtin",
  STORAGE_ORIGINS: "https://storage.example, http://127.0.0.1:8787",
  CALLBACK_ORIGINS: "https://api.example",
};

test("the defaults serve on loopback", () => {
  const settings = readSettings(COMPLETE);
  expect(settings).toMatchObject({
    host: "127.0.0.1",
    port: 8788,
    queueCapacity: 8,
    inFlight: undefined,
    token: undefined,
  });
  expect([...settings.storageOrigins]).toEqual(["https://storage.example", "http://127.0.0.1:8787"]);
});

test("without CUDA there is one device, with it as many as are named", () => {
  const cuda = { ...COMPLETE, EXECUTION_PROVIDER: "cuda" };
  expect(readSettings(COMPLETE)).toMatchObject({ devices: [0], cpuFallback: false });
  expect(readSettings(cuda).devices).toEqual([0]);
  expect(readSettings({ ...cuda, DEVICES: "0, 2,10" }).devices).toEqual([0, 2, 10]);
  expect(readSettings({ ...cuda, CPU_FALLBACK: "true" }).cpuFallback).toBe(true);
  expect(readSettings({ ...cuda, CPU_FALLBACK: "false" }).cpuFallback).toBe(false);
});

test("TensorRT has GPUs as CUDA has", () => {
  const settings = readSettings({ ...COMPLETE, EXECUTION_PROVIDER: "tensorrt", DEVICES: "0,1" });
  expect(settings).toMatchObject({ modelOptions: { provider: "tensorrt" }, devices: [0, 1] });
});

test.for([
  ["0,1,0", "lists a device twice"],
  ["1,01", "lists a device twice"],
  ["all", '"all" is not a CUDA device; list device numbers, counted from 0, like 0,1'],
  ["0;1", '"0;1" is not a CUDA device'],
  ["0,", '"" is not a CUDA device'],
  ["-1", '"-1" is not a CUDA device'],
  ["1.5", '"1.5" is not a CUDA device'],
] as const)("%j is no list of devices: %s", ([devices, reason]) => {
  const environment = { ...COMPLETE, EXECUTION_PROVIDER: "cuda", DEVICES: devices };
  expect(() => readSettings(environment)).toThrow(`DEVICES: ${reason}`);
});

test("several devices without CUDA are refused", () => {
  const wrong = { ...COMPLETE, DEVICES: "0,1" };
  expect(() => readSettings(wrong)).toThrow(/DEVICES: lists several .*EXECUTION_PROVIDER=cuda/);
});

test("CPU_FALLBACK is true or false", () => {
  expect(() => readSettings({ ...COMPLETE, CPU_FALLBACK: "maybe" })).toThrow("CPU_FALLBACK: ");
});

test.for(["MODEL_FOLDER", "STORAGE_ORIGINS", "CALLBACK_ORIGINS"])("%s is required", (name) => {
  expect(() => readSettings({ ...COMPLETE, [name]: "" })).toThrow(`${name}: is missing`);
});

test("every wrong setting is named at once", () => {
  const wrong = { ...COMPLETE, PORT: "http", QUEUE_CAPACITY: "0", EXECUTION_PROVIDER: "tpu" };
  expect(() => readSettings(wrong)).toThrow(/PORT: .*QUEUE_CAPACITY: .*|EXECUTION_PROVIDER: /);
});

test.for(["https://storage.example/path", "storage.example", "https://a.example,,https://b.example"])(
  "%j is no list of origins",
  (origins) => {
    expect(() => readSettings({ ...COMPLETE, STORAGE_ORIGINS: origins })).toThrow("STORAGE_ORIGINS: ");
  },
);

test.for(["0.0.0.0", "::", "10.1.2.3", "inference.internal"])("listening on %s needs a token", (host) => {
  expect(() => readSettings({ ...COMPLETE, HOST: host })).toThrow("INFERENCE_TOKEN: is required");
  expect(readSettings({ ...COMPLETE, HOST: host, INFERENCE_TOKEN: "0123456789abcdef" }).host).toBe(host);
});

test.for(["localhost", "127.0.0.1", "::1"])("listening on %s needs no token", (host) => {
  expect(readSettings({ ...COMPLETE, HOST: host }).host).toBe(host);
});
