import type { ListedKey } from "../../../db/access/api-keys";
import { NoMatch } from "../../components/empty";
import { Icon } from "../../components/icon";
import { EmptyList, type ListView } from "../../components/list";
import { ListHead } from "../../components/lists/head";
import { Pager } from "../../components/lists/pager";
import { ActionsHeader, SortHeader, Table } from "../../components/lists/table";
import { Head } from "../shell";
import { paths } from "../../paths";
import { KeyRow } from "./key-row";

type KeysView = ListView<ListedKey> & {
  counts: { active: number; inactive: number };
};

const path = paths.apiKeys;

/** @param isFresh the password was typed lately, so that the form may open in the dialog at once */
export const KeysHead = ({ isFresh }: { isFresh: boolean }) => (
  <Head
    title="API keys"
    lead="Your sites use API keys to read posts, projects and settings and to upload files. One key works on every host."
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
          <th scope="col">Expires</th>
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

const NoKeyYet = () => (
  <EmptyList label="API keys" icon="key-round" title="No keys yet">
    <p>
      Sites send their key in the <code>x-api-key</code> header. Give each site its own key, so you can deactivate one
      without affecting the others.
    </p>
  </EmptyList>
);
