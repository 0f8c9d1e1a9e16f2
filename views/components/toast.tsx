import { Postmark } from "./drawings";
import { Form } from "./forms/form";
import type { Notice } from "./frame";
import { Icon } from "./icon";

/** A notice. Success messages disappear automatically; errors stay until they are closed. */
export const Toast = ({ notice, token }: { notice: Notice; token: string }) => (
  <div
    class="toast"
    data-toast={notice.kind}
    data-said-by={notice.saidBy}
    role={notice.kind === "bad" ? "alert" : undefined}
  >
    {notice.postmark ? (
      <Postmark day={notice.postmark} />
    ) : (
      <Icon name={notice.kind === "bad" ? "circle-alert" : "circle-check"} />
    )}
    <p>{notice.text}</p>
    {notice.undo && (
      <Form action={notice.undo.action} token={token}>
        {Object.entries(notice.undo.fields).map(([name, value]) => (
          <input type="hidden" name={name} value={value} />
        ))}
        <button type="submit" class="btn sm">
          Undo
        </button>
      </Form>
    )}
    {notice.open && (
      <a class="btn sm" href={notice.open}>
        Open
      </a>
    )}
    {notice.live && (
      <a class="btn sm" href={notice.live} rel="noreferrer" target="_blank">
        View live
      </a>
    )}
    <button type="button" class="btn sm icon-only quiet with-script" aria-label="Dismiss" data-dismiss-toast>
      <Icon name="x" />
    </button>
  </div>
);

/** A notice that is sent with a fragment, into the shell's live region. */
export const ToastPartial = ({ notice, token }: { notice: Notice; token: string }) => (
  <hx-partial hx-target="#toasts" hx-swap="beforeend">
    <Toast notice={notice} token={token} />
  </hx-partial>
);
