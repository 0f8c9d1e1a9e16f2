import { NoMatch } from "../../../components/empty";
import { Icon } from "../../../components/icon";
import { ListHead } from "../../../components/lists/head";
import { paths } from "../../../paths";
import { Head } from "../../shell";
import { type KeysView, KeyTable, NoKeyYet } from "./table";

const path = paths.apiKeys;

/** @param isFresh the password was confirmed recently, so the form can open in the dialog */
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
