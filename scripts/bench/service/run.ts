import type { ServiceBench } from "../arguments.ts";
import { measureMasks } from "./masks.ts";
import { masksReport } from "./masks-report.ts";
import { soak } from "./soak.ts";
import { soakReport } from "./soak-report.ts";
import { measureThroughput } from "./throughput.ts";
import { throughputReport } from "./throughput-report.ts";

/** Makes the requested measurements of the inference service and returns the report's lines. */
export async function benchService(bench: ServiceBench, signal: AbortSignal): Promise<string[]> {
  const { parts, rounds, soakMinutes, quick } = bench;
  const lines: string[] = [];
  if (parts.includes("throughput")) {
    lines.push("", ...throughputReport(await measureThroughput({ rounds, quick, signal })));
  }
  if (parts.includes("masks")) lines.push("", ...masksReport(await measureMasks(quick ? 3 : 9, signal)));
  if (parts.includes("soak")) lines.push("", ...soakReport(await soak(soakMinutes, signal)));
  return lines;
}
