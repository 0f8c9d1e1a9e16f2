import { FileField } from "../../components/file-field";
import { Form } from "../../components/form";
import type { Frame } from "../../components/frame";
import { Icon } from "../../components/icon";
import { Crumb, Head } from "../shell";
import { path } from "./state";

/** The ways in and out, for the head of the list. */
export const ImportAndExport = () => (
  <>
    <a class="btn quiet" id="import-posts" href={`${path}/import`}>
      <Icon name="upload" />
      Import
    </a>
    <a class="btn quiet" id="export-posts" href={`${path}/export.zip`}>
      <Icon name="download" />
      Export
    </a>
  </>
);

export const PostImportPage = ({ frame, problem }: { frame: Frame; problem?: string | undefined }) => (
  <>
    <BackToList />
    <Head title="Import posts" lead="From files. You see what would happen before anything does." />
    <Form action={`${path}/import`} token={frame.token} class="card stack narrow" encoding="multipart/form-data" plain>
      <div class="body">
        <FileField
          id="files"
          label="Files, or a ZIP archive"
          accept=".md,.mdx,.zip,text/markdown,application/zip"
          multiple
          problem={problem}
        >
          Markdown or MDX with front matter between two lines of <code>---</code>. Only <code>title</code> is needed; a
          post with the same slug is changed. At most 5,000 posts and 16 MB; the command line takes any number.
        </FileField>
        <div class="save">
          <button type="submit" class="btn primary">
            Check the files
          </button>
        </div>
      </div>
    </Form>
  </>
);

export const BackToList = () => <Crumb href={path}>Posts</Crumb>;
