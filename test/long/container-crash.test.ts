import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createClient } from "../../scripts/shared/api-client.ts";
import { claimPort } from "../../scripts/shared/port.ts";
import { stateFolder } from "../../scripts/shared/state/state-folder.ts";
import { present } from "../support/at.ts";
import { jobReports, ledgerFindings, settledUnits } from "../support/chaos/outcome.ts";
import { panClip } from "../support/media/pan-clip.ts";
import { keysInBucket } from "../support/stack/local-bucket.ts";
import { hasImage, PodmanMachine } from "../support/stack/podman-machine.ts";
import { spawnStack } from "../support/stack/spawn-stack.ts";

const FRAMES = 5;

it.skipIf(!hasImage())(
  "a video succeeds once, is charged once and leaves nothing behind, although its container was killed",
  async () => {
    const stateDir = await mkdtemp(join(tmpdir(), "container-crash-"));
    const state = stateFolder(stateDir);
    const port = await claimPort(0);
    await using machine = await PodmanMachine.start(`http://127.0.0.1:${port}`);
    const env = {
      PORT: String(port),
      INFERENCE_URL: machine.url,
      INFERENCE_TOKEN: machine.token,
      HEARTBEAT_SECONDS: "1",
    };
    const stack = await spawnStack({ stateDir, env });
    try {
      const client = createClient(stack);
      const taskId = await client.upload(panClip(3), "video/mp4");
      const video = { tasks: [taskId], prompts: ["cat"], numFrames: FRAMES };
      const { jobId } = await client.createVideoJob(video);
      const reached = Promise.withResolvers<number>();
      const ended = client.waitForJob(jobId, {
        onAnswer: (_, share) => share > 0 && reached.resolve(share),
      });
      expect(await reached.promise).toBeLessThan(0.6);
      await machine.kill();
      await machine.restart();
      expect(await ended).toMatchObject({ status: "success" });

      const [report] = await jobReports(state, stack.baseUrl, [jobId]);
      // The second run got further by a tenth of the video, which resets the attempts.
      expect(report?.tasks).toMatchObject([{ at: "success", attempts: 1 }]);
      const { accountId } = present(report, "report");
      const lease = present(report?.tasks[0]?.lease, "lease");
      expect(lease).toBeGreaterThan(1);
      expect(await ledgerFindings(state)).toEqual([]);
      expect([...(await settledUnits(state)).values()]).toEqual([FRAMES]);
      const keys = [
        `inputs/${accountId}/${taskId}`,
        `outputs/${accountId}/${jobId}/${taskId}/${lease}/masks.json`,
      ];
      expect((await keysInBucket(state.data)).toSorted()).toEqual(keys);
      // Only the folder of the service that runs is left, and it is empty.
      await expect
        .poll(() => machine.written(), { timeout: 60_000 })
        .toEqual([expect.stringMatching(/^inference-[^/]+$/)]);
    } finally {
      await stack.stop();
      await rm(stateDir, { recursive: true });
    }
  },
);
