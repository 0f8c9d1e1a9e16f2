import { Form } from "../../../components/forms/form";
import type { Child } from "../../../jsx/jsx-runtime";
import { path } from "../state";
import type { RunView } from "./view";

type ActProps = { view: Pick<RunView, "frame" | "broadcast">; act: string; label: string; children?: Child };

/** A form with one button, for the broadcast as shown. */
export const Act = ({ view: { frame, broadcast }, act, label, children }: ActProps) => (
  <Form action={`${path}/${broadcast.id}/${act}`} token={frame.token} label={label} class="row">
    <input type="hidden" name="version" value={String(broadcast.version)} />
    {children}
  </Form>
);
