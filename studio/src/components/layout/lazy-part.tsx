import type { FunctionComponent } from "preact";
import { ErrorBoundary, lazy } from "preact-iso";
import { isOnline } from "../../state/online.ts";
import { Button } from "../controls/button.tsx";
import { Notice } from "./notice.tsx";

/** A part of the studio that is fetched when it is first drawn. If that fails, a notice replaces it. */
export const lazyPart = <P,>(load: () => Promise<FunctionComponent<P>>): FunctionComponent<P> =>
  lazy(async () => {
    try {
      return await load();
    } catch {
      return NotLoaded;
    }
  });

/** Has what is around a lazy part stay as it is while the part is being fetched. */
export const inPlace =
  <P extends object>(Part: FunctionComponent<P>): FunctionComponent<P> =>
  (props) => (
    <ErrorBoundary>
      <Part {...props} />
    </ErrorBoundary>
  );

/** A dialog that is fetched when it is first opened. */
export const lazyDialog = <P extends object>(
  load: () => Promise<FunctionComponent<P>>,
): FunctionComponent<P> => inPlace(lazy(load));

/** There was no network, or a newer studio has been deployed in the meantime. A browser requests a script once per page. */
const NotLoaded = () => (
  <div class="page">
    <Notice
      tone="warning"
      title="This part of the studio has not loaded yet"
      actions={isOnline.value && <Button onClick={() => location.reload()}>Reload</Button>}
    >
      {isOnline.value
        ? "Reload the page to load it. Your work is kept."
        : "You can load it when the network is back."}
    </Notice>
  </div>
);
