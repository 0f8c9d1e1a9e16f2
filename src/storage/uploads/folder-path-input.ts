import { z } from "zod";
import { exactLine } from "../../platform/text/schemas";
import { control, folderPattern } from "../../platform/text/patterns";
import { bytes, text, turning } from "./file-input";

/** A folder path, normalised: "a/b", or "" for the root. */
export const FolderPath = z
  .preprocess(
    (value) => value ?? "",
    text
      .pipe(exactLine({ max: 1024 }))
      .transform((path) =>
        path
          .split("/")
          .map((name) => name.trim())
          .filter((name) => name && name !== "."),
      )
      .refine((names) => names.length <= 32, "must have at most 32 folders")
      .refine(
        (names) => names.every((name) => bytes(name) <= 255),
        "must not contain a folder name longer than 255 bytes",
      )
      .refine((names) => !names.some((name) => name === ".." || name.includes("\\")), "must not contain .. or \\")
      .transform((names) => names.join("/"))
      .refine((path) => bytes(path) <= 1024, "must be at most 1024 bytes long"),
  )
  .meta({
    type: ["string", "null"],
    pattern: folderPattern(1_024, `${control}${turning}\\\\`),
    description: "At most 1,024 bytes, in at most 32 folders.",
  });
