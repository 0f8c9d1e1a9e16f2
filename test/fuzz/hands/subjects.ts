import { testPassword } from "../../support/service";
import type { Step } from "./hand";
import type { Task } from "./walk";

type Rooms = Record<string, string>;

const press = (selector: string): Step => ({ press: selector });
const key = (keys: string, at: string): Step => ({ key: keys, at });
const type = (text: string, into?: string): Step => (into ? { type: text, into } : { type: text });

const task = (name: string, path: string | undefined, ...steps: Step[]): Task => ({ name, path: path ?? "", steps });

/** The question that opened, answered with yes. */
const confirm = press("#dialog dialog[open] button[type=submit]:not([formaction])");
const undo = press(".toast form button");
const firstRow = "#list tbody tr:first-child";

/** What managers do on the pages of each subject, as in the tests of the browser. */
export const tasksOfSubjects = (rooms: Rooms): Task[] => [
  ...people(rooms),
  ...messages(rooms),
  ...posts(rooms),
  ...projects(rooms),
  ...broadcasts(rooms),
  ...files(rooms),
  ...service(rooms),
  ...visitors(),
];

const people = (rooms: Rooms): Task[] => [
  task(
    "a period",
    rooms.emails,
    press(".period > summary"),
    key("Tab", ".period[open] #filter-from"),
    type("01012020"),
  ),
  task(
    "save a view",
    `${rooms.newsletter}?source=blog&status=active`,
    press("#save-view"),
    type("By hand", "#dialog #view-name"),
    key("Enter", "#dialog #view-name"),
  ),
  task(
    "rename a view",
    rooms["a saved view"],
    press("#rename-view"),
    type(" too", "#dialog input[name=name]"),
    key("Enter", "#dialog input[name=name]"),
  ),
  task("delete a view, and undo", rooms["a saved view"], press("#delete-view"), undo),
  task(
    "reactivate in the list",
    rooms["those who have left"],
    press(`${firstRow} [id^=more-]`),
    press(`${firstRow} [id^=reactivate]`),
  ),
  task(
    "unsubscribe on the page",
    rooms.subscriber,
    press("#more-person"),
    press("main form[action$=unsubscribe] button"),
  ),
  task(
    "unsubscribe several",
    rooms.newsletter,
    press(`${firstRow} input[name=ids]`),
    press(".bulk [value=unsubscribe]"),
  ),
  task(
    "suppress an address",
    rooms.suppressions,
    press("#add"),
    type("gone@example.net", "#dialog #new-email"),
    key("Enter", "#dialog #new-email"),
  ),
  task("lift a suppression", rooms.suppressions, press("#list input[name=ids]"), press(".bulk [value=lift]")),
  task(
    "find a person",
    rooms["find a person"],
    type("reader1@example.com", "#find-address"),
    key("Enter", "#find-address"),
  ),
  task(
    "erase a person",
    rooms["erase a person"],
    type("reader1@example.com", "#erase-typed"),
    press("main form[action$='people/erase'] button[type=submit]"),
  ),
  task("another period of the chart", rooms.overview, press("#growth-7")),
  task("the chart as a table, of another period", rooms.overview, press("#growth details summary"), press("#growth-7")),
];

const messages = (rooms: Rooms): Task[] => [
  task(
    "archive several messages",
    rooms.contact,
    press("#list .rows > :nth-child(1) .tick"),
    press("#list .rows > :nth-child(2) .tick"),
    press(".bulk [value=archive]"),
  ),
  task("delete a message, and undo", rooms.message, press("#more-message"), press("#do-trash"), undo),
  task("mark a message unread with a key", rooms.message, key("u", ".letter h2")),
  task("release what is quarantined", rooms.quarantine, press("#release-all")),
  task("retry emails", rooms.emails, press(`${firstRow} input[name=ids]`), press(".bulk [value=retry]")),
  task("walk to a message, and file it", rooms.contact, key("j", "#list .rows > *"), key("#", "#list .rows > *")),
];

