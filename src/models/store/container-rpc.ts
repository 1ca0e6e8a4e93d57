/**
 * The state of an instance's machine. `up`: its model is ready. `starting`: wait. `failed`: the last start failed, and the next
 * one may begin only after a pause.
 */
export type MachineState = "asleep" | "starting" | "up" | "failed";

/** The RPC methods of an InferenceContainer (object/inference-container.ts), which also forwards requests by `fetch`. */
export interface ContainerRpc {
  /** Returns the machine's state, without waking it. */
  machine(): MachineState;
  /** Starts the machine if it is asleep. Returns at once. */
  wake(): void;
}

export type ContainerNamespace = DurableObjectNamespace<ContainerRpc & Rpc.DurableObjectBranded>;
