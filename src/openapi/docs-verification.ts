import type { Sample } from "../../views/docs/endpoint";
import go from "./docs-snippets/verify.go.txt" with { type: "text" };
import python from "./docs-snippets/verify.py.txt" with { type: "text" };
import typescript from "./docs-snippets/verify.ts.txt" with { type: "text" };

/** How a receiver verifies a call of a webhook. */
export const verification: Sample[] = [
  { language: "TypeScript", code: typescript.trimEnd() },
  { language: "Python", code: python.trimEnd() },
  { language: "Go", code: go.trimEnd() },
];
