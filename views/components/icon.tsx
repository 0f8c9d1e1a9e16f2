import { asset } from "../assets";

/** A symbol of the sprite. Always decorative: the text is next to it, or in the control's label. */
export const Icon = ({ name }: { name: string }) => (
  <svg class="icon" aria-hidden="true" focusable="false">
    <use href={`${asset("icons.svg")}#${name}`} />
  </svg>
);
