import { availableParallelism } from "node:os";
import { BENCH_HELP, type BenchRequest, type BenchSubject, parseBenchArguments } from "./arguments.ts";
import { benchCapacity } from "./capacity/run.ts";
import { benchClick } from "./click/run.ts";
import { benchGateway } from "./gateway/run.ts";
import { benchModel } from "./model/run.ts";
import { benchPictures } from "./pictures/run.ts";
import { benchSegment } from "./segment/run.ts";
import { benchService } from "./service/run.ts";
import { benchVideo } from "./video/run.ts";
import { benchViewer } from "./viewer/run.ts";
import { runCommand } from "../shared/command-line.ts";

/** The benchmarks: each returns the lines of its report. */
const BENCHES: Readonly<
  Record<BenchSubject, (request: BenchRequest, signal: AbortSignal) => Promise<string[]>>
> = {
  pictures: benchPictures,
  video: benchVideo,
  service: benchService,
  viewer: benchViewer,
  click: benchClick,
  segment: benchSegment,
  capacity: benchCapacity,
  model: benchModel,
  gateway: benchGateway,
};

await runCommand(async (signal) => {
  const request = parseBenchArguments(process.argv.slice(2));
  if (request === null) {
    console.log(BENCH_HELP);
    return 0;
  }
  const lines = await BENCHES[request.subject](request, signal);
  console.log([`${availableParallelism()} cores, Node ${process.version}.`, ...lines].join("\n"));
  return 0;
});
