import { z } from "zod";
import * as audit from "../../db/audit";
import type { Db } from "../../db/engine/open";
import * as projects from "../../db/projects/projects";
import { slugOf } from "../../db/lib/text";
import { line, lines } from "../platform/text/schemas";
import { list } from "../http/request-schemas";
import { withoutUndefined, image, link, techEntry } from "./project-fields";

const time = z.iso
  .datetime({ offset: true, error: "must be an ISO 8601 timestamp" })
  .transform((text) => new Date(text));
const optional = <T extends z.ZodType>(schema: T) =>
  z.preprocess((value) => value ?? undefined, schema.optional()).optional();

/** The Project fields of the contract, displayOrder and status (D4). `updatedAt` and `id` are set by the service. */
const Project = z.object({
  title: line({ min: 1, max: 200 }),
  slug: optional(line({ min: 1, max: 100 })),
  description: optional(lines({ max: 2_000 })),
  imageUrl: optional(image),
  liveUrl: optional(link),
  githubUrl: optional(link),
  featured: optional(z.boolean("must be true or false")),
  status: optional(z.enum(["DRAFT", "PUBLISHED", "ARCHIVED"], "must be DRAFT, PUBLISHED or ARCHIVED")),
  displayOrder: optional(z.int("must be a whole number")),
  clicks: optional(z.int("must be a whole number").min(0, "must not be negative")),
  tech: optional(list(techEntry, 1_000, "must be a list")),
  author: optional(line({ max: 100 })),
  createdAt: optional(time),
});

export type Imported = { saved: string[]; refused: { file: string; reason: string }[] };

/**
 * Saves every project of a JSON array by slug: repeating it updates them. An invalid one is named by its position and
 * reason, and the others are saved. The audit log has one entry for all of them.
 *
 * @throws if the text is not a JSON array
 */
export async function importProjects(db: Db, json: string, by: audit.Actor, now: Date): Promise<Imported> {
  const result: Imported = { saved: [], refused: [] };
  const counts = () => ({ saved: result.saved.length, refused: result.refused.length });
  const record = audit.entryInCommits({ ...by, action: "project.import" }, now);
  for (const [index, item] of arrayOf(json).entries()) {
    const parsed = Project.safeParse(item);
    const slug = slugOf(parsed.data?.slug ?? parsed.data?.title ?? "");
    if (parsed.success && slug) {
      const soFar = { ...counts(), saved: result.saved.length + 1 };
      const project = { ...withoutUndefined(parsed.data), title: parsed.data.title, slug };
      const saved = await projects.save(db, project, now, (orm) => record(orm, soFar));
      result.saved.push(saved.slug);
    } else result.refused.push({ file: `item ${index + 1}`, reason: reasonOf(parsed.error) });
  }
  await db.write((orm) => record(orm, counts()));
  return result;
}

function arrayOf(json: string): unknown[] {
  try {
    const items: unknown = JSON.parse(json);
    if (Array.isArray(items)) return items;
  } catch {
    // reported below
  }
  throw new Error("The file must contain a JSON array.");
}

const reasonOf = (error: z.ZodError | undefined) =>
  error?.issues.map(({ path, message }) => `${path.join(".")} ${message}`).join("; ") ??
  "slug must contain a letter or digit";
