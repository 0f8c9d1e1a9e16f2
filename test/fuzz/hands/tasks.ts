import { tasksOfSubjects } from "./subjects";
import { someFile, type Task } from "./walk";

type Rooms = Record<string, string>;

const phone = { width: 390, height: 844 };

/**
 * What hands do. A new page needs no row: every page is opened on a desk and on a phone, a file is dropped on it, and the
 * palette is used. A new task is one row, here or in subjects.ts.
 */
export const tasksOf = (rooms: Rooms): Task[] => [
  ...Object.entries(rooms).flatMap(([name, path]): Task[] => [
    { name: `${name}: look`, path, viewport: phone, steps: [] },
    {
      name: `${name}: search from here`,
      path,
      steps: [
        // A text that is dropped on a text goes into it, where that stands by then
        ...(isUploader(path) || pagesOfTexts.has(name) ? [] : [{ drop: someFile }]),
        ...(pagesOfTexts.has(name) ? [{ press: "[popovertarget=side]" }] : []),
        { press: ".side [data-palette]" },
        { type: "reader10@" },
      ],
    },
  ]),
  ...lists(rooms),
  ...dialogs(rooms),
  ...forms(rooms),
  ...writing(rooms),
  ...storage(),
  ...tasksOfSubjects(rooms),
];

/** Where the navigation is behind a button. */
const pagesOfTexts = new Set([
  "welcome email",
  "composer",
  "empty composer",
  "project",
  "new project",
  "post",
  "new post",
  "draft post",
  "an editor with problems",
]);

const isUploader = (path: string) => /^\/dashboard\/storage(\?|$)/.test(path);

const newsletter = "/dashboard/newsletter";

const lists = (_: Rooms): Task[] => [
  { name: "search with a key", path: newsletter, steps: [{ key: "/", at: "#list tbody tr" }, { type: "reader10@" }] },
  { name: "search with the mouse", path: newsletter, steps: [{ type: "reader1", into: "#q" }] },
  {
    name: "search, and sort at once",
    path: newsletter,
    steps: [{ type: "reader1", into: "#q" }, { press: "#sort-joined" }],
  },
  {
    name: "search, and Enter",
    path: "/dashboard/posts",
    steps: [
      { type: "harbour", into: "#q" },
      { key: "Enter", at: "#q" },
    ],
  },
  {
    name: "filter with the keyboard",
    path: "/dashboard/suppressions",
    steps: [{ press: ".filters .search" }, { key: "Tab", at: ".filters select" }, { key: "ArrowDown", at: "select" }],
  },
  { name: "another segment", path: newsletter, steps: [{ press: "#segment-unsubscribed" }] },
  {
    name: "select with keys",
    path: newsletter,
    steps: ["j", "x", "j", "j", "x"].map((key) => ({ key, at: "#list tbody tr" })),
  },
  {
    name: "select with the mouse",
    path: newsletter,
    steps: [2, 4, 5].map((row) => ({ press: `#list tbody tr:nth-child(${row}) input[name=ids]` })),
  },
  {
    name: "select all but one",
    path: newsletter,
    steps: [{ press: "[data-pick-all]" }, { press: "#list tbody tr:nth-child(1) input[name=ids]" }],
  },
  {
    name: "delete what is selected",
    path: newsletter,
    steps: [
      { press: "#list tbody tr:nth-child(1) input[name=ids]" },
      { press: "#list tbody tr:nth-child(3) input[name=ids]" },
      { press: ".bulk [data-hotkey='#']" },
      { press: "#dialog dialog[open] button[type=submit]" },
    ],
  },
  { name: "go to a page with keys", path: newsletter, steps: [{ key: "g k", at: "h1" }] },
  { name: "show the keys", path: newsletter, steps: [{ key: "?", at: "#list tbody tr" }] },
  {
    name: "open a message",
    path: "/dashboard/contact",
    steps: [
      { key: "j", at: "#list .rows > *" },
      { key: "Enter", at: "#list .rows > *" },
    ],
  },
];

