/** The model can't work at present, which is no task's fault: the task is handed back and loses no attempt. */
export class ModelUnavailable extends Error {
  override readonly name = "ModelUnavailable";
}
