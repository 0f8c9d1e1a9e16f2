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
            Remove folder{" "}
          </button>
        </Form>
      </Empty>
    ) : (
      <Empty icon="hard-drive" title="No files yet">
        <p>Upload files here, or from a program with an API key:</p>
        <pre tabindex="0">{`POST /api/v1/storage/upload`}</pre>
        <a class="btn" href="/docs#postApiV1StorageUpload">
          Read how
        </a>
      </Empty>
    )}
  </div>
);