const posts = (rooms: Rooms): Task[] => [
  task("publish a post", rooms["draft post"], press("#publish"), press("#publish-now")),
  task("unpublish a post", rooms.post, press("#unpublish"), confirm),
  task("delete a post", rooms.post, press("#more-post"), press("#trash")),
  task("duplicate a post", rooms.post, press("#more-post"), press("#duplicate")),
  task("restore a post", rooms["post in the trash"], press("#restore")),
  task("delete a post permanently", rooms["post in the trash"], press("#delete"), confirm),
  task("publish several posts", rooms.posts, key("j x j x", firstRow), press(".bulk [value=publish]")),
  task(
    "tag several posts",
    rooms.posts,
    press(`${firstRow} input[name=ids]`),
    press(".bulk [value=tag]"),
    type("Tides", "#dialog input[name=tag]"),
    key("Enter", "#dialog input[name=tag]"),
  ),
  task(
    "rename a tag",
    rooms.tags,
    press("#more-tides"),
    press("#rename-tides"),
    type(" and floods", "#dialog #tag-name"),
    key("Enter", "#dialog #tag-name"),
  ),
  task(
    "merge a tag",
    rooms.tags,
    press("#more-tides"),
    press("#merge-tides"),
    type("Field notes", "#dialog #tag-into"),
    press("#dialog dialog[open] button[type=submit]"),
  ),
  task("delete a tag", rooms.tags, press("#more-tides"), press("#delete-tides"), confirm),
  task("views of another period", rooms["views of posts"], press("#visits-7")),
  task(
    "leave a text that is not saved",
    rooms.post,
    type("x", "#title"),
    press("[popovertarget=side]"),
    press(".nav a[href$='/projects']"),
  ),
];

const projects = (rooms: Rooms): Task[] => [
  task("move a project down", rooms.projects, press("#list [id^=down]:not(:disabled)")),
  task("drag a project", rooms.projects, { drag: "#list [data-handle]", by: 70 }),
  task("feature a project", rooms.projects, press("#list [id^=star]")),
  task(
    "duplicate a project from its menu",
    rooms.projects,
    press("#list [id^=more-]"),
    press("[popover]:popover-open [formaction$=duplicate]"),
  ),
  task(
    "write a project",
    rooms["new project"],
    type("By hand", "#project-title"),
    type("Words.", "#project-description"),
    press("#save"),
  ),
  task(
    "choose an image for a project",
    rooms.project,
    press("#change-cover"),
    press("#dialog [data-picture]"),
    press("#save"),
  ),
  task("restore a project", rooms["projects in the trash"], press("#list [formaction$=restore]")),
];

const broadcasts = (rooms: Rooms): Task[] => [
  task("begin a broadcast", rooms.broadcasts, press("#new-broadcast")),
  task("delete a broadcast", rooms.composer, press("#more-broadcast"), press("#trash")),
  task("write with Enter", rooms["empty composer"], type("By hand", "#subject"), key("Enter Control+s", "#subject")),
  task(
    "expand the checks, and write",
    rooms.composer,
    press("#passed summary"),
    press("#subject"),
    key("End", "#subject"),
    type("x"),
    key("Control+s", "#subject"),
  ),
  task("another preview", rooms.composer, press("#beside-preview"), press("label:has(#view-text)")),
  task(
    "an audience",
    rooms.composer,
    press("#change-audience"),
    press("#w-add"),
    key("ArrowDown", "#w-0-field"),
    press("#w-0-of-0"),
    press("#a-use"),
  ),
  task("stop a scheduled broadcast", rooms["a scheduled broadcast"], press("#stop")),
  task("pause a broadcast", rooms["a broadcast being sent"], press("#pause")),
  task("resume a broadcast", rooms["a paused broadcast"], press("#reviewed"), press("#resume")),
  task("cancel the rest of a broadcast", rooms["a broadcast being sent"], press("#cancel"), confirm),
  task("leave emails as uncertain", rooms["a sent broadcast"], press("#leave-uncertain")),
];

