/**
 * Switches ONNX Runtime's telemetry off in this process. Release 1.30 otherwise writes a device id and a database of events
 * into the user's cache folder. Call it in the main thread, before the first session: a thread's `process.env` is a copy
 * that native code does not see.
 */
export function disableTelemetry(): void {
  process.env["ORT_DISABLE_TELEMETRY"] = "1";
}
