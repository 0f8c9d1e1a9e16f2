import type { Child } from "../jsx/jsx-runtime";
import { Icon } from "./icon";

/** Further actions of a row, in a menu opened by a button. It works without scripts; Escape closes it. */
export const Menu = ({ id, label, children }: { id: string; label: string; children?: Child }) => (
  <>
    <button
      type="button"
      class="btn quiet sm icon-only"
      id={`more-${id}`}
      popovertarget={`menu-${id}`}
      aria-label={label}
    >
      <Icon name="ellipsis" />
    </button>
    <div class="menu" id={`menu-${id}`} popover="auto">
      {children}
    </div>
  </>
);
