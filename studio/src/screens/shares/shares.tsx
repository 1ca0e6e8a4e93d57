import { useSignal } from "@preact/signals";
import { type Answer, type JobStatus, mapParallel } from "segmentation-client";
import { Button } from "../../components/controls/button.tsx";
import { ConfirmDialog } from "../../components/dialogs/dialogs.tsx";
import { Loading } from "../../components/layout/notice.tsx";
import { EmptyState, Page } from "../../components/layout/page.tsx";
import { RelativeTime, Table } from "../../components/layout/table.tsx";
import { useLoaded } from "../../state/requests.ts";
import { api } from "../../state/session.ts";
import { promptsText, subjectOf } from "../jobs/job-words.ts";

type Share = Answer<"listShares">["items"][number];

/** Number of parallel requests for jobs: a share does not name its job's files. */
const PARALLEL = 4;

/** The links by which the account shows results to others: see them, revoke one. */
export default function Shares() {
  const loaded = useLoaded(async (signal) => (await api.value.listShares({}, { signal })).items);
  const shares = loaded.value.value;
  const jobs = useLoaded(async (signal) => await jobsOf(shares ?? [], signal), [shares]);
  const asked = useSignal<Share | null>(null);
  const nameOf = ({ jobId }: Share): string => {
    const job = jobs.value.value?.get(jobId);
    return job === undefined ? jobId : promptsText(job.prompts ?? []);
  };
  return (
    <Page
      title="Shared links"
      lead="Whoever has one of these links sees its result without an account, until the link ends or you revoke it."
    >
      <Loading of={loaded} what="Loading links" />
      {shares?.length === 0 && (
        <EmptyState
          title="No shared links"
          action={
            <a class="button button-plain" href="/studio/jobs">
              See your jobs
            </a>
          }
        >
          Open a job that is done and choose “Share a link” to show its result to somebody without an account.
        </EmptyState>
      )}
      {shares !== undefined && shares.length > 0 && (
        <Table
          label="Shared links"
          columns={[
            { name: "Result" },
            { name: "Shows" },
            { name: "Created" },
            { name: "Ends" },
            { name: "Revoke", isNameHidden: true },
          ]}
        >
          {shares.map((share) => (
            <tr key={share.jobId}>
              <td>
                <a href={`/studio/jobs/${encodeURIComponent(share.jobId)}`}>{nameOf(share)}</a>
              </td>
              <td class="table-faint" data-label="Shows">
                {shownBy(share, jobs.value.value?.get(share.jobId))}
              </td>
              <td class="table-faint" data-label="Created">
                <RelativeTime at={share.createdAt} />
              </td>
              <td class="table-faint" data-label="Ends">
                <RelativeTime at={share.expiresAt} />
              </td>
              <td class="table-end">
                <Button
                  variant="quiet"
                  onClick={() => (asked.value = share)}
                  aria-label={`Revoke the link to ${nameOf(share)}`}
                >
                  Revoke
                </Button>
              </td>
            </tr>
          ))}
        </Table>
      )}
      {asked.value !== null && (
        <ConfirmDialog
          title={`Revoke the link to “${nameOf(asked.value)}”?`}
          confirm="Revoke link"
          onClose={() => (asked.value = null)}
          onConfirm={async () => {
            await api.value.revokeShare({ jobId: asked.value?.jobId ?? "" });
            loaded.reload();
          }}
        >
          <p>
            Whoever has it sees nothing from now on. The result stays, and you can make a new link to it at
            any time.
          </p>
        </ConfirmDialog>
      )}
    </Page>
  );
}

/** Describes the contents of a link. */
const shownBy = ({ showInputs, showAnnotations }: Share, job: JobStatus | undefined): string =>
  [
    ...(job === undefined ? [] : [subjectOf(job)]),
    showInputs ? "with the originals" : "masks alone",
    ...(showAnnotations ? ["with changes"] : []),
  ].join(", ");

/** The shared jobs by their ids, without those that can't be fetched. */
async function jobsOf(
  shares: readonly Share[],
  aborted: AbortSignal,
): Promise<ReadonlyMap<string, JobStatus>> {
  const jobs = await mapParallel(shares, PARALLEL, aborted, ({ jobId }, _, signal) =>
    api.value.retrieveJob({ jobId, include: "request" }, { signal }).catch(() => null),
  );
  return new Map(jobs.flatMap((job) => (job === null ? [] : [[job.jobId, job] as const])));
}