const files = (rooms: Rooms): Task[] => [
  { ...task("choose a file", "/dashboard/storage?folder=hands", press("#upload-button")), uploads: true },
  task("delete a file", rooms["a text"], press("main [id^=more-]"), press("#trash")),
  task(
    "rename a file",
    rooms["a text"],
    press("main [id^=more-]"),
    press("#rename"),
    type("x", "#dialog #f-filename"),
    key("Enter", "#dialog #f-filename"),
  ),
  task("move several files", rooms.storage, press("#list input[name=ids]"), press(".bulk [value=move]")),
  task("restore a file", rooms["storage trash"], press("#list [id^=restore]")),
  task("walk into a folder", rooms.storage, press(`#list a[href*="folder=photos"]`)),
  task("sort files", rooms.storage, press("#sort-size")),
  task(
    "make a folder with Enter",
    rooms.storage,
    press("#new-folder"),
    type("By hand", "#dialog #f-name"),
    key("Enter", "#dialog #f-name"),
  ),
  task("cancel an upload", rooms["open uploads"], press("#list [id^=abort]"), confirm),
  task("drain a node", rooms["storage nodes"], press("main [id^=drain]")),
];

const service = (rooms: Rooms): Task[] => [
  task(
    "generate an API key",
    rooms["API keys"],
    press("#generate"),
    type("By hand", "#dialog #f-name"),
    key("Enter", "#dialog #f-name"),
  ),
  task(
    "deactivate an API key",
    rooms["API keys"],
    press("#list [id^=more-]"),
    press("#list [id^=deactivate]"),
    confirm,
  ),
  task(
    "replace an API key",
    rooms["API keys"],
    press("#list [id^=more-]"),
    press("#list [id^=replace]"),
    press("main form button[type=submit]"),
  ),
  task(
    "a limit per hour",
    rooms["settings: limits"],
    type("9", "#limits-newSubscribersPerHour"),
    press("#save-limits"),
  ),
  task(
    "the welcome email",
    rooms["welcome email"],
    press("#welcome-welcomeSubject"),
    key("End", "#welcome-welcomeSubject"), // behind the port, which is another one in each walk
    type("x"),
    press("#save-buttons .primary"),
  ),
  task(
    "a setting of one's own",
    rooms.settings,
    press("#add-key"),
    type("hands", "#dialog input[name=key]"),
    press("#dialog dialog[open] button[type=submit]"),
  ),
  task(
    "switch shortcuts off",
    rooms["settings: appearance"],
    press("label[for=f-shortcuts]"),
    key("End", "#f-shortcuts"),
    press("#save-appearance"),
  ),
  task("a theme from the palette", rooms.settings, key("Control+k", "h1"), type("dark"), key("Enter", "body")),
  task("my name", rooms.account, type("x", "#f-name"), press("form[action$='account/name'] button")),
  task(
    "invite a manager",
    rooms.managers,
    press("#invite"),
    type("hands@example.net", "#dialog input[type=email]"),
    confirm,
  ),
  task("send a test to an endpoint", rooms.endpoint, press("main form[action$=ping] button")),
  task("send a delivery again", rooms.endpoint, press("#list [id^=again]")),
  task("remove an endpoint", rooms.endpoint, press("main [id^=more-]"), press("#remove"), confirm),
  task("turn the page", rooms.audit, press("#page-next")),
  task("unfold an entry, and search", rooms.audit, press(`${firstRow} summary`), type("Unfinished", "#q")),
];

const visitors = (): Task[] => [
  {
    ...task(
      "sign in",
      "/dashboard/sign-in?next=%2Fdashboard%2Fsettings",
      press("[data-reveal]"),
      type("owner@example.com", "input[type=email]"),
      type(testPassword, "#f-password"),
      key("Enter", "#f-password"),
    ),
    isVisitor: true,
  },
  {
    ...task("subscribe", "/newsletter", type("hands@example.org", "input[type=email]"), key("Enter", "body")),
    isVisitor: true,
  },
];
