import type { Segment } from "../../../db/newsletter/segments/definition";
import type { Caller } from "../../../db/access/keys/callers";
import type { ListedKey } from "../../../db/access/keys/api-keys";
import { Badge } from "../../components/badge";
import { bytes } from "../../components/bytes";
import { DialogLink } from "../../components/buttons";
import { Empty } from "../../components/empty";
import { Fact } from "../../components/fact";
import type { Frame } from "../../components/frame";
import { Icon } from "../../components/icon";
import { plural } from "../../components/list";
import { type Column, ColumnTable } from "../../components/lists/table";
import { exact, Time } from "../../components/time";
import { By } from "../../components/who";
import { paths } from "../../paths";
import { Crumb, Head } from "../shell";
import { End, KeyState, LastUse } from "./api-keys";
import { scopeLabels } from "./new-api-key";

type KeyView = {
  frame: Frame;
  apiKey: ListedKey;
  /** What it may do. */
  scopes: readonly (keyof typeof scopeLabels)[];
  /** The latest first. */
  callers: readonly Caller[];
};

/** One API key: its limits, and who uses it. */
export const KeyPage = (view: KeyView) => (
  <>
    <Crumb href={paths.apiKeys}>API keys</Crumb>
    <Head
      title={view.apiKey.name}
      lead={
        <>
          <KeyState apiKey={view.apiKey} /> &ensp;
          <span class="mono">
            {view.apiKey.prefix}…{view.apiKey.lastFour}
          </span>
        </>
      }
    >
      <Actions {...view} />
    </Head>
    <IsReplaced {...view} />
    <div class="stack">
      <Details {...view} />
      <Callers {...view} />
    </div>
  </>
);

function Actions({ apiKey }: Pick<KeyView, "apiKey">) {
  const url = `${paths.apiKeys}/${apiKey.id}`;
  if (!apiKey.isAccepted) return null;
  return (
    <>
      {!apiKey.replacedBy && (
        <a class="btn" id="replace" href={`${url}/replace`}>
          <Icon name="refresh-cw" />
          Replace…
        </a>
      )}
      <DialogLink id="deactivate" href={`${url}/deactivate`}>
        Deactivate
      </DialogLink>
    </>
  );
}

/** Of a replaced key: until when it works, and who still has to change. */
function IsReplaced({ frame, apiKey, callers }: KeyView) {
  const { replacedBy, isAccepted, expiresAt, endsWhenQuiet } = apiKey;
  if (!replacedBy || !isAccepted || !expiresAt) return null;
  const isInUse = callers.some(({ outcome }) => outcome === "accepted");
  return (
    <div class="note">
      <Icon name="triangle-alert" />
      <p>
        This key was replaced and works until {exact(expiresAt, frame.preferences)}
        {endsWhenQuiet && ", or until no one has used it for a day after the new key was used"}.{" "}
        {isInUse ? "The callers below still used it." : "No one has used it since."}{" "}
        <a href={`${paths.apiKeys}/${replacedBy}`}>Open the new key</a>
      </p>
    </div>
  );
}

/** In words. */
function uploadLimitsOf({ maxBytes, mimeTypes, folder }: NonNullable<ListedKey["uploadLimits"]>): string {
  const limits = [maxBytes && `at most ${bytes(maxBytes)}`, mimeTypes?.join(", "), folder && `in the folder ${folder}`];
  return limits.filter(Boolean).join("; ");
}

/** Links to whom and what a site or program brought with it, for bulk actions. */
function CameThrough({ apiKey: { id }, scopes }: Pick<KeyView, "apiKey" | "scopes">) {
  const namesVisitors = scopes.includes("visitors");
  if (!namesVisitors && !scopes.includes("newsletter:write")) return null;
  const throughKey: Segment = { v: 2, all: [{ field: "key", is: "any", of: [id] }] };
  return (
    <Fact name="Came through it">
      <a href={`${paths.newsletter}?where=${encodeURIComponent(JSON.stringify(throughKey))}`}>Subscribers</a>
      {namesVisitors && (
        <>
          , <a href={`${paths.contact}?key=${id}`}>messages</a>
        </>
      )}
    </Fact>
  );
}

const Details = ({ frame, apiKey, scopes }: KeyView) => (
  <section class="card" aria-labelledby="facts-title">
    <header>
      <h2 id="facts-title">Details</h2>
    </header>
    <div class="body">
      <dl class="facts">
        <Fact name="Scopes">
          {scopes.map((scope) => (
            <div>
              <span class="mono">{scope}</span>: {scopeLabels[scope]}
            </div>
          ))}
        </Fact>
        <Fact name="Networks">{apiKey.networks ? <span class="mono">{apiKey.networks.join(", ")}</span> : "All"}</Fact>
        {apiKey.uploadLimits && <Fact name="Uploads">{uploadLimitsOf(apiKey.uploadLimits)}</Fact>}
        <CameThrough apiKey={apiKey} scopes={scopes} />
        <Fact name="Expires">
          <End apiKey={apiKey} frame={frame} />
        </Fact>
        <Fact name="Last used">
          <LastUse apiKey={apiKey} frame={frame} />
        </Fact>
        <Fact name="Created">
          <Time at={apiKey.createdAt} clock={frame} />{" "}
          {apiKey.createdBy && <By actor={apiKey.createdBy} names={frame.names} />}
        </Fact>
      </dl>
    </div>
  </section>
);

const outcomes: Record<Caller["outcome"], string> = {
  accepted: "Accepted",
  network: "Refused: network",
  scope: "Refused: scope",
};

function Outcome({ caller: { outcome, calls } }: { caller: Caller }) {
  if (outcome === "accepted") return <Badge tone="good">{outcomes.accepted}</Badge>;
  return (
    <>
      <Badge tone="warn">{outcomes[outcome]}</Badge>
      <span class="sub">{plural(calls, "call")}</span>
    </>
  );
}

const columnsOf = (frame: Frame): Column<Caller>[] => [
  {
    title: "Caller",
    kind: "main",
    cell: ({ agent, network, route }) => (
      <>
        <span class="who wrap">{agent || "Unknown"}</span>
        <span class="sub mono wrap">{route}</span>
        <span class="sub mono wrap">{network}</span>
      </>
    ),
  },
  { title: "Outcome", kind: "state", cell: (caller) => <Outcome caller={caller} /> },
  { title: "Last call", kind: "when", cell: ({ lastAt }) => <Time at={lastAt} clock={frame} /> },
];

const Callers = ({ frame, apiKey, callers }: KeyView) => (
  <section class="list stack" aria-labelledby="callers-title">
    <h2 id="callers-title">Recent callers</h2>
    <p class="hint">
      {apiKey.replacedBy
        ? "Everyone who has used this key since it was replaced, and all refused callers. The latest 20 are shown."
        : "A sample of the callers with this key, and all refused ones. The latest 20 are shown."}
    </p>
    {callers.length > 0 ? (
      <ColumnTable caption="Recent callers" columns={columnsOf(frame)} rows={[...callers]} />
    ) : (
      <div class="table-frame">
        <Empty icon="key-round" title="No callers yet">
          <p>The programs that use this key appear here, with the address they call from.</p>
        </Empty>
      </div>
    )}
  </section>
);
