import { Empty } from "../../components/empty";
import { Form } from "../../components/forms/form";
import type { Frame } from "../../components/frame";
import { paths } from "../../paths";

export const NothingHere = ({ folder, frame }: { folder: string; frame: Frame }) => (
  <div class="table-frame">
    {folder ? (
      <Empty icon="folder" title="This folder is empty">
        <p>Drop files here, or remove the folder.</p>
        <Form action={`${paths.folders}/remove`} token={frame.token} plain>
          <input type="hidden" name="path" value={folder} />
          <button type="submit" class="btn">
            Remove folder
          </button>
        </Form>
      </Empty>
    ) : (
      <Empty icon="hard-drive" title="No files yet">
        <p>
          Files you upload appear here. Drop them on this page, or{" "}
          <a href="/docs#postApiV1StorageUpload">upload from a program</a> with an API key.
        </p>
      </Empty>
    )}
  </div>
);
