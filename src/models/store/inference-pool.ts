import type { DecoderRequest, ModelDescription, TaskRequest, WaitingTask } from "@segmentation/protocol";

/** The inference service's answer to a task. `busy` is back-pressure: offer the task again after `delayMs`. */
export type SubmitOutcome =
  | { readonly outcome: "accepted" }
  | {
      readonly outcome: "busy";
      readonly delayMs: number;
      readonly reason: string;
      /** False if an operator should check: the service is unreachable, or gives an invalid answer. */
      readonly expected: boolean;
      /** True if the service may have taken the task: it gave no answer, or a proxy answered in its place. */
      readonly perhapsTaken: boolean;
    }
  | { readonly outcome: "refused"; readonly reason: string };

/** The tasks that would find room; `away` has the reason if it is not their number. */
export interface Room {
  readonly room: readonly boolean[];
  /** `expected` is false if an operator should check. */
  readonly away: { readonly reason: string; readonly expected: boolean } | null;
}

/** The reason why the service reports no readable model, for the log. */
export interface NoModel {
  readonly reason: string;
  /** The service's version of the protocol if it is not the Worker's. */
  readonly otherProtocol?: number;
}

/** Inference services with one model and one capacity. Its name is stored with the tasks that it has taken. */
export interface InferencePool {
  readonly name: string;
  /** Offers a task of an upload. An unreachable pool counts as busy: it may come back. */
  submit(request: TaskRequest, uploadId: string): Promise<SubmitOutcome>;
  /**
   * Returns which of these tasks would find room if they were offered now, in this order. Null if the pool's service is too old
   * to answer.
   * @param uploadId the first task's
   */
  room(tasks: readonly WaitingTask[], uploadId: string): Promise<Room | null>;
  /** Returns the loaded model, if the pool's service speaks the Worker's version of the protocol. */
  describeModel(): Promise<ModelDescription | NoModel>;
  /** Makes the pool put its decoder into the bucket, if it is reachable; otherwise the next request for the model does. */
  putDecoder(request: DecoderRequest): Promise<void>;
  /** Makes the pool drop a task, if it is reachable; otherwise the task's next callback does. */
  cancel(key: string, uploadId: string): Promise<void>;
}
