import { Help } from "../../components/help";
import { FileField } from "../../components/forms/fields";
import { Form } from "../../components/forms/form";
import type { Frame } from "../../components/frame";
import { paths } from "../../paths";
import { Crumb, Head } from "../shell";

type ImportProps = { frame: Frame; problem?: string | undefined };

export const ImportPage = ({ frame, problem }: ImportProps) => (
  <>
    <Crumb href={paths.newsletter}>Subscribers</Crumb>
    <Head
      title="Import subscribers"
      lead={
        <>
          Upload a list. You can check its columns and review the changes before importing. <Help of="import" />
        </>
      }
    />
    <Form
      action={paths.newsletterImport}
      token={frame.token}
      class="card stack narrow"
      encoding="multipart/form-data"
      plain
    >
      <div class="body">
        <FileField id="file" label="File" accept=".csv,.txt,.json,.sql,text/csv,application/json" problem={problem}>
          A CSV file: an export of Postroom, Mailchimp, Substack, Ghost, listmonk, Buttondown, beehiiv, Kit, Keila or
          MailerLite, or any other CSV file whose first line names the columns. Keep the name of the file: Mailchimp’s
          says whom it lists. Or the people of listmonk’s or Ghost’s API as JSON, or a dump of either’s database: these
          say who is on which list. Up to 32 MB; use the command line for larger files.
        </FileField>
        <div class="save">
          <button type="submit" class="btn primary">
            Continue
          </button>
        </div>
      </div>
    </Form>
  </>
);
