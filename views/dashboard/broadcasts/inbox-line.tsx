export type InboxWords = { from: { name: string; address: string }; subject: string; preheader: string };

type LineProps = InboxWords & { id?: string; isFramed?: boolean };

/** A preview of the line in an inbox. */
export const InboxLine = ({ from, subject, preheader, id, isFramed = false }: LineProps) => (
  <p class={isFramed ? "inbox-line framed" : "inbox-line"} id={id}>
    <strong>{from.name}</strong>
    <span class="hint">{from.address}</span>
    <span class="gist">
      <b>{subject || "Untitled"}</b>
      {preheader && ` – ${preheader}`}
    </span>
  </p>
);
