import type { Signal } from "@preact/signals";
import { useId } from "preact/hooks";
import "./slider.css";

interface SliderProps {
  readonly label: string;
  /** The value in words. */
  readonly valueText: string;
  readonly value: number;
  readonly min?: number;
  readonly onInput: (value: number) => void;
}

/** A slider for a share from `min` to 1. */
export function Slider({ label, valueText, value, min = 0, onInput }: SliderProps) {
  const id = useId();
  return (
    <div class="slider">
      <label for={id}>{label}</label>
      <output for={id}>{valueText}</output>
      <input
        id={id}
        type="range"
        aria-valuetext={valueText}
        min={min}
        max={1}
        step={0.01}
        value={value}
        onInput={({ currentTarget }) => onInput(currentTarget.valueAsNumber)}
      />
    </div>
  );
}

/** Opacity of masks, 0 to 1. */
export const MaskOpacity = ({ opacity }: { readonly opacity: Signal<number> }) => (
  <Slider
    label="Mask opacity"
    valueText={`${Math.round(opacity.value * 100)}%`}
    value={opacity.value}
    onInput={(value) => (opacity.value = value)}
  />
);
