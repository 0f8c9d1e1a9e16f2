import { Icon } from "./icon";

type Props = { from: string; class?: string; id?: string };

/** Copies what stands in the element `from`; app.ts does it, so there is no button without scripts. */
export const CopyButton = ({ from, class: classes = "btn", id }: Props) => (
  <button type="button" class={`${classes} with-script`} id={id} data-copy={`#${from}`}>
    <Icon name="copy" />
    <span data-label>Copy</span>
  </button>
);
