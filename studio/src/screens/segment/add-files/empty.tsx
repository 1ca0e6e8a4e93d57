import { useSignal } from "@preact/signals";
import type { TargetedSubmitEvent } from "preact";
import coffee from "../../../../../samples/coffee.png";
import { Button, Icon } from "../../../components/controls/button.tsx";
import { Field } from "../../../components/controls/field.tsx";
import { overview } from "../../../state/session.ts";
import { limitsInWords, obstacleTo } from "../../../workspace/rules/obstacles.ts";
import type { Given } from "../../../workspace/rules/inspect-file.ts";
import { addressesIn } from "../../../workspace/rules/picture.ts";
import type { Workspace } from "../../../workspace/workspace.ts";
import { Choose } from "./choose.tsx";
import { ObstacleNotice, Refused } from "./notices.tsx";
import "./empty.css";

interface EmptyProps {
  readonly workspace: Workspace;
  readonly onGiven: (given: readonly Given[]) => void;
}

async function sampleFile(): Promise<File> {
  const response = await fetch(coffee);
  return new File([await response.blob()], "coffee.png", { type: "image/png" });
}

/** Before there is a picture: the ways to give one. */
export function Empty({ workspace, onGiven }: EmptyProps) {
  const trySample = async (): Promise<void> => {
    onGiven([await sampleFile()]);
    workspace.prompts.value = ["cup", "spoon"];
  };
  const obstacle = overview.value === null ? null : obstacleTo(overview.value, "image", 1);
  // Nothing is dropped with a finger.
  const hasMouse = matchMedia("(pointer: fine)").matches;
  return (
    <section class="empty" aria-label="Add pictures">
      <div class="empty-middle">
        {obstacle !== null && <ObstacleNotice obstacle={obstacle} />}
        <Refused workspace={workspace} />
        <div class="empty-words">
          <h2>{hasMouse ? "Drop pictures or a video" : "Choose pictures or a video"}</h2>
          <p>
            Then say what to find, or point at it. Several pictures, or a folder of them, become one job.{" "}
            {limitsInWords(overview.value)}
          </p>
          <div class="empty-ways">
            <Choose variant="main" many onFiles={onGiven}>
              Choose files
            </Choose>
            {hasMouse && (
              <Choose folder onFiles={onGiven}>
                Choose a folder
              </Choose>
            )}
            <ByAddress onGiven={onGiven} />
          </div>
        </div>
        <button type="button" class="empty-sample" onClick={() => void trySample()}>
          <img src={coffee} alt="" width={600} height={400} />
          <span>
            <strong>Try this sample</strong> A cup, its saucer and a spoon.
          </span>
        </button>
      </div>
    </section>
  );
}

function ByAddress({ onGiven }: Pick<EmptyProps, "onGiven">) {
  const text = useSignal("");
  const problem = useSignal<string | null>(null);
  const isOpen = useSignal(false);
  const submit = (event: TargetedSubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const addresses = addressesIn(text.value);
    if (addresses === null) problem.value = "A URL starts with https://.";
    else onGiven(addresses);
  };
  if (!isOpen.value) return <Button onClick={() => (isOpen.value = true)}>From URL</Button>;
  return (
    <form class="empty-address" onSubmit={submit}>
      <Field
        label="URL of a picture or video"
        hint="The service fetches it. To add several, enter one per line."
        problem={problem.value}
      >
        {(attributes) => (
          <textarea
            {...attributes}
            class="input"
            rows={2}
            autofocus
            spellcheck={false}
            placeholder="https://"
            value={text.value}
            onInput={({ currentTarget }) => {
              text.value = currentTarget.value;
              problem.value = null;
            }}
            onKeyDown={(event) => {
              if (event.key !== "Enter" || event.shiftKey) return;
              event.preventDefault();
              event.currentTarget.form?.requestSubmit();
            }}
          />
        )}
      </Field>
      <Button type="submit">
        <Icon name="check" /> Import
      </Button>
    </form>
  );
}
