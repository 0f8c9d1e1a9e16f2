import type { Topic } from "../../../db/newsletter/topics";
import { Badge } from "../../components/badge";
import { Check, Fields, type FormState } from "../../components/forms/fields";
import { Form } from "../../components/forms/form";
import type { Frame } from "../../components/frame";
import { EmptyList, number } from "../../components/list";
import { type Column, ColumnTable } from "../../components/lists/table";
import { Menu, MenuButton, MenuLink } from "../../components/lists/row-actions";
import { paths } from "../../paths";
import { DialogFooter } from "../dialog";
import { CreateLink, Crumb, Head } from "../shell";

export const path = paths.topics;

/** A topic, with how many people have chosen it. */
export type CountedTopic = Topic & { people: number };

export const TopicsHead = () => (
  <>
    <Crumb href={paths.newsletter}>Subscribers</Crumb>
    <Head
      title="Topics"
      lead="What people can choose to read. They see the topics and their sentences on the page behind “Preferences” in each email."
    >
      <CreateLink id="add" href={`${path}/new`} isDialog>
        Add topic
      </CreateLink>
    </Head>
  </>
);

/** How many people have it. */
export const People = ({ people }: { people: number }) => (
  <>
    {number(people)}
    <span class="on-card"> {people === 1 ? "person" : "people"}</span>
  </>
);

const columns: Column<CountedTopic>[] = [
  {
    title: "Topic",
    kind: "main",
    cell: ({ name, sentence }) => (
      <>
        <span class="who">{name}</span>
        {sentence && <span class="sub">{sentence}</span>}
      </>
    ),
  },
  { title: "Name in links", kind: "extra mono", cell: ({ slug }) => slug },
  {
    title: "Status",
    kind: "state",
    cell: ({ archivedAt, isDefault }) =>
      archivedAt ? <Badge tone="off">Archived</Badge> : isDefault && <Badge tone="good">For everyone new</Badge>,
  },
  { title: "People", kind: "when num-start", cell: ({ people }) => <People people={people} /> },
];

export const TopicList = ({ frame, topics }: { frame: Frame; topics: CountedTopic[] }) =>
  topics.length === 0 ? (
    <EmptyList label="Topics" drawing="labels" title="No topics yet">
      <p>With topics, people choose what they read instead of leaving altogether.</p>
    </EmptyList>
  ) : (
    <section class="list" id="list" aria-label="Topics">
      <Form action={path} token={frame.token}>
        <ColumnTable caption="Topics" columns={columns} rows={topics} actions={(topic) => <Actions topic={topic} />} />
      </Form>
    </section>
  );

const Actions = ({ topic: { id, name, archivedAt } }: { topic: CountedTopic }) => (
  <Menu id={id} label={`Actions for ${name}`}>
    <MenuLink id={`edit-${id}`} href={`${path}/${id}/edit`} icon="pencil">
      Edit…
    </MenuLink>
    <MenuButton id={`up-${id}`} action={`${path}/${id}/up`} icon="chevron-up" isPlain>
      Move up
    </MenuButton>
    {archivedAt ? (
      <MenuButton id={`restore-${id}`} action={`${path}/${id}/restore`} icon="archive-restore" isPlain>
        Offer again
      </MenuButton>
    ) : (
      <MenuButton id={`archive-${id}`} action={`${path}/${id}/archive`} icon="archive" isPlain>
        Archive
      </MenuButton>
    )}
    <MenuButton id={`delete-${id}`} action={`${path}/${id}/delete`} icon="trash-2" isPlain hotkey="#">
      Delete
    </MenuButton>
  </Menu>
);

type FormProps = { frame: Frame; form: FormState; action: string; isDefault: boolean; verb: string };

export const TopicForm = ({ frame, form, action, isDefault, verb }: FormProps) => (
  <Form action={action} token={frame.token} class="stack">
    <Fields scope="topic" {...form} />
    <Check
      scope="topic"
      name="isDefault"
      label="For everyone who subscribes without choosing topics"
      checked={isDefault}
      hint="People who are here already are not added."
    />
    <DialogFooter cancel={path}>{verb}</DialogFooter>
  </Form>
);
