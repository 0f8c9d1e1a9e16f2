import type { Child } from "../jsx/jsx-runtime";
import { Icon } from "./icon";

type DialogLinkProps = {
  href: string;
  id?: string | undefined;
  class?: string | undefined;
  icon?: string | undefined;
  hotkey?: string | undefined;
  title?: string | undefined;
  "aria-label"?: string | undefined;
  children?: Child;
};

/** A link that opens its page as a dialog. Without scripts it leads to the page. */
export const DialogLink = ({ href, icon, hotkey, children, ...link }: DialogLinkProps) => (
  <a class="btn" {...link} href={href} hx-get={href} hx-target="#dialog" data-hotkey={hotkey}>
    {icon && <Icon name={icon} />}
    {children}
  </a>
);

type Props = { from: string; class?: string; id?: string };

/** Copies the text of the element `from`. app.ts does it, so without scripts there is no button. */
export const CopyButton = ({ from, class: classes = "btn", id }: Props) => (
  <button type="button" class={`${classes} with-script`} id={id} data-copy={`#${from}`}>
    <Icon name="copy" />
    <span data-label>Copy</span>
  </button>
);
