import { Button } from "../../components/button.tsx";
import { Notice } from "../../components/notice.tsx";
import { problemSentence } from "../../text/problem-words.ts";
import type { Work } from "../../work/work.ts";

/** Pictures that could not be sent, with why, and what to do about them. */
export function Unsent({ work, onRetry }: { readonly work: Work; readonly onRetry: () => void }) {
  const unsent = work.unsent.value;
  if (unsent.length === 0 || work.going.value.at !== "idle") return null;
  const leaveOut = (): void => {
    for (const { key } of unsent) work.remove(key);
  };
  return (
    <Notice
      tone="danger"
      title={
        unsent.length === 1 ? "1 file could not be uploaded" : `${unsent.length} files could not be uploaded`
      }
      actions={
        <>
          <Button onClick={onRetry}>Try again</Button>
          <Button onClick={leaveOut}>Remove {unsent.length === 1 ? "it" : "them"}</Button>
        </>
      }
    >
      <ul>
        {unsent.slice(0, 3).map(({ key, name, sending }) => (
          <li key={key}>
            {name}: {sending.at === "failed" && problemSentence(sending.error)}
          </li>
        ))}
        {unsent.length > 3 && <li>And {unsent.length - 3} more.</li>}
      </ul>
    </Notice>
  );
}
