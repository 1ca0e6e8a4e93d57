import { ServiceError } from "../../core/errors.ts";

/** The end of each path's routes: the path exists, the method does not. */
export const wrongMethod = (): never => {
  throw new ServiceError("method_not_allowed");
};
