import { DialogLink } from "../buttons";
import type { Child } from "../../jsx/jsx-runtime";
import { Icon } from "../icon";

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

type RowLinkProps = { id: string; href: string; label: string; of: string; hotkey?: string | undefined };

/** A link in a row that opens a dialog. `label` says what it does, and `of` to which row. */
export const RowLink = ({ label, of, ...link }: RowLinkProps) => (
  <DialogLink {...link} class="btn quiet sm" aria-label={`${label} ${of}`}>
    {label}
  </DialogLink>
);

type MenuLinkProps = { id?: string; href: string; icon: string; hotkey?: string; children?: Child };

/** A link in the menu of a row that opens a dialog. */
export const MenuLink = (link: MenuLinkProps) => <DialogLink {...link} class="btn quiet" />;

type MenuButtonProps = {
  id: string;
  /** Where the list's form is sent. Without it the button is in a form of its own. */
  action?: string;
  icon: string;
  /** Opens another page, instead of changing the list. */
  isPlain?: boolean;
  hotkey?: string;
  title?: string;
  children?: Child;
};

/** A button in the menu of a row. */
export const MenuButton = ({ id, action, icon, isPlain, hotkey, title, children }: MenuButtonProps) => (
  <button
    type="submit"
    class="btn quiet"
    id={id}
    formaction={action}
    data-plain={isPlain ? true : undefined}
    data-hotkey={hotkey}
    title={title}
  >
    <Icon name={icon} />
    {children}
  </button>
);

/** Moves the row to the trash, which can be undone. */
export const TrashButton = ({ id, path }: { id: string; path: string }) => (
  <MenuButton id={`trash-${id}`} action={`${path}/${id}/trash`} icon="trash-2" hotkey="#">
    Delete
  </MenuButton>
);