const dialogs = ({ subscriber = "" }: Rooms): Task[] => [
  {
    name: "add a subscriber",
    path: newsletter,
    steps: [
      { press: "#add" },
      { type: "hands@example.com", into: "#dialog input[name=email]" },
      { key: "Enter", at: "#dialog input[name=email]" },
    ],
  },
  {
    name: "add, and change one's mind",
    path: newsletter,
    steps: [{ press: "#add" }, { press: "#dialog [data-close]" }],
  },
  {
    name: "delete a subscriber",
    path: subscriber,
    steps: [{ press: "#more-person" }, { press: "#delete" }, { press: "#dialog dialog[open] button[type=submit]" }],
  },
  {
    name: "palette: type and Enter",
    path: "/dashboard/settings",
    steps: [{ key: "Control+k", at: "h1" }, { type: "reader10@" }, { key: "Enter", at: "body" }],
  },
  {
    name: "palette: type, walk and Escape",
    path: "/dashboard",
    steps: [{ key: "Control+k", at: "h1" }, { type: "reader" }, { key: "ArrowDown", at: "body" }],
  },
  {
    name: "replace a dialog's answer twice",
    path: "/dashboard/api-keys/new",
    steps: [{ type: "By hand", into: "main input[name=name]" }],
  },
];

const forms = ({ message = "" }: Rooms): Task[] => [
  {
    name: "a setting, with Enter",
    path: "/dashboard/settings",
    steps: [
      { press: "main input[name=siteTitle]" },
      { key: "Control+a", at: "main input[name=siteTitle]" },
      { type: "By hand" },
      { key: "Enter", at: "main input[name=siteTitle]" },
    ],
  },
  {
    name: "the same twice",
    path: "/dashboard/settings",
    steps: [
      { press: "main input[name=siteTitle]" },
      { key: "Control+a", at: "main input[name=siteTitle]" },
      { type: "By two hands" },
      { key: "Enter", at: "main input[name=siteTitle]" },
      { key: "Enter", at: "main input[name=siteTitle]" },
    ],
  },
  { name: "archive a message", path: message, steps: [{ key: "y", at: ".letter h2" }] },
  {
    name: "typed, and a link",
    path: "/dashboard/settings",
    steps: [{ type: "x", into: "main input[name=siteTitle]" }, { press: ".nav a[href$='/projects']" }],
  },
  { name: "sign out", path: "/dashboard", steps: [{ press: "#account" }, { press: "form[action$=sign-out] button" }] },
];

const writing = (rooms: Rooms): Task[] => [
  {
    name: "write a post",
    path: "/dashboard/posts/new",
    steps: [
      { type: "By hand", into: "#title" },
      { type: "Hello ", into: "#content" },
      { key: "Control+b", at: "#content" },
      { type: "bold" },
      { key: "Control+s", at: "#content" },
    ],
  },
  {
    name: "write with the toolbar",
    path: "/dashboard/posts/new",
    steps: [
      { type: "By mouse", into: "#title" },
      { press: "#content" },
      { press: "[data-tool=italic]" },
      { type: "slanted" },
      { press: "#save" },
    ],
  },
  {
    name: "show the details",
    path: rooms["draft post"] ?? "",
    steps: [{ press: "#beside [data-view=details]" }, { type: "Briefly.", into: "#excerpt" }, { press: "#save" }],
  },
  {
    name: "choose an image",
    path: rooms["draft post"] ?? "",
    steps: [{ press: "#tool-image" }, { press: "#dialog [data-picture]" }, { key: "Control+s", at: "#content" }],
  },
  {
    name: "write a broadcast",
    path: rooms.composer ?? "",
    steps: [
      { type: " more", into: "#subject" },
      { key: "Control+s", at: "#subject" },
    ],
  },
  { name: "review a broadcast", path: rooms.composer ?? "", steps: [{ press: "#review" }] },
];

const storage = (): Task[] => [
  { name: "drop a file", path: "/dashboard/storage?folder=hands", uploads: true, steps: [{ drop: someFile }] },
  {
    name: "new folder",
    path: "/dashboard/storage",
    steps: [{ press: "a[href*='folders/new']" }, { type: "Hands", into: "#dialog input[name=name]" }],
  },
];
