import type { Counts } from "../../../db/projects/list";
import type { Place } from "../../../db/projects/order";
import type { Project } from "../../../db/projects/projects";
import { Form } from "../../components/forms/form";
import { Icon } from "../../components/icon";
import type { ListView } from "../../components/list";
import { Pager } from "../../components/lists/pager";
import { ListHead } from "../../components/lists/head";
import { BulkBar, BulkButtons } from "../../components/lists/bulk";
import { ActionsHeader, NoPickAll, PickAll, Table } from "../../components/lists/table";
import { ProjectRow } from "./row";
import { Head } from "../shell";
import { Trash } from "./trash";
import { NoneHere, NoneYet } from "./empty";
import { paths } from "../../paths";
import { path } from "./row-buttons";

type ProjectsView = ListView<Project> & {
  counts: Counts;
  /** Identifies the order on the screen. */
  stamp: string;
  /** The position of each project. */
  places: Map<string, Place>;
};

export const ProjectHead = () => (
  <Head title="Projects" lead="In the order shown on your sites, featured projects first.">
    <a class="btn" href={paths.projectClicks} id="clicks">
      <Icon name="chart-column" />
      Clicks
    </a>
    <NewProject />
  </Head>
);

const NewProject = () => (
  <a class="btn primary" id="new" href={`${path}/new`}>
    <Icon name="plus" />
    New project
  </a>
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
      <BulkBar total={view.total} shown={rows.length} state={state}>
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
        <ProjectRow project={project} isWhole={isWhole} />
      ))}
    </Table>
  </section>
);

const placeOf = ({ places }: ProjectsView, first: Project | undefined) => {
  const place = first && places.get(first.id);
  return place && { "data-first": String(place.position), "data-of": String(place.of) };
};
