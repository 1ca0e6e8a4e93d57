import type { BenchRequest } from "../arguments.ts";
import { soak, soakReport } from "./soak.ts";
import { measureThroughput, throughputReport } from "./throughput.ts";

/** Makes the requested measurements of the inference service. Returns the report's lines. */
export async function benchService(request: BenchRequest, signal: AbortSignal): Promise<string[]> {
  const { parts, rounds, soakMinutes, quick } = request;
  const lines: string[] = [];
  if (parts.includes("throughput"))
    lines.push("", ...throughputReport(await measureThroughput({ rounds, quick, signal })));
  if (parts.includes("soak")) lines.push("", ...soakReport(await soak(soakMinutes, signal)));
  return lines;
}
