import { quoted, typescript } from "./literal.ts";
import { uploadsOf, optionsOf, type ExportedJob, regionsOf } from "./exported-job.ts";

/** The job as TypeScript for Node, Deno or Bun, by the client library. The API key comes from the environment. */
export function typescriptCode(exportedJob: ExportedJob, baseUrl: string): string {
  return `import { SegmentationClient } from "segmentation-client/node";

const client = new SegmentationClient({
  baseUrl: ${quoted(baseUrl)},
  apiKey: process.env.SEGMENTATION_API_KEY!,
});

${exportedJob.request.type === "video" ? clip(exportedJob) : pictures(exportedJob)}`;
}

function pictures(exportedJob: ExportedJob): string {
  const { type: _, prompts = [], regions: __, ...options } = optionsOf(exportedJob);
  const regions = regionsOf(exportedJob, (input) => ({ input }));
  return `const files = ${typescript(uploadsOf(exportedJob).map(({ source }) => source))};
const prompts = ${typescript(prompts)};
const result = await client.segment(files, prompts${more({ ...options, ...(regions && { regions }) })});

for (const { name, masks, problem } of result.pictures) {
  if (problem !== null) console.log(name, problem);
  for (const { prompt, confidence, box } of masks) console.log(name, prompt, confidence, box);
}
await result.save("out");
`;
}

function clip(exportedJob: ExportedJob): string {
  const { type: _, prompts = [], regions: __, ...options } = optionsOf(exportedJob);
  const regions = regionsOf(exportedJob, () => ({}));
  const [file] = uploadsOf(exportedJob);
  return `const prompts = ${typescript(prompts)};
const video = await client.segmentVideo(${typescript(file?.source ?? "")}, prompts${more({ ...options, ...(regions && { regions }) })});

for (const { objectId, prompt, label, sightings } of video.tracks)
  console.log(objectId, prompt ?? label, sightings[0]?.timeSec, sightings.at(-1)?.timeSec);
await video.save("out");
`;
}

/** The last argument, if there is anything to say in it. */
const more = (options: Readonly<Record<string, unknown>>): string =>
  Object.keys(options).length === 0 ? "" : `, ${typescript(options)}`;
