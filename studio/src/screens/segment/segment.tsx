import { effect, useSignal } from "@preact/signals";
import { useLocation, useRoute } from "preact-iso";
import { useEffect, useMemo } from "preact/hooks";
import { config } from "../../state/config.ts";
import { isOpen, pathOf, workspaces } from "../../workspace/current.ts";
import { askForModel } from "../../workspace/service/model.ts";
import { see } from "../../workspace/jobs/open-job.ts";
import { Workbench } from "./workbench/workbench.tsx";

/** Screen that segments pictures and videos, and shows jobs: one workbench for all of its paths. */
export default function Segment() {
  const { url, route } = useLocation();
  const { params } = useRoute();
  const { jobId } = params;
  const begun = useSignal(0);
  const { searchParams } = new URL(url, location.origin);
  const picture = searchParams.get("picture");
  const search = searchParams.get("search");
  const workspace = useMemo(() => {
    const named = workspaces().at(jobId, { others: searchParams.get("with")?.split(",") ?? [], search });
    if (jobId !== undefined) named.open(picture);
    return named;
  }, [url, begun.value]);
  useEffect(() => {
    if (search !== null) see(workspace, search);
  }, [workspace, search]);
  useEffect(() => void askForModel(), []);
  useEffect(
    () =>
      effect(() => {
        const target = pathOf(workspace);
        // A workspace that changes while the next one or another screen loads does not call anybody back.
        if (!isOpen(workspace)) return;
        if (workspace.opening.value || target === null || target === location.pathname + location.search)
          return;
        // A draft that becomes a job, one more object and another search are the same place; one of the pictures that is opened
        // from among all is another place.
        route(target, jobId === undefined || picture !== null || !target.includes("picture="));
      }),
    [workspace, url],
  );
  useEffect(
    () =>
      effect(() => {
        const nameless = workspace.jobIds.value.length > 0 ? "Job" : "Segment";
        document.title = `${workspace.openPicture.value?.name || nameless} · ${config.value.name}`;
      }),
    [workspace],
  );
  return (
    <Workbench
      key={workspace.id}
      workspace={workspace}
      onNew={(given) => {
        void workspaces().startOver().add(given);
        begun.value += 1;
        route("/studio");
      }}
    />
  );
}
