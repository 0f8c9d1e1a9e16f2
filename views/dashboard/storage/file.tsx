import { Form } from "../../components/forms/form";
import { Icon } from "../../components/icon";
import { Menu } from "../../components/menu";
import { paths } from "../../paths";
import { Head } from "../shell";
import { Crumbs } from "./crumbs";
import { Preview } from "./file-preview";
import { About, type FileView } from "./about";

/** One file: preview, details and actions. */
export const FilePage = (view: FileView) => {
  const { file, frame, uses } = view;
  const path = paths.file(file.id);
  return (
    <>
      <Crumbs folder={file.folder}>{file.filename}</Crumbs>
      <Head title={file.filename}>
        <a class="btn primary" href={`${path}/download`} id="download">
          <Icon name="download" />
          Download
        </a>
        <Opener path={path} action="link" icon="link" label="Copy link" />
        <Menu id={file.id} label="More actions for this file">
          <Opener path={path} action="rename" icon="pencil" label="Rename" class="btn quiet" />
          <Opener path={path} action="move" icon="folder-input" label="Move" class="btn quiet" />
          {uses.length === 0 && (
            <Form action={`${path}/trash`} token={frame.token} plain>
              <button type="submit" class="btn quiet" id="trash">
                <Icon name="trash-2" />
                Delete
              </button>
            </Form>
          )}
        </Menu>
      </Head>
      <div class="file-page">
        <section class="card preview" aria-label="Preview">
          <Preview {...view} />
        </section>
        <section class="card" aria-label="About this file">
          <div class="body">
            <About {...view} />
          </div>
        </section>
      </div>
    </>
  );
};

type OpenerProps = { path: string; action: string; icon: string; label: string; class?: string };

const Opener = ({ path, action, icon, label, class: look = "btn" }: OpenerProps) => (
  <a class={look} href={`${path}/${action}`} hx-get={`${path}/${action}`} hx-target="#dialog" id={action}>
    <Icon name={icon} />
    {label}
  </a>
);
