import type { LetterNode } from "../../../views/newsletter/letter-tree";
import { withoutMarks } from "../../content/mdx/mdx";
import { proseOf } from "../../content/mdx/prose-tree";
import { isMergeField } from "./merge-fields";
import { type LetterProblem, Problems } from "./problems";
import { Resolver, type Surroundings } from "./resolve";

/** More than an email may have: a text that is cut here cannot be sent (`isCut`). */
const limits = { characters: 500_000, nodes: 100_000, boxes: 10_000 };

type Part = { nodes: LetterNode[]; problems: LetterProblem[]; files: string[]; isCut: boolean };

/** Reads one text of an email: what its recipients get, and what a manager should know about it. */
export function readPart(body: string, part: "text" | "post", around: Surroundings): Part {
  const content = printable(body).replace(/\r\n?/g, "\n");
  const { nodes, problems: broken, isCut } = proseOf(content, limits, isMergeField);
  const problems = new Problems(content, part);
  for (const problem of broken) problems.mdx(problem);
  const resolver = new Resolver(around, problems);
  return { nodes: resolver.all(nodes), problems: problems.found, files: [...resolver.files], isCut };
}

/** Control characters are not valid anywhere in an email. */
const printable = (text: string) => text.toWellFormed().replace(/[\0-\x08\v\f\x0e-\x1f\x7f-\x9f\ufffe\uffff]/g, "");

export const oneLine = (text: string) => withoutMarks(printable(text)).replace(/\s+/g, " ").trim();
