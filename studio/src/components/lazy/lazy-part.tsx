import type { FunctionComponent } from "preact";
import { ErrorBoundary, lazy } from "preact-iso";
import { useSignal } from "@preact/signals";
import { isOnline } from "../../state/online.ts";
import { fetchLater } from "../../state/scripts.ts";
import { Button } from "../controls/button.tsx";
import { Dialog } from "../dialogs/dialog.tsx";
import { Notice } from "../layout/notice.tsx";

type Load<P> = () => Promise<FunctionComponent<P>>;

/** Component whose script is fetched when it is first drawn, or before that while the page is idle. */
const lazyOr = <P,>(load: Load<P>, fallback: FunctionComponent<P>): FunctionComponent<P> => {
  fetchLater(load);
  return lazy(async () => await load().catch(() => fallback));
};

/** Screen of the studio. The one before it stays until it has loaded. */
export const lazyScreen = <P,>(load: Load<P>): FunctionComponent<P> => lazyOr(load, NotLoaded);

/** Part of a screen. The rest of the screen stays unchanged until the part has loaded. */
export const lazyPart = <P extends object>(load: Load<P>): FunctionComponent<P> =>
  inPlace(lazyOr(load, NotLoaded));

/** Dialog, open while it is drawn. */
export const lazyDialog = <P extends { readonly onClose: () => void }>(load: Load<P>): FunctionComponent<P> =>
  inPlace(lazyOr(load, NotLoadedDialog));

const inPlace =
  <P extends object>(Part: FunctionComponent<P>): FunctionComponent<P> =>
  (props) => (
    <ErrorBoundary>
      <Part {...props} />
    </ErrorBoundary>
  );

const TITLE = "This part of the studio has not loaded yet";

/** There was no network, or a newer studio has been deployed in the meantime. A browser requests a script once per page. */
const NotLoaded = () => (
  <div class="page">
    <Notice tone="warning" title={TITLE} actions={isOnline.value && <Reload />}>
      <Advice />
    </Notice>
  </div>
);

const NotLoadedDialog = ({ onClose }: { readonly onClose: () => void }) => (
  <Dialog
    title={TITLE}
    onClose={onClose}
    actions={
      <>
        {isOnline.value && <Reload />}
        <Button variant="quiet" onClick={onClose}>
          Close
        </Button>
      </>
    }
  >
    <Advice />
  </Dialog>
);

const Advice = () => (
  <p>
    {isOnline.value
      ? "Reload the page to load it. Your work is kept."
      : "You can load it when the network is back."}
  </p>
);

/** Button that reloads the page, unless the service is away: then nothing would come back. */
function Reload() {
  const isAway = useSignal(false);
  const reload = async (): Promise<void> => {
    const answer = await fetch(location.href, { method: "HEAD", cache: "no-store" }).catch(() => null);
    if (answer?.ok === true) location.reload();
    else isAway.value = true;
  };
  return (
    <Button onClick={() => void reload()}>
      {isAway.value ? "The service doesn’t answer. Try again" : "Reload"}
    </Button>
  );
}
