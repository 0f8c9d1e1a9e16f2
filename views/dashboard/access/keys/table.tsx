import type { ListedKey } from "../../../../db/access/keys/list";
import { EmptyList, type ListView } from "../../../components/list";
import { Pager } from "../../../components/lists/pager";
import { ActionsHeader, SortHeader, Table } from "../../../components/lists/table";
import { paths } from "../../../paths";
import { KeyRow } from "./row";

export type KeysView = ListView<ListedKey> & {
  counts: { active: number; inactive: number };
};

export const KeyTable = (view: KeysView) => (
  <>
    <Table
      caption="API keys"
      head={
        <>
          <th scope="col">Name</th>
          <th scope="col">Status</th>
          <th scope="col">Expires</th>
          <SortHeader state={view.state} by="used">
            Last used
          </SortHeader>
          <SortHeader state={view.state} by="created">
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

export const NoKeyYet = () => (
  <EmptyList label="API keys" icon="key-round" title="No keys yet">
    <p>
      Sites send their key in the <code>x-api-key</code> header. Give each site its own key, so you can deactivate one
      without affecting the others.
    </p>
    <a class="btn" id="first-key" href={`${paths.apiKeys}/new`}>
      Generate your first key
    </a>
  </EmptyList>
);
