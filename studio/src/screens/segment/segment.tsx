import { effect, useSignal } from "@preact/signals";
import { useLocation, useRoute } from "preact-iso";
import { useEffect, useMemo } from "preact/hooks";
import { config } from "../../state/config.ts";
import { isWorkPath, pathOf, works } from "../../workspace/current.ts";
import { askForModel } from "../../workspace/service/model.ts";
import { see } from "../../workspace/jobs/open-job.ts";
import { Workbench } from "./workbench/workbench.tsx";

/** Screen that segments pictures and clips, and shows jobs: one workbench for all of its paths. */
export default function Segment() {
  const { url, route } = useLocation();
  const { params } = useRoute();
  const { jobId } = params;
  const begun = useSignal(0);
  const { searchParams } = new URL(url, location.origin);
  const picture = searchParams.get("picture");
  const search = searchParams.get("search");
  const work = useMemo(() => {
    const named = works().at(jobId, { others: searchParams.get("with")?.split(",") ?? [], search });
    if (jobId !== undefined) named.open(picture);
    return named;
  }, [url, begun.value]);
  useEffect(() => {
    if (search !== null) see(work, search);
  }, [work, search]);
  useEffect(() => void askForModel(), []);
  useEffect(
    () =>
      effect(() => {
        const target = pathOf(work);
        // The screen stays until the next one is loaded, and does not call anybody back.
        if (!isWorkPath(location.pathname)) return;
        if (work.opening.value || target === null || target === location.pathname + location.search) return;
        // A draft that becomes a job, one more object and another search are the same place; one of the pictures that is opened
        // from among all is another place.
        route(target, jobId === undefined || picture !== null || !target.includes("picture="));
      }),
    [work, url],
  );
  useEffect(
    () =>
      effect(() => {
        const nameless = work.jobIds.value.length > 0 ? "Job" : "Segment";
        document.title = `${work.openPicture.value?.name || nameless} · ${config.value.name}`;
      }),
    [work],
  );
  return (
    <Workbench
      key={work.id}
      work={work}
      onNew={(given) => {
        works().startOver().add(given);
        begun.value += 1;
        route("/studio");
      }}
    />
  );
}
