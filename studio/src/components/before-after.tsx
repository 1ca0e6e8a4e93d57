import { useSignal } from "@preact/signals";
import "./before-after.css";

/** The sample picture and what the service finds in it, with an edge between them that can be moved. */
export function BeforeAfter() {
  const at = useSignal(50);
  return (
    <figure class="before-after" style={{ "--at": `${at.value}%` }}>
      <img
        src="/landing/before.webp"
        width={600}
        height={400}
        alt="A cup of coffee on a saucer, with a spoon"
      />
      <img
        src="/landing/after.webp"
        width={600}
        height={400}
        alt="The same picture with a mask on the cup and one on the spoon"
      />
      <input
        type="range"
        min={0}
        max={100}
        value={at.value}
        aria-label="Share of the picture that is shown without masks, in percent"
        onInput={(event) => {
          at.value = event.currentTarget.valueAsNumber;
        }}
      />
    </figure>
  );
}
