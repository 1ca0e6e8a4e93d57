import { describe, expect, it } from "vitest";
import {
  abortedUpload,
  archiveUploads,
  beginArchiveUpload,
  completeArchive,
  keepArchive,
  requestArchive,
  takeDueArchive,
  tickArchive,
  type ArchiveOutcome,
} from "../../../../src/jobs/rules/archive.ts";
import { policy } from "../../../support/job-policy.ts";
import type { JobState } from "../../../../src/jobs/rules/state.ts";
import { BEGIN, SECOND, successfulJob } from "../../../support/a-job.ts";
import { STAGES, TOO_LARGE, READY, building, CRASHED, archiveOf, built } from "./archive-stages.ts";

const UPLOAD = { lease: 2, uploadId: "upload_1" };
const kept = (files: number, state = building()): JobState =>
  keepArchive(state, state.lastLease, files, policy, BEGIN).state;
const uploading = (): JobState => beginArchiveUpload(building(), building().lastLease, UPLOAD.uploadId).state;
const UNFINISHED: ArchiveOutcome = { outcome: "unfinished" };

describe("an archive that one message cannot finish", () => {
  it("continues with the next message at once, and no attempt is burned", () => {
    const state = built(UNFINISHED, kept(10), BEGIN + SECOND);
    expect(archiveOf(state)).toEqual({
      step: { at: "waiting", notBefore: BEGIN + SECOND },
      attempts: 0,
      sends: 0,
      refusals: 0,
      requestedAt: BEGIN,
      messages: 1,
      kept: 10,
    });
    expect(takeDueArchive(state, policy, BEGIN + SECOND).due).toBe(true);
    expect(archiveOf(building(state, BEGIN + SECOND))).toMatchObject({ attempts: 1, messages: 2, kept: 10 });
  });

  it("is kept by its builder, whose lease is extended", () => {
    const { state, taken } = keepArchive(building(), 2, 10, policy, BEGIN + 50 * SECOND);
    expect(taken).toBe(true);
    expect(archiveOf(state)).toMatchObject({ step: { deadline: BEGIN + 110 * SECOND }, kept: 10 });
  });

  it("may lose any number of builders, as long as each of them gets further", () => {
    let state = building();
    for (let files = 1; files <= 20; files += 1) {
      state = tickArchive(kept(files, state), policy, BEGIN + 60 * SECOND);
      expect(archiveOf(state)).toMatchObject({ step: { at: "waiting" }, attempts: 1, kept: files });
      state = building(state);
    }
  });

  it("gains no attempt by a builder that keeps no more than there was", () => {
    const first = built(CRASHED, kept(10));
    const second = built(CRASHED, kept(10, building(first)));
    expect(archiveOf(second)).toMatchObject({ attempts: 2, kept: 10 });
    const third = kept(11, building(second));
    expect(archiveOf(third)).toMatchObject({ attempts: 1, kept: 11 });
  });

  it("starts over once when three builders fail on the saved progress", () => {
    const threeTimes = (state: JobState) =>
      built(CRASHED, building(built(CRASHED, building(built(CRASHED, state)))), BEGIN + SECOND);
    const anew = threeTimes(kept(10, uploading()));
    expect(archiveOf(anew)).toEqual({
      step: { at: "waiting", notBefore: BEGIN + SECOND },
      attempts: 0,
      sends: 0,
      refusals: 0,
      requestedAt: BEGIN,
      messages: 3,
      restarted: true,
    });
    expect(anew.abandonedUploads).toEqual([UPLOAD]);

    const failed = threeTimes(kept(5, building(anew)));
    expect(archiveOf(failed)).toMatchObject({ step: { at: "failed" }, messages: 6 });
    expect(archiveOf(failed)).not.toHaveProperty("kept");
    expect(archiveOf(requestArchive(failed, BEGIN).state)).not.toHaveProperty("restarted");
  });

  it("is begun again too when it is small and needs no upload, or when only its upload was begun", () => {
    const small = built(CRASHED, building(built(CRASHED, building(built(CRASHED, kept(10))))));
    expect(archiveOf(small)).toMatchObject({ step: { at: "waiting" }, restarted: true });
    expect(small.abandonedUploads).toBeUndefined();
    const anew = built(CRASHED, building(built(CRASHED, building(built(CRASHED, uploading())))));
    expect(archiveOf(anew)).toMatchObject({ step: { at: "waiting" }, restarted: true });
    expect(anew.abandonedUploads).toEqual([UPLOAD]);
  });

  it("continues the first builder's upload, and is ready under its lease", () => {
    const second = building(built(UNFINISHED, kept(10, uploading())));
    expect(archiveOf(second).upload).toEqual(UPLOAD);
    const state = built({ outcome: "ready", upload: UPLOAD.lease }, second);
    expect(archiveOf(state)).toMatchObject({ step: { at: "ready", lease: UPLOAD.lease } });
    expect(archiveOf(state)).not.toHaveProperty("upload");
    expect(archiveOf(state)).not.toHaveProperty("kept");
    expect(archiveUploads(state)).toEqual([]);
  });

  it("has one upload: a second one is refused", () => {
    const state = uploading();
    expect(beginArchiveUpload(state, state.lastLease, "upload_2")).toEqual({ state, taken: false });
  });

  it("gives its upload up when it is ready without it", () => {
    const state = built(READY, building(built(UNFINISHED, kept(10, uploading()))));
    expect(archiveOf(state)).toMatchObject({ step: { at: "ready", lease: 3 } });
    expect(archiveOf(state)).not.toHaveProperty("upload");
    expect(state.abandonedUploads).toEqual([UPLOAD]);
  });

  it("gives up its upload and its saved progress when it fails for good", () => {
    const state = built(TOO_LARGE, kept(10, uploading()));
    expect(archiveOf(state)).toMatchObject({ step: { at: "failed" } });
    expect(archiveOf(state)).not.toHaveProperty("kept");
    expect(archiveUploads(state)).toEqual([UPLOAD]);
    expect(state.abandonedUploads).toEqual([UPLOAD]);
  });

  it("is done with an upload once that is aborted, and with no other", () => {
    const other = { lease: 9, uploadId: "upload_9" };
    const state = { ...building(), abandonedUploads: [UPLOAD, other] };
    expect(abortedUpload(state, UPLOAD.uploadId).abandonedUploads).toEqual([other]);
    expect(abortedUpload(state, "unknown")).toEqual(state);
    const left = abortedUpload(abortedUpload(state, UPLOAD.uploadId), other.uploadId);
    expect(left).toEqual(building());
    expect(abortedUpload(left, UPLOAD.uploadId)).toEqual(left);
  });

  it("lists all its uploads: the abandoned ones and the one in progress", () => {
    const state = { ...uploading(), abandonedUploads: [{ lease: 1, uploadId: "upload_0" }] };
    expect(archiveUploads(state)).toEqual([{ lease: 1, uploadId: "upload_0" }, UPLOAD]);
    expect(archiveUploads(successfulJob())).toEqual([]);
  });

  it.each(Object.entries(STAGES))("is kept by no builder whose lease is not in force: %s", (_, make) => {
    const state = make();
    const other = state.lastLease + 1;
    expect(keepArchive(state, other, 10, policy, BEGIN)).toEqual({ state, taken: false });
    expect(beginArchiveUpload(state, other, "upload_2")).toEqual({ state, taken: false });
    expect(completeArchive(state, other, UNFINISHED, policy, BEGIN)).toEqual({ state, taken: false });
  });
});
