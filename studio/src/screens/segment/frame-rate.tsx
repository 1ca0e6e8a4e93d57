import { Field } from "../../components/field.tsx";
import type { Work } from "../../work/work.ts";

const RATES = [1, 2, 5, 10, 25];

/** How many frames of a clip are processed per second. */
export const FrameRate = ({ work }: { readonly work: Work }) => (
  <Field label="Frames per second" hint="More frames follow fast movement better, but each one is a unit.">
    {(attributes) => (
      <select
        {...attributes}
        class="input"
        value={work.fps.value}
        onChange={({ currentTarget }) => {
          work.fps.value = Number(currentTarget.value);
        }}
      >
        {RATES.map((rate) => (
          <option key={rate} value={rate}>
            {rate}
          </option>
        ))}
      </select>
    )}
  </Field>
);
