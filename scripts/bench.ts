import { availableParallelism } from "node:os";
import { BENCH_HELP, parseBenchArguments } from "./bench/arguments.ts";
import { benchPictures } from "./bench/pictures/run.ts";
import { benchVideo } from "./bench/video/run.ts";
import { runCommand } from "./shared/command-line.ts";

await runCommand(async (signal) => {
  const request = parseBenchArguments(process.argv.slice(2));
  if (request === null) {
    console.log(BENCH_HELP);
    return 0;
  }
  const lines =
    request.subject === "pictures"
      ? await benchPictures(request.pictures, signal)
      : await benchVideo(request.video, signal);
  console.log([`${availableParallelism()} cores, Node ${process.version}.`, ...lines].join("\n"));
  return 0;
});
