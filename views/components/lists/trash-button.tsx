import { Icon } from "../icon";

type TrashButtonProps = { id: string; title: string; path: string };

/** Moves the row to the trash, which can be undone. */
export const TrashButton = ({ id, title, path }: TrashButtonProps) => (
  <button
    type="submit"
    class="btn quiet sm icon-only"
    id={`trash-${id}`}
    formaction={`${path}/${id}/trash`}
    data-hotkey="#"
    aria-label={`Delete ${title}`}
    title="Delete"
  >
    <Icon name="trash-2" />
  </button>
);
