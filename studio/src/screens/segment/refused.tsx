import { Notice } from "../../components/notice.tsx";
import type { Work } from "../../work/work.ts";

/** What was given and not taken. */
export function Refused({ work }: { readonly work: Work }) {
  const sentences = work.refused.value;
  if (sentences.length === 0) return null;
  return (
    <Notice
      tone="warning"
      title={sentences.length === 1 ? "1 item not added" : `${sentences.length} items not added`}
    >
      <ul>
        {sentences.slice(0, 3).map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
        {sentences.length > 3 && <li>And {sentences.length - 3} more.</li>}
      </ul>
    </Notice>
  );
}
