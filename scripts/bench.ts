import { availableParallelism } from "node:os";
import { BENCH_HELP, type BenchRequest, parseBenchArguments } from "./bench/arguments.ts";
import { benchClick } from "./bench/click/run.ts";
import { benchCreateJob } from "./bench/create-job/run.ts";
import { benchListJobs } from "./bench/list-jobs/run.ts";
import { benchDispatch } from "./bench/dispatch/run.ts";
import { benchJoins } from "./bench/joins/run.ts";
import { benchKserve } from "./bench/kserve/run.ts";
import { benchPictures } from "./bench/pictures/run.ts";
import { benchResult } from "./bench/result/run.ts";
import { benchService } from "./bench/service/run.ts";
import { benchVideo } from "./bench/video/run.ts";
import { benchWaiting } from "./bench/waiting/run.ts";
import { benchViewer } from "./bench/viewer/run.ts";
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
    case "create-job":
      return benchCreateJob(request.rounds, signal);
    case "video":
      return benchVideo(request.video, signal);
    case "service":
      return benchService(request.service, signal);
    case "list-jobs":
      return benchListJobs(request.list, signal);
    case "result":
      return benchResult(request.result, signal);
    case "dispatch":
      return benchDispatch(request.dispatch, signal);
    case "kserve":
      return benchKserve(request.kserve, signal);
    case "waiting":
      return benchWaiting(request.rounds, signal);
    case "joins":
      return benchJoins(request.rounds, signal);
    case "viewer":
      return benchViewer(request.rounds, signal);
    case "click":
      return benchClick(request.rounds, signal);
  }
}
