import { availableParallelism } from "node:os";
import { BENCH_HELP, type BenchRequest, parseBenchArguments } from "./bench/arguments.ts";
import { benchPictures } from "./bench/pictures/run.ts";
import { benchService } from "./bench/service/run.ts";
import { benchVideo } from "./bench/video/run.ts";
import { runCommand } from "./shared/command-line.ts";

await runCommand(async (signal) => {
  const request = parseBenchArguments(process.argv.slice(2));
  if (request === null) {
    console.log(BENCH_HELP);
    return 0;
  }
  const lines = await measure(request, signal);
  console.log([`${availableParallelism()} cores, Node ${process.version}.`, ...lines].join("\n"));
  return 0;
});

function measure(request: BenchRequest, signal: AbortSignal): Promise<string[]> {
  switch (request.subject) {
    case "pictures":
      return benchPictures(request.pictures, signal);
    case "video":
      return benchVideo(request.video, signal);
    case "service":
      return benchService(request.service, signal);
  }
}
