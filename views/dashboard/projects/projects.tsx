import type { Counts } from "../../../db/projects/list";
import type { Place, Project } from "../../../db/projects/projects";
import { DialogLink } from "../../components/buttons";
import { DialogFooter } from "../dialog";
import { EmptyTrash, NoMatch } from "../../components/empty";
import { Field } from "../../components/forms/fields";
import { Form } from "../../components/forms/form";
import type { Frame } from "../../components/frame";
import { Icon } from "../../components/icon";
import { EmptyList, type ListState, listUrl, type ListView } from "../../components/list";
import { BulkBar, BulkButtons } from "../../components/lists/bulk";
import { ListHead } from "../../components/lists/head";
import { Pager } from "../../components/lists/pager";
import {
  ActionsHeader,
  type Column,
  ColumnTable,
  type Covers,
  NoPickAll,
  Pick,
  PickAll,
  Table,
} from "../../components/lists/table";
import { Time } from "../../components/time";
import { paths } from "../../paths";
import { CreateLink, Head } from "../shell";
import { path, ProjectRow, Status } from "./row";

/** The projects in the trash, which can be restored or permanently deleted. */
const Trash = ({ frame, state, rows, total }: ListView<Project>) => (
  <Form action={`${path}/bulk`} token={frame.token} label="Projects in the trash">
    <ColumnTable
      caption="Projects in the trash"
      columns={trashColumns(frame)}
      rows={rows}
      pick={({ id, title }) => <Pick id={id} label={title} />}
      actions={(project) => <TrashActions project={project} />}
    />
    <BulkBar total={total} visible={rows.length} state={state}>
      <BulkButtons of={trashActions} />
    </BulkBar>
    <p class="hint">Projects are permanently deleted after 30 days in the trash.</p>
  </Form>
);

const trashColumns = (frame: Frame): Column<Project>[] => [
  {
    title: "Title",
    kind: "main",
    cell: ({ title, slug }) => (
      <>
        <span class="who">{title}</span>
        <span class="sub mono">{slug}</span>
      </>
    ),
  },
  { title: "Status", kind: "state", cell: ({ status }) => <Status status={status} /> },
  { title: "Deleted", kind: "when", cell: ({ deletedAt }) => deletedAt && <Time at={deletedAt} clock={frame} /> },
];

const TrashActions = ({ project: { id, title } }: { project: Project }) => (
  <>
    <button type="submit" class="btn quiet sm" formaction={`${path}/${id}/restore`} aria-label={`Restore ${title}`}>
      Restore
    </button>
    <DialogLink class="btn quiet sm" href={`${path}/${id}/delete`}>
      Delete permanently…
    </DialogLink>
  </>
);

const trashActions = [
  ["restore", "Restore"],
  ["delete", "Delete permanently"],
] as const;

/** Shown instead of the rows if a search, a filter or the trash has none. */
const NoneHere = ({ state }: { state: ListState }) =>
  state.query.q || state.query.status !== "trash" ? (
    <NoMatch what="projects" query={state.query.q} clear={listUrl(state, { q: "", status: "" })} />
  ) : (
    <EmptyTrash what="projects" />
  );

/** Before the first project. */
const NoneYet = () => (
  <EmptyList label="Projects" drawing="easel" title="No projects yet">
    <p>
      Add your work and arrange it in the order you want to show it. Your sites read published projects from{" "}
      <code>GET /api/v1/projects</code>.
    </p>
    <a class="btn" id="first-project" href={`${path}/new`}>
      Add your first project
    </a>
  </EmptyList>
);

type ProjectsView = ListView<Project> & {
  counts: Counts;
  /** Identifies the order on the screen. */
  stamp: string;
  /** The position of each project. */
  places: Map<string, Place>;
  covers: Covers;
};

export const ProjectHead = () => (
  <Head title="Projects" lead="In the order shown on your sites, featured projects first.">
    <a class="btn quiet" href={paths.projectClicks} id="clicks">
      <Icon name="chart-column" />
      Clicks
    </a>
    <NewProject />
  </Head>
);

const NewProject = () => (
  <CreateLink id="new" href={`${path}/new`}>
    New project
  </CreateLink>
);

