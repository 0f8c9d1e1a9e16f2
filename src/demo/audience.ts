import { normalized } from "../../db/lib/text";
import type { Db, Orm } from "../../db/engine/open";
import { allFields, addField, changeFields } from "../../db/newsletter/fields";
import { storedValue } from "../../db/newsletter/field-values";
import { saveSegment } from "../../db/newsletter/segments/saved";
import type { Segment } from "../../db/newsletter/segments/definition";
import type { Subscriber } from "../../db/newsletter/subscribers";
import { changeTags, ensureTags, type Tag } from "../../db/newsletter/tags";
import { addTopic, allTopics, changeTopics } from "../../db/newsletter/topics";
import type { DemoSubscriber } from "../../db/ops/demo";
import { by } from "./sending";

/* The people of the sample site, and what it keeps of them: topics, fields, tags and segments. */

const topics = [
  { name: "Field notes", sentence: "Tides, rain and other measurements, about every second week.", isDefault: true },
  { name: "Small software", sentence: "How the tools behind it are made, and what went wrong.", isDefault: true },
  { name: "Talks and evenings", sentence: "When there is something to come to. Rarely.", isDefault: false },
];

const fields = [
  { key: "city", name: "City", type: "text" as const, options: [] },
  { key: "reads", name: "Reads", type: "choice" as const, options: ["Everything", "Software", "Tides and rain"] },
  { key: "libraryCard", name: "Library card", type: "boolean" as const, options: [] },
];

const tagNames = ["Library", "Sailor", "Developer", "Talk in spring", "Press"];
const cities = ["Bergen", "Utrecht", "Lisbon", "Leith", "Tromsø", "Hamburg", "Gothenburg", "Galway", "Trieste"];

const segments: { name: string; definition: Segment }[] = [
  {
    name: "Came this month, still here",
    definition: {
      v: 2,
      all: [
        { field: "joined", is: "within", of: 30 },
        { field: "status", is: "any", of: ["active"] },
      ],
    },
  },
  {
    name: "Library people near Bergen",
    definition: {
      v: 2,
      all: [
        { field: "tag", is: "any", of: ["Library"] },
        { field: "fields.city", is: "is", of: "Bergen" },
      ],
    },
  },
  {
    name: "Developers, and who reads about software",
    definition: {
      v: 2,
      any: [
        { field: "tag", is: "any", of: ["Developer"] },
        { field: "fields.reads", is: "is", of: 2 },
      ],
    },
  },
];

/** Adds topics and fields, before anyone comes. */
export async function addAudience(db: Db, now: Date): Promise<void> {
  for (const topic of topics) await addTopic(db, topic, by, now);
  for (const field of fields) await addField(db, field, by, now);
}

export const addSegments = async (db: Db, now: Date): Promise<void> => {
  for (const segment of segments) await saveSegment(db, segment, by, now);
};

/** Returns the tags, which are made if they do not exist. */
export const sampleTags = (db: Db, now: Date): Promise<Tag[]> => ensureTags(db, tagNames, now);

/** Gives new people what they chose, and what the site keeps of them. */
export async function describePeople(orm: Orm, people: Subscriber[], tags: Tag[]): Promise<void> {
  if (!people.length) return;
  const all = await allTopics(orm);
  const chosen = people.map((person) => ({
    person,
    add: all.filter((_, place) => place === 0 || (person.row + place) % 3 > 0),
    remove: [],
  }));
  await changeTopics(orm, chosen, true);
  const tagged = people.map((person) => ({
    person,
    add: tags.filter((_, place) => (place ? (person.row + 2 * place) % (5 + place) === 0 : isFromLibrary(person))),
    remove: [],
  }));
  await changeTags(orm, tagged);
  const allKept = await allFields(orm);
  const described = people.filter(({ row }) => row % 3 > 0);
  const valueOf = (key: string, { row, source }: Subscriber) =>
    key === "city"
      ? cities[row % cities.length]
      : key === "reads"
        ? fields[1]?.options[row % 3]
        : source === "library-talk" || row % 5 === 0;
  const changes = described.map((person) => ({
    person,
    values: allKept.flatMap((field) => {
      const value = storedValue(field, valueOf(field.key, person));
      return value ? [{ field, value }] : [];
    }),
  }));
  await changeFields(orm, changes);
}

const isFromLibrary = ({ source }: Subscriber) => source === "library-talk";

