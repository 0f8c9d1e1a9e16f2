import { Exports } from "../../components/lists/exports";
import type { ListState } from "../../components/list";
import { Head } from "../shell";

export const ContactHead = ({ state, isEmpty }: { state: ListState; isEmpty: boolean }) => (
  <Head title="Contact" lead="Messages from the contact form.">
    {!isEmpty && <Exports state={state} formats={exportFormats} />}
  </Head>
);

export const exportFormats = ["csv", "json"] as const;