export function ProjectList(view: ProjectsView) {
  const { state, counts, rows, total, per } = view;
  const all = counts.PUBLISHED + counts.DRAFT + counts.ARCHIVED;
  if (all + counts.trash === 0) return <NoneYet />;
  return (
    <section class="list" id="list" aria-label="Projects">
      <ListHead
        view={view}
        noun="project"
        segments={{
          name: "status",
          label: "Status",
          options: [
            { value: "", label: "All", count: all },
            { value: "PUBLISHED", label: "Published", count: counts.PUBLISHED },
            { value: "DRAFT", label: "Draft", count: counts.DRAFT },
            { value: "ARCHIVED", label: "Archived", count: counts.ARCHIVED },
            { value: "trash", label: "Trash", count: counts.trash },
          ],
        }}
        search={{ label: "Search projects" }}
      />
      {rows.length === 0 ? <NoneHere state={state} /> : <Projects {...view} />}
      {total > per && <Pager {...view} />}
    </section>
  );
}

/** One form for all rows: each button has its own action. A drop fills in the hidden fields and sends it. */
function Projects(view: ProjectsView) {
  const { frame, state, rows, stamp } = view;
  if (state.query.status === "trash") return <Trash {...view} />;
  const isWhole = !state.query.q && !state.query.status;
  const groups = [true, false]
    .map((featured) => ({ featured, members: rows.filter((row) => row.featured === featured) }))
    .filter(({ members }) => members.length > 0);
  return (
    <Form action={`${path}/order`} token={frame.token} id="order" label="Projects and their order">
      <input type="hidden" name="stamp" value={stamp} />
      <input type="hidden" name="order" value="" />
      <input type="hidden" name="moved" value="" />
      {groups.map(({ featured, members }, at) => (
        <Group view={view} featured={featured} members={members} isWhole={isWhole} isFirst={at === 0} />
      ))}
      <BulkBar total={view.total} visible={rows.length} state={state}>
        <BulkButtons of={actions} to={`${path}/bulk`} />
      </BulkBar>
      <p class="hint with-script" id="order-help">
        {isWhole
          ? "Drag a handle to reorder. By keyboard: focus a handle, press Space, move with the arrow keys, press Space to drop or Escape to cancel."
          : "To reorder, clear the search and filters."}
      </p>
    </Form>
  );
}

type GroupProps = { view: ProjectsView; featured: boolean; members: Project[]; isWhole: boolean; isFirst: boolean };

const actions = [
  ["publish", "Publish"],
  ["unpublish", "Unpublish"],
  ["archive", "Archive"],
  ["feature", "Feature"],
  ["unfeature", "Stop featuring"],
  ["trash", "Delete"],
] as const;

/** The script counts from the position of the first row. */
const Group = ({ view, featured, members, isWhole, isFirst }: GroupProps) => (
  <section class="group" aria-labelledby={`group-${featured}`} {...placeOf(view, members[0])}>
    <h2 id={`group-${featured}`}>{featured ? "Featured" : "Others"}</h2>
    <Table
      caption={featured ? "Featured projects" : "Other projects"}
      head={
        <>
          {isWhole && (
            <th scope="col" class="grip with-script">
              <span class="sr">Order</span>
            </th>
          )}
          {isFirst ? <PickAll /> : <NoPickAll />}
          <th scope="col">Title</th>
          <th scope="col" class="state">
            Status
          </th>
          <th scope="col" class="star">
            Featured
          </th>
          <th scope="col" class="num clicks">
            Clicks
          </th>
          <th scope="col" class="tech">
            Tech
          </th>
          <ActionsHeader />
        </>
      }
    >
      {members.map((project) => (
        <ProjectRow project={project} isWhole={isWhole} covers={view.covers} />
      ))}
    </Table>
  </section>
);

const placeOf = ({ places }: ProjectsView, first: Project | undefined) => {
  const place = first && places.get(first.id);
  return place && { "data-first": String(place.position), "data-of": String(place.of) };
};

/** The form of "Move to…": the position in the group. */
export const MoveForm = ({ frame, project, place }: { frame: Frame; project: Project; place: Place }) => (
  <Form action={`${paths.projects}/${project.id}/move`} token={frame.token} class="stack">
    <Field
      name="to"
      scope="move"
      label={`Position among ${place.featured ? "featured" : "other"} projects`}
      type="number"
      inputmode="numeric"
      value={String(place.position)}
      hint={`1 to ${place.of}. Currently ${place.position}.`}
      required
      autofocus
    />
    <DialogFooter cancel={paths.projects}>Move</DialogFooter>
  </Form>
);
