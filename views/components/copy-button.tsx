import { Icon } from "./icon";

type Props = { from: string; class?: string; id?: string };

/** Copies the text of the element `from`. app.ts does it, so without scripts there is no button. */
export const CopyButton = ({ from, class: classes = "btn", id }: Props) => (
  <button type="button" class={`${classes} with-script`} id={id} data-copy={`#${from}`}>
    <Icon name="copy" />
    <span data-label>Copy</span>
  </button>
);
