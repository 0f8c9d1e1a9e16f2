import { Exports } from "../../components/lists/exports";
import { Icon } from "../../components/icon";
import { Menu } from "../../components/menu";
import type { ListState } from "../../components/list";
import { Head } from "../shell";
import { paths } from "../../paths";

export const exportFormats = ["csv"] as const;

/** The page's heading, with actions that are not about the list's rows. */
export const NewsletterHead = ({ state }: { state: ListState }) => (
  <Head title="Newsletter" lead="Everyone who signed up on the landing site or the blog.">
    <Menu id="newsletter" label="More actions for the newsletter">
      <a class="btn quiet" href={paths.people} id="find-person">
        <Icon name="users" />
        Find a person
      </a>
      <a class="btn quiet" href={paths.newsletterImport}>
        <Icon name="upload" />
        Import
      </a>
    </Menu>
    <Exports state={state} formats={exportFormats} />
    <a
      class="btn primary"
      href={`${paths.newsletter}/new`}
      hx-get={`${paths.newsletter}/new`}
      hx-target="#dialog"
      id="add"
    >
      <Icon name="plus" />
      Add subscriber
    </a>
  </Head>
);
