import { Icon } from "../icon";

/** `label` names the action and its row, `title` only the action. */
type RowButtonProps = { id: string; action: string; label: string; title: string; icon: string };

/** A button in a row, as an icon, that opens a dialog or another page. */
export const RowButton = ({ id, action, label, title, icon }: RowButtonProps) => (
  <button
    type="submit"
    class="btn quiet sm icon-only"
    id={id}
    formaction={action}
    data-plain
    aria-label={label}
    title={title}
  >
    <Icon name={icon} />
  </button>
);
