import type { ApiKey } from "../../../../db/access/keys/api-keys";
import { DialogFooter } from "../../dialog";
import { Choice } from "../../../components/forms/choices";
import { Form } from "../../../components/forms/form";
import type { Frame } from "../../../components/frame";
import { Icon } from "../../../components/icon";
import { exact, spoken } from "../../../components/time";
import { paths } from "../../../paths";

type ReplaceProps = { frame: Frame; apiKey: ApiKey; once: string; stopsAt: Date };

/** @param once a one-time form token */
export const ReplaceKeyForm = ({ frame, apiKey, once, stopsAt }: ReplaceProps) => (
  <Form action={`${paths.apiKeys}/${apiKey.id}/replace`} token={frame.token} class="stack">
    <input type="hidden" name="once" value={once} />
    <OldAndNew frame={frame} apiKey={apiKey} />
    <Choice
      name="stops"
      label="The old key stops"
      value="week"
      options={[
        ["week", `In 7 days (${exact(stopsAt, frame.preferences)})`],
        ["day", "In 24 hours"],
        ["now", "Now, because it has leaked"],
      ]}
      hint="You can give it more time. Once it has stopped, requests with it fail (401)."
    />
    <DialogFooter cancel={paths.apiKeys}>Replace key</DialogFooter>
  </Form>
);

const OldAndNew = ({ frame, apiKey: { prefix, lastFour, lastUsedAt } }: Pick<ReplaceProps, "frame" | "apiKey">) => (
  <div class="old-and-new">
    <div>
      <strong>The old key</strong>
      <span class="mono">
        {prefix}…{lastFour}
      </span>
      <span class="hint">
        {lastUsedAt ? `Last used ${spoken(lastUsedAt, frame)}. ` : "Never used. "}It works until the time below.
      </span>
    </div>
    <Icon name="chevron-right" />
    <div class="new">
      <strong>The new key</strong>
      <span class="hint">It works immediately, and is shown once, on the next page.</span>
    </div>
  </div>
);
