import { signal } from "@preact/signals";
import { type Answer, SegmentationClient } from "segmentation-client";
import { Instances } from "../../../src/screens/segment/inspector/instances.tsx";
import { ViewState } from "../../../src/screens/segment/state/view-state.ts";
import { session } from "../../../src/state/session.ts";
import { model } from "../../../src/workspace/service/model.ts";
import { Owner } from "../../../src/workspace/service/owner.ts";
import { Workspace } from "../../../src/workspace/workspace.ts";

/** A picture in which a box was drawn around one object, and the model of the service that the page's server plays. */
export interface PointedScene {
  readonly taskId: string;
  readonly box: readonly [x: number, y: number, width: number, height: number];
  /** URL of the object's mask, and the size of the picture. */
  readonly mask: string;
  readonly width: number;
  readonly height: number;
  readonly model: Answer<"retrieveModel">;
}

/** Objects of a picture; null as long as there are none. */
export const listed = signal<ViewState | null>(null);

/** Opens the list of a picture's objects. */
export async function openObjects(scene: PointedScene): Promise<void> {
  const { taskId, box, mask, width, height } = scene;
  session.value = {
    client: new SegmentationClient({ apiKey: "key", baseUrl: location.origin }),
    kind: "key",
  };
  model.value = scene.model;
  const workspace = new Workspace(new Owner("account"));
  const [key, jobId] = ["picture", "job_1"];
  const sending = { at: "sent", taskId } as const;
  workspace.pictures.value = [{ key, name: "cups.png", file: null, address: null, sending }];
  workspace.firstJob.value = jobId;
  const drawn = { number: 1, region: { box }, state: "drawn", jobId, key: "key", maskIndex: 0 } as const;
  workspace.pointed.value = [{ number: 1, picture: key, attempts: [drawn] }];
  const id = `${jobId}/${taskId}/0`;
  const png = await (await fetch(mask)).blob();
  const found = { id, object: id, prompt: null, label: null, confidence: 0.9, number: 1, width, height, png };
  workspace.drawn.value = new Map([[1, found]]);
  listed.value = new ViewState(workspace);
}

export const Listed = ({ viewState }: { readonly viewState: ViewState }) => (
  <Instances viewState={viewState} />
);