/** The demo subscribers: name (or none), address, source. All under example domains, which no one owns. */
const named: [name: string | undefined, email: string, source: string | undefined][] = [
  ["Ikram Bouazza", "ikram.bouazza@example.org", "landing"],
  ["Sigrid Nes", "sigrid@nes.example", "blog"],
  [undefined, "tidewatcher@example.net", "blog"],
  ["Jonas Eide", "jonas.eide@example.com", "footer"],
  ["Priya Raman", "priya@raman.example", "blog"],
  ["Teodor Vik", "teo.vik@example.org", "landing"],
  [undefined, "books@library.example", "library-talk"],
  ["Marguerite Colin", "m.colin@example.org", "blog"],
  ["Håkon Strand", "haakon.strand@example.org", "landing"],
  ["Amal Farouk", "amal+letters@example.com", "blog"],
  ["Lucy Pemberton", "lucy@pemberton.example", "footer"],
  [undefined, "kystlinje@example.org", undefined],
  ["Daniel Okafor", "daniel.okafor@example.org", "blog"],
  ["Yuki Tanabe", "yuki@tanabe.example", "blog"],
  ["Elin Sørensen", "elin.sorensen@example.org", "landing"],
  ["Bruno Castell", "bruno@castell.example", "blog"],
  [undefined, "rss-but-by-mail@example.net", "blog"],
  ["Wanjiru Kamau", "wanjiru.k@example.com", "library-talk"],
  ["Peter Lindahl", "peter@lindahl.example", "landing"],
  ["Chiara Bonetti", "chiara.bonetti@example.org", "blog"],
  ["Oskar Brandt", "o.brandt@example.org", "footer"],
  [undefined, "harbour.office@example.org", "library-talk"],
  ["Fatima Zahra Idrissi", "fz.idrissi@example.org", "blog"],
  ["Gareth Pugh", "gareth@pugh.example", "blog"],
  ["Nina Haugland", "nina.haugland@example.org", "library-talk"],
  ["Tomasz Wrona", "t.wrona@example.org", "landing"],
  [undefined, "balcony-station@example.com", "blog"],
  ["Ana Ribeiro", "ana@ribeiro.example", "blog"],
  ["Sven Aalto", "sven.aalto@example.org", "footer"],
  ["Leila Haddad", "leila.haddad@example.com", "landing"],
  ["Morten Lie", "morten@lie.example", "library-talk"],
  ["Grace Adeyemi", "grace.adeyemi@example.org", "blog"],
  [undefined, "postcards@example.net", "blog"],
  ["Henrik Dahl", "henrik.dahl@example.org", "library-talk"],
  ["Zofia Nowak", "zofia@nowak.example", "blog"],
  ["Matteo Ricci", "matteo.ricci@example.org", "landing"],
  ["Ingrid Solberg", "ingrid.solberg@example.org", "library-talk"],
  ["Rafael Moreno", "rafael@moreno.example", "blog"],
  [undefined, "quiet.reader@example.com", undefined],
  ["Beatrix Holm", "beatrix.holm@example.org", "blog"],
  ["Emeka Obi", "emeka.obi@example.org", "landing"],
  ["Solveig Aase", "solveig.aase@example.org", "blog"],
];

/** Those who come by themselves, of whom there are more: every pair of these names is a person. */
const firstNames =
  "Aino Birgit Carlos Dorthe Eskil Freya Giulia Hamza Ines Joost Kari Lars Maren Nils Orla Paulo Rosa Sanne Tuva Ulrik Vera Willem Ylva Zahra".split(
    " ",
  );
const lastNames =
  "Andersen Bakker Costa Dubois Eriksen Fischer Garcia Hansen Iversen Janssen Keller Lopes Moen Nygaard Olsen".split(
    " ",
  );
const sources = ["blog", "blog", "landing", "blog", "footer", "library-talk", "blog"];
const languages = ["en", undefined, "de", undefined, "en", "nl", undefined, "fr", undefined, "es", undefined];

const plain = (name: string) =>
  normalized(name, "NFD")
    .replaceAll(/[^a-z]/gi, "")
    .toLowerCase();

/** How many days before today the first of them came. */
export const firstDay = 110;

/**
 * They joined over `firstDay` days, most of them recently, at hours when people are awake. Returned in the order in which
 * they came.
 */
export function peopleOf(before: (days: number) => Date): DemoSubscriber[] {
  const others = firstNames.flatMap((first, i) =>
    lastNames.map((last, j) => {
      const at = i * lastNames.length + j;
      const email = `${plain(first)}.${plain(last)}@${["example.com", "example.org", "example.net"][at % 3]}`;
      return { name: at % 9 === 4 ? undefined : `${first} ${last}`, email, language: languages[at % languages.length] };
    }),
  );
  const count = others.length;
  const rest = Array.from({ length: count }, (_, place) => {
    const { name, email, language } = others[(place * 131) % count] ?? {}; // no two neighbours have one name
    const days = firstDay * (1 - place / count) ** 1.25 + ((place * 7) % 10) / 24;
    return { name, email: email ?? "", language, source: sources[place % sources.length], cameAt: before(days) };
  });
  const first = named.map(([name, email, source], place) => {
    const days = 30 * (1 - place / named.length) ** 1.3 + ((place * 7) % 10) / 24;
    return { name, email, source, cameAt: before(days) };
  });
  return [...rest, ...first].toSorted((a, b) => a.cameAt.getTime() - b.cameAt.getTime());
}
