import { Help } from "../../components/help";
import { dayMs } from "../../../db/lib/time";
import type { ApiKey, ListedKey } from "../../../db/access/keys/api-keys";
import { Badge } from "../../components/badge";
import { Check, Choice } from "../../components/forms/fields";
import { Form } from "../../components/forms/form";
import type { Frame } from "../../components/frame";
import { Icon } from "../../components/icon";
import { EmptyList, type ListView, plural } from "../../components/list";
import { listPage } from "../../components/lists/list-page";
import { date, exact, spoken, Time } from "../../components/time";
import { By } from "../../components/who";
import { Menu, MenuButton, MenuLink } from "../../components/lists/row-actions";
import { paths } from "../../paths";
import { DialogFooter } from "../dialog";
import { CreateLink, Head } from "../shell";

type Props = { apiKey: ListedKey; frame: Frame };

const soonDays = 30;

/** Whether the key is accepted, and if not, why. */
export function KeyState({ apiKey }: Pick<Props, "apiKey">) {
  if (!apiKey.active) return <Badge tone="off">Inactive</Badge>;
  if (!apiKey.isAccepted) return <Badge tone="off">Expired</Badge>;
  return apiKey.replacedBy ? <Badge tone="warn">Being replaced</Badge> : <Badge tone="good">Active</Badge>;
}

/** When the key stops. */
export function End({ apiKey, frame }: Props) {
  const { active, expiresAt, replacedBy } = apiKey;
  if (!expiresAt || !active) return <span class="none">{active ? "Never" : "–"}</span>;
  const left = Math.ceil((expiresAt.getTime() - frame.now.getTime()) / dayMs);
  const isLeft = left > 0;
  const at = (
    <time datetime={expiresAt.toISOString()} title={`${exact(expiresAt, "UTC")} UTC`}>
      {isLeft && replacedBy ? `Stops ${exact(expiresAt, frame.preferences)}` : date(expiresAt, frame.preferences)}
    </time>
  );
  return isLeft && !replacedBy && left <= soonDays ? <Badge tone="warn">In {plural(left, "day")}</Badge> : at;
}

/** A replaced key can be extended, any other can be replaced, and both can be stopped now. */
function KeyActions({ apiKey, frame }: Props) {
  const { id, name, replacedBy } = apiKey;
  const url = `${paths.apiKeys}/${id}`;
  if (!apiKey.isAccepted) return null;
  return (
    <Menu id={id} label={`Actions for ${name}`}>
      {replacedBy ? (
        <Form action={`${url}/extend`} token={frame.token}>
          <MenuButton id={`extend-${id}`} icon="clock">
            7 more days
          </MenuButton>
        </Form>
      ) : (
        <a class="btn quiet" id={`replace-${id}`} href={`${url}/replace`}>
          <Icon name="refresh-cw" />
          Replace…
        </a>
      )}
      <MenuLink id={`deactivate-${id}`} href={`${url}/deactivate`} icon="ban" hotkey="#">
        Deactivate…
      </MenuLink>
    </Menu>
  );
}

/** After this many days without use, an active key may be forgotten. */
export const forgottenAfter = 30;

/** What names a key; on a narrow screen also when it ends. */
const KeyName = ({ apiKey, frame }: Props) => (
  <>
    <a id={`open-${apiKey.id}`} href={`${paths.apiKeys}/${apiKey.id}`} class="who">
      {apiKey.name}
    </a>
    <span class="sub mono">
      {apiKey.prefix}…{apiKey.lastFour}
    </span>
    <span class="sub">{[apiKey.scopes, apiKey.networks].flatMap((limits) => limits ?? []).join(", ")}</span>
    {apiKey.scopes?.includes("visitors") && <span class="sub">Passes on the forms and views of visitors</span>}
    {apiKey.expiresAt && (
      <span class="sub on-card">
        {!apiKey.replacedBy && "Expires: "}
        <End apiKey={apiKey} frame={frame} />
      </span>
    )}
  </>
);

