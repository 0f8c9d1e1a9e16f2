import { FileField } from "../../components/forms/file-field";
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
      lead="Upload a CSV file. You can check its columns and review the changes before importing."
    />
    <Form
      action={paths.newsletterImport}
      token={frame.token}
      class="card stack narrow"
      encoding="multipart/form-data"
      plain
    >
      <div class="body">
        <FileField id="file" label="CSV file" accept=".csv,text/csv" problem={problem}>
          An export of Postroom, Mailchimp, Substack, Ghost, listmonk, Buttondown, beehiiv, Kit, Keila or MailerLite, or
          any other CSV file whose first line names the columns. Keep the name of the file: Mailchimp’s says whom it
          lists. Up to 32 MB; use the command line for larger files.
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
