import type { ApiKey } from "../../../db/access/keys/api-keys";
import type { Manager } from "../../../db/access/managers";
import type { Broadcast } from "../../../db/broadcasts/broadcasts";
import type { StorageNode } from "../../../db/storage/nodes/nodes";
import type { Endpoint } from "../../../db/webhooks/endpoints";
import { Confirm } from "../../components/confirm";
import type { Frame } from "../../components/frame";
import { exact } from "../../components/time";
import type { Child } from "../../jsx/jsx-runtime";
import { paths } from "../../paths";

const path = paths.managers;

/** What a manager set up that would go on without them. */
export type SetUp = {
  keys: Pick<ApiKey, "id" | "name">[];
  /** The webhooks that get personal data. */
  endpoints: Endpoint[];
  otherEndpoints: Endpoint[];
  broadcasts: Broadcast[];
  rules: { id: string; name: string }[];
  /** Those that have not ended. */
  sequences: { id: string; name: string }[];
  nodes: Pick<StorageNode, "id" | "name">[];
};
type RemovalView = { frame: Frame; manager: Manager; setUp: SetUp; getsNotifications: boolean };

/** The question before a manager is removed: what they set up, and what of it an owner takes over. */
export const RemoveManager = ({ frame, manager, setUp, getsNotifications }: RemovalView) => (
  <Confirm frame={frame} action={`${path}/${manager.id}/remove`} verb="Remove manager" cancel={path}>
    <p>
      {manager.name} ({manager.email}) will be signed out immediately and lose access. Their invitations, and the
      preview links they shared, will stop working. Their entries stay in the audit log.
    </p>
    <WhatTheySetUp frame={frame} setUp={setUp} />
    {getsNotifications && (
      <p>
        Messages of visitors are sent to their address. Change the email address under{" "}
        <a href={paths.settings}>Settings</a>.
      </p>
    )}
  </Confirm>
);

/** What of it an owner takes over, and what stays. */
export const WhatTheySetUp = ({ frame, setUp }: { frame: Frame; setUp: SetUp }) => (
  <>
    <TakeOver
      title="Webhooks with personal data"
      hint="They get names, addresses and messages. Those that you do not take over are turned off."
      items={setUp.endpoints.map(({ id, name, url }) => ({ id, label: name, detail: url }))}
    />
    <TakeOver
      title="API keys"
      hint="They may still know these keys. Those that you do not take over are deactivated, which cannot be undone."
      items={setUp.keys.map(({ id, name }) => ({ id, label: name }))}
      areKept
    />
    <TakeOver
      title="Scheduled broadcasts"
      hint="Those that you do not take over become drafts again."
      items={setUp.broadcasts.map(({ id, subject, scheduledAt }) => ({
        id,
        label: subject || "Untitled",
        detail: scheduledAt && exact(scheduledAt, frame.preferences),
      }))}
    />
    <TakeOver
      title="Rules for posts"
      hint="They decide what is sent of a published post. Those that you do not take over are turned off."
      items={setUp.rules.map(({ id, name }) => ({ id, label: name }))}
    />
    <Others endpoints={setUp.otherEndpoints} />
    <Sequences sequences={setUp.sequences} />
    <Nodes nodes={setUp.nodes} />
  </>
);

type TakeOverProps = {
  title: string;
  hint: string;
  items: { id: string; label: string; detail?: Child }[];
  /** Whether they are taken over unless the owner says otherwise: without their keys, sites would fail. */
  areKept?: boolean;
};

const TakeOver = ({ title, hint, items, areKept = false }: TakeOverProps) =>
  items.length === 0 ? null : (
    <fieldset class="stack">
      <legend>{title}</legend>
      <p class="hint">{hint}</p>
      {items.map(({ id, label, detail }) => (
        <div class="check">
          <input type="checkbox" id={`keep-${id}`} name="keep" value={id} checked={areKept} />
          <label for={`keep-${id}`}>
            Take over “{label}”{detail && <span class="hint">{detail}</span>}
          </label>
        </div>
      ))}
    </fieldset>
  );

const Others = ({ endpoints }: { endpoints: Endpoint[] }) =>
  endpoints.length === 0 ? null : (
    <p>
      Other <a href={paths.webhooks}>webhooks</a> they added or changed, which get no personal data or are off, stay as
      they are: {endpoints.map(({ name }) => `“${name}”`).join(", ")}.
    </p>
  );

const Sequences = ({ sequences }: Pick<SetUp, "sequences">) =>
  sequences.length === 0 ? null : (
    <p>
      <a href={paths.sequences}>Sequences</a> they made or started go on, because people are in the middle of them:{" "}
      {sequences.map(({ name }) => `“${name}”`).join(", ")}.
    </p>
  );

const Nodes = ({ nodes }: Pick<SetUp, "nodes">) =>
  nodes.length === 0 ? null : (
    <p>
      They may still know the keys of <a href={paths.nodes}>storage nodes</a> that they added or changed:{" "}
      {nodes.map(({ name }) => `“${name}”`).join(", ")}. These stay in use, because their files would be out of reach
      otherwise. Make new keys at the provider, and enter them here.
    </p>
  );
