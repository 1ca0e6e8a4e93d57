import type { BenchRequest } from "../arguments.ts";
import { hostReport, measureHost } from "./host.ts";
import { measureEmbedded, throughputReport } from "./throughput.ts";

/** Measures the inference service alone, with a fake for a GPU and with the embedded model. Returns the report's lines. */
export async function benchService(request: BenchRequest, signal: AbortSignal): Promise<string[]> {
  const { parts, megapixels } = request;
  const lines: string[] = [];
  if (parts.includes("host"))
    lines.push("", ...hostReport(megapixels, await measureHost({ ...request, signal })));
  if (parts.includes("embedded"))
    lines.push("", ...throughputReport(await measureEmbedded({ ...request, signal })));
  return lines;
}
