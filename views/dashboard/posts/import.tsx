import { FileField } from "../../components/forms/file-field";
import { Form } from "../../components/forms/form";
import type { Frame } from "../../components/frame";
import { Icon } from "../../components/icon";
import { Menu } from "../../components/menu";
import { Crumb, Head } from "../shell";
import { path } from "./state";

/** Links to import and export, for the head of the list. */
export const ImportAndExport = () => (
  <Menu id="posts" label="Import and export posts">
    <a class="btn quiet" id="import-posts" href={`${path}/import`}>
      <Icon name="upload" />
      Import
    </a>
    <a class="btn quiet" id="export-posts" href={`${path}/export.zip`}>
      <Icon name="download" />
      Export
    </a>
  </Menu>
);

export const PostImportPage = ({ frame, problem }: { frame: Frame; problem?: string | undefined }) => (
  <>
    <BackToList />
    <Head title="Import posts" lead="Upload files or a ZIP archive. You can review the changes before importing." />
    <Form action={`${path}/import`} token={frame.token} class="card stack narrow" encoding="multipart/form-data" plain>
      <div class="body">
        <FileField
          id="files"
          label="Files or ZIP archive"
          accept=".md,.mdx,.zip,text/markdown,application/zip"
          multiple
          problem={problem}
        >
          Markdown or MDX with front matter between two <code>---</code> lines. Only <code>title</code> is required. A
          file with an existing slug updates that post. Up to 5,000 posts and 16 MB; use the command line for more.
        </FileField>
        <div class="save">
          <button type="submit" class="btn primary">
            Review files
          </button>
        </div>
      </div>
    </Form>
  </>
);

export const BackToList = () => <Crumb href={path}>Posts</Crumb>;