const Created = ({ apiKey: { createdAt, createdBy }, frame }: Props) => (
  <>
    <Time at={createdAt} clock={frame} />
    {createdBy && (
      <span class="sub">
        <By actor={createdBy} names={frame.names} />
      </span>
    )}
  </>
);

/** When the key was last used. Idle keys are highlighted, because no one would notice if one were stolen. */
export function LastUse({ apiKey, frame }: { apiKey: ListedKey; frame: Frame }) {
  const { lastUsedAt, createdAt } = apiKey;
  const active = apiKey.isAccepted;
  const idle = Math.floor((frame.now.getTime() - (lastUsedAt ?? createdAt).getTime()) / dayMs);
  if (lastUsedAt && active && idle >= forgottenAfter)
    return <Badge tone="warn">Unused for {plural(idle, "day")}</Badge>;
  if (lastUsedAt) return <Time at={lastUsedAt} clock={frame} />;
  if (active && idle >= forgottenAfter) return <Badge tone="warn">Never used</Badge>;
  return <span class="none">{active && idle < 1 ? "Not used yet" : "Never used"}</span>;
}

type KeysView = ListView<ListedKey> & {
  counts: { active: number; inactive: number };
};

const NoKeyYet = () => (
  <EmptyList label="API keys" drawing="keys" title="No keys yet">
    <p>
      Sites send their key in the <code>x-api-key</code> header. Give each site its own key, so you can deactivate one
      without affecting the others.
    </p>
    <a class="btn" id="first-key" href={`${paths.apiKeys}/new`}>
      Generate your first key
    </a>
  </EmptyList>
);

const path = paths.apiKeys;

/** @param isFresh the password was confirmed recently, so the form can open in the dialog */
export const KeysHead = ({ isFresh }: { isFresh: boolean }) => (
  <Head
    title="API keys"
    lead={
      <>
        Your sites use API keys to read posts, projects and settings and to upload files. One key works for all of them.{" "}
        <Help of="scopes" />
      </>
    }
  >
    <Generate isFresh={isFresh} id="generate" />
  </Head>
);

const Generate = ({ isFresh, id }: { isFresh: boolean; id: string }) => (
  <CreateLink id={id} href={`${path}/new`} isDialog={isFresh}>
    Generate new key
  </CreateLink>
);

export const KeyList = listPage<ListedKey, KeysView>({
  label: "API keys",
  noun: "key",
  what: "keys",
  isEmpty: ({ counts }) => counts.active + counts.inactive === 0,
  Empty: () => <NoKeyYet />,
  segments: ({ counts }) => ({
    name: "status",
    label: "Status",
    options: [
      { value: "", label: "All", count: counts.active + counts.inactive },
      { value: "active", label: "Active", count: counts.active },
      { value: "inactive", label: "Inactive", count: counts.inactive },
    ],
  }),
  columns: ({ frame }) => [
    { title: "Name", kind: "main", cell: (apiKey) => <KeyName apiKey={apiKey} frame={frame} /> },
    { title: "Status", kind: "state", cell: (apiKey) => <KeyState apiKey={apiKey} /> },
    { title: "Expires", kind: "extra", cell: (apiKey) => <End apiKey={apiKey} frame={frame} /> },
    { title: "Last used", sort: "used", kind: "when", cell: (apiKey) => <LastUse apiKey={apiKey} frame={frame} /> },
    { title: "Created", sort: "created", kind: "extra", cell: (apiKey) => <Created apiKey={apiKey} frame={frame} /> },
  ],
  rowId: ({ id }) => `key-${id}`,
  rowActions: (apiKey, { frame }) => <KeyActions apiKey={apiKey} frame={frame} />,
});

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
        ["month", "In 30 days"],
        ["day", "In 24 hours"],
        ["now", "Now, because it has leaked"],
      ]}
      hint="You can give it more time. Once it has stopped, requests with it fail (401)."
    />
    <Check
      name="quiet"
      label="Stop it earlier if no one uses it"
      checked
      hint="After a day without a call, once the new key is used. Clear this if a program calls less often."
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
      <span class="hint">It works immediately, with the same limits, and is shown once, on the next page.</span>
    </div>
  </div>
);
