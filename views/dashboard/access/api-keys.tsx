import type { ApiKey } from "../../../db/access/api-keys";
import { Badge } from "../../components/badge";
import { NoMatch } from "../../components/empty";
import type { Frame } from "../../components/frame";
import { Icon } from "../../components/icon";
import { EmptyList, type ListView, plural } from "../../components/list";
import { ListHead } from "../../components/lists/head";
import { Pager } from "../../components/lists/pager";
import { ActionsHeader, SortHeader, Table } from "../../components/lists/table";
import { Time } from "../../components/time";
import { Head } from "../shell";
import { paths } from "../../paths";

type KeysView = ListView<ApiKey> & {
  counts: { active: number; inactive: number };
};

const path = paths.apiKeys;
const day = 86_400_000;

/** How long ago, in days, an active key did its last work: from then on it may be forgotten. */
export const forgottenAfter = 30;

/** @param isFresh the password was typed lately, so that the form may open in the dialog at once */
export const KeysHead = ({ isFresh }: { isFresh: boolean }) => (
  <Head
    title="API keys"
    lead="Keys let your sites read posts, projects and settings, and request uploads. One key works on every host."
  >
    <Generate isFresh={isFresh} id="generate" />
  </Head>
);

const Generate = ({ isFresh, id }: { isFresh: boolean; id: string }) => (
  <a
    class="btn primary"
    id={id}
    href={`${path}/new`}
    {...(isFresh && { "hx-get": `${path}/new`, "hx-target": "#dialog" })}
  >
    <Icon name="plus" />
    Generate new key
  </a>
);

export function KeyList(view: KeysView) {
  const { rows, counts } = view;
  const all = counts.active + counts.inactive;
  if (all === 0) return <NoKeyYet />;
  return (
    <section class="list" id="list" aria-label="API keys">
      <ListHead
        view={view}
        noun="key"
        segments={{
          name: "status",
          label: "Status",
          options: [
            { value: "", label: "All", count: all },
            { value: "active", label: "Active", count: counts.active },
            { value: "inactive", label: "Inactive", count: counts.inactive },
          ],
        }}
      />
      {rows.length ? <KeyTable {...view} /> : <NoMatch what="keys" clear={path} />}
    </section>
  );
}

const KeyTable = (view: KeysView) => (
  <>
    <Table
      caption="API keys"
      head={
        <>
          <th scope="col">Name</th>
          <th scope="col">Status</th>
          <SortHeader state={view.state} by="used" initial="-created">
            Last used
          </SortHeader>
          <SortHeader state={view.state} by="created" initial="-created">
            Created
          </SortHeader>
          <ActionsHeader />
        </>
      }
    >
      {view.rows.map((apiKey) => (
        <KeyRow apiKey={apiKey} frame={view.frame} />
      ))}
    </Table>
    {view.total > view.per && <Pager {...view} />}
  </>
);

const KeyRow = ({ apiKey, frame }: { apiKey: ApiKey; frame: Frame }) => (
  <tr id={`key-${apiKey.id}`} role="row">
    <td class="main" role="cell">
      <span class="who">{apiKey.name}</span>
      <span class="sub mono">
        {apiKey.prefix}…{apiKey.lastFour}
      </span>
    </td>
    <td class="state" role="cell">
      {apiKey.active ? <Badge tone="good">Active</Badge> : <Badge tone="off">Inactive</Badge>}
    </td>
    <td class="when" role="cell">
      <LastUse apiKey={apiKey} frame={frame} />
    </td>
    <td class="extra" role="cell">
      <Time at={apiKey.createdAt} clock={frame} />
      {apiKey.createdBy && <span class="sub">by {apiKey.createdBy}</span>}
    </td>
    <td class="acts" role="cell">
      {apiKey.active && (
        <a
          class="btn quiet sm"
          id={`deactivate-${apiKey.id}`}
          href={`${path}/${apiKey.id}/deactivate`}
          hx-get={`${path}/${apiKey.id}/deactivate`}
          hx-target="#dialog"
          aria-label={`Deactivate ${apiKey.name}`}
        >
          Deactivate
        </a>
      )}
    </td>
  </tr>
);

/** Whether the key is at work. A forgotten one is worth a look: what nobody uses, nobody misses when it is stolen. */
function LastUse({ apiKey, frame }: { apiKey: ApiKey; frame: Frame }) {
  const { active, lastUsedAt, createdAt } = apiKey;
  const idle = Math.floor((frame.now.getTime() - (lastUsedAt ?? createdAt).getTime()) / day);
  if (lastUsedAt && active && idle >= forgottenAfter) return <Badge tone="warn">Unused {plural(idle, "day")}</Badge>;
  if (lastUsedAt) return <Time at={lastUsedAt} clock={frame} />;
  if (active && idle >= forgottenAfter) return <Badge tone="warn">Never used</Badge>;
  return <span class="none">{active && idle < 1 ? "Not yet" : "Never used"}</span>;
}

const NoKeyYet = () => (
  <EmptyList label="API keys" icon="key-round" title="No keys yet">
    <p>
      A site sends its key in the header <code>x-api-key</code>. Give each site a key of its own, so that you can
      deactivate one without stopping the others.
    </p>
  </EmptyList>
);
