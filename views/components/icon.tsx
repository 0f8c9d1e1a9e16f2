import { asset } from "../assets";

/** One symbol of the sprite. Decorative always: the words stand beside it, or in the control's label. */
export const Icon = ({ name }: { name: string }) => (
  <svg class="icon" aria-hidden="true" focusable="false">
    <use href={`${asset("icons.svg")}#${name}`} />
  </svg>
);
