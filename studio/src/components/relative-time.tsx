import { now } from "../state/now.ts";
import { fullTime, relativeTime } from "../text/relative-time.ts";

/** How long ago, or how soon, a time (ISO 8601) is; the time in full is its title. */
export const RelativeTime = ({ at }: { readonly at: string }) => (
  <time dateTime={at} title={fullTime(at)}>
    {relativeTime(at, Math.max(now.value, Date.now()))}
  </time>
);
