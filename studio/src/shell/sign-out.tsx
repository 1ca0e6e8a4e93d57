import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Button, Icon } from "../components/controls/button.tsx";
import { lazyDialog } from "../components/lazy/lazy-part.tsx";
import { signOut } from "../sign-in/sign-in.ts";
import { lostBySignOut } from "../workspace/current.ts";

const load = async () => (await import("./sign-out-dialog.tsx")).SignOutDialog;
const SignOutDialog = lazyDialog(load);

/** Button that signs out, and asks first if anything would be lost. */
export function SignOut({ who }: { readonly who: string }) {
  const lost = useSignal<readonly string[]>([]);
  const busy = useSignal(false);
  // It is needed when there is no network, too.
  useEffect(() => void load().catch(() => undefined), []);
  const leave = async (): Promise<void> => {
    busy.value = true;
    lost.value = await lostBySignOut();
    busy.value = false;
    if (lost.value.length === 0) signOut();
  };
  return (
    <>
      <Button variant="quiet" busy={busy.value} onClick={() => void leave()} title={who}>
        <Icon name="out" />
        <span class="shell-out">Sign out</span>
      </Button>
      {lost.value.length > 0 && <SignOutDialog lost={lost.value} onClose={() => (lost.value = [])} />}
    </>
  );
}
