/** Ends a task without a report: the Worker cancelled it, or its lease is lost. */
export class TaskDropped extends Error {
  override readonly name = "TaskDropped";
  readonly why: "cancelled" | "lease_lost";

  constructor(why: "cancelled" | "lease_lost") {
    super(why);
    this.why = why;
  }
}
