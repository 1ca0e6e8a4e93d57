/** A container's health check: exits with 0 if the service in this container answers, otherwise with 1. */
import process from "node:process";

const PATIENCE_MS = 4_000;

const url = `http://127.0.0.1:${process.env["PORT"] ?? "8788"}/healthz`;
const healthy = await fetch(url, { signal: AbortSignal.timeout(PATIENCE_MS) }).then(
  ({ ok }) => ok,
  () => false,
);
process.exitCode = healthy ? 0 : 1;
