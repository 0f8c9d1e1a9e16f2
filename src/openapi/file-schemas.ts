import { z } from "zod";
import { typedAs } from "../http/request-schemas";
import { FocalPoint, maxFileBytes, Metadata } from "../storage/uploads/file-input";

const text = (example: string) => z.string().meta({ examples: [example] });

const pixels = (example: number, description: string) =>
  z
    .int()
    .min(0)
    .nullable()
    .meta({ examples: [example], description });

/** What is known and said of a picture. */
const pictureFacts = {
  width: pixels(3000, "In pixels, upright. Null while it is not known, and for what is no picture."),
  height: pixels(2000, "In pixels."),
  alt: text("The harbour at night").nullable().meta({ description: "The alternative text kept with the file." }),
  focus: FocalPoint.nullable(),
};

const file = {
  id: text("019aa6a1-7d42-7e09-a5b3-6c8f2e1d0974"),
  filename: text("harbour.jpg"),
  mimeType: text("image/jpeg"),
  size: z
    .int()
    .min(0)
    .meta({ examples: [482_113], description: "Size in bytes." }),
  etag: z
    .string()
    .nullable()
    .meta({
      description:
        "ETag of the object, as returned by storage. It changes with the bytes and is not the MD5 of the file. Null for files from before it was recorded.",
      examples: ["d41d8cd98f00b204e9800998ecf8427e-1"],
    }),
  checksums: z.record(z.string(), z.string()).meta({
    ...typedAs("Texts"),
    description:
      "Checksums in Base64 that the client sent with a single PUT and storage verified: sha256, sha1, crc32, crc32c or crc64nvme from `x-amz-checksum-…`, and md5 from the reservation’s `contentMd5`.",
    examples: [{ sha256: "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=" }],
  }),
  metadata: Metadata,
  ...pictureFacts,
  folderPath: z.string().meta({ examples: ["photos/2026"], description: 'Empty ("") for files outside any folder.' }),
  mediaUrl: z.url().meta({
    description: "Permanent URL for cover pictures and text. Public while a published post or project uses the file.",
    examples: ["https://example.com/media/019aa6a1-7d42-7e09-a5b3-6c8f2e1d0974/harbour.jpg"],
  }),
  createdAt: z.iso.datetime().meta({ examples: ["2026-11-19T08:00:00.000Z"] }),
};

export const File = z.object(file).meta({ id: "File" });

const Folder = z
  .object({
    path: text("photos/2026/winter"),
    files: z
      .int()
      .min(0)
      .meta({ examples: [12] }),
  })
  .meta({ id: "Folder" });

export const FileList = z
  .object({
    count: z.int().meta({ examples: [1], description: "Number of files in this response." }),
    files: z.array(File),
    folders: z.array(Folder).meta({
      description: "Direct subfolders by name, each with its number of direct files. At most 1,000. First page only.",
    }),
  })
  .meta({ id: "FileList" });

export const TrashedFile = z
  .object({
    id: file.id,
    purgeAt: z.iso.datetime().meta({
      description: "Until then a manager can restore the file; then it is permanently deleted.",
      examples: ["2026-12-19T08:00:00.000Z"],
    }),
  })
  .meta({ id: "TrashedFile" });

export const FileLink = z
  .object({
    url: z.url().meta({ examples: ["https://storage.example/postroom/…?X-Amz-Signature=…"] }),
    expiresAt: z.iso.datetime().meta({ examples: ["2026-11-20T08:00:00.000Z"] }),
  })
  .meta({ id: "FileLink" });

/** Responses about uploads. Requests are parsed elsewhere. */
const time = z.iso.datetime().meta({ examples: ["2026-11-21T09:00:00.000Z"] });
const partSize = z
  .int()
  .min(0)
  .meta({ description: "Size in bytes of every part except the last.", examples: [67_108_864] });
const partCount = z
  .int()
  .min(1)
  .meta({ examples: [3] });
const bytes = (description: string, example: number) =>
  z
    .int()
    .min(0)
    .max(maxFileBytes)
    .meta({ description, examples: [example] });
const numbers = (description: string, examples: number[]) =>
  z.array(z.int().min(1)).meta({ description, examples: [examples] });
const UploadMode = z
  .enum(["put", "multipart"])
  .meta({ id: "UploadMode", description: "Single PUT or multipart.", examples: ["multipart"] });
const UploadState = z
  .enum(["pending", "open", "completing", "completed", "aborting", "aborted"])
  .meta({ id: "UploadState", examples: ["open"] });
const url = z.url().meta({ examples: ["https://storage.example/postroom/…?X-Amz-Signature=…"] });
const expiresIn = z.int().meta({ description: "Seconds until the URL expires.", examples: [3600] });

export const UploadReservation = z
  .object({
    uploadUrl: url.meta({ description: "Send the file’s bytes directly to this storage URL with PUT." }),
    expiresIn,
    method: z.literal("PUT"),
    headers: z
      .object({ "Content-MD5": z.string() })
      .meta({
        ...typedAs("Texts"),
        description: "With `contentMd5`: headers that must be sent with the bytes.",
        examples: [{ "Content-MD5": "XUFAKrxLKna5cZ2REBfFkg==" }],
      })
      .optional(),
    _meta: z
      .object({
        nodeId: z.string().meta({ examples: ["019aa69f-0a11-7b20-8c7e-31f0d9e4b6a5"] }),
        reservationId: z.string().meta({ examples: ["019aa6a1-7d42-7e09-a5b3-6c8f2e1d0974"] }),
        folderId: z.string().meta({ examples: ["019aa6a1-7d41-7f66-9b02-c4a7e8d3f150"] }),
      })
      .meta({
        id: "UploadMeta",
        description: "For debugging and resuming: `reservationId` is the ID of the upload.",
      }),
    partSize: partSize
      .optional()
      .meta({ description: "With `multipart`: size in bytes of every part except the last." }),
    partCount: partCount.optional().meta({ description: "With `multipart`: `uploadUrl` is the URL of part 1." }),
  })
  .meta({ id: "UploadReservation" });

export const UploadStatus = z
  .object({
    state: UploadState,
    size: bytes("As requested.", 200_000_000),
    received: bytes("Bytes of completed PUTs, as of the last check with storage.", 67_108_864),
    mode: UploadMode,
    partSize,
    partCount,
    parts: numbers("Parts received.", [1]),
    missing: numbers("Parts still missing.", [2, 3]),
    urlExpiresAt: time.nullable().meta({ description: "When the most recently issued URL expires." }),
    holdUntil: time.meta({ description: "When the reservation expires. Extended by progress." }),
  })
  .meta({ id: "UploadStatus" });

const OpenUpload = z
  .object({
    reservationId: z.string().meta({ examples: ["019aa6a1-7d42-7e09-a5b3-6c8f2e1d0974"] }),
    filename: z.string().meta({ examples: ["film.mp4"] }),
    mimeType: z.string().meta({ examples: ["video/mp4"] }),
    folderPath: z.string().meta({ examples: ["videos/2026"] }),
    state: UploadState,
    size: bytes("As requested.", 200_000_000),
    received: bytes("Bytes of completed PUTs, as of the last check with storage.", 67_108_864),
    mode: UploadMode,
    partSize,
    partCount,
    urlExpiresAt: time.nullable().meta({ description: "When the most recently issued URL expires." }),
    holdUntil: time.meta({ description: "When the reservation expires. Extended by progress." }),
    createdAt: time,
  })
  .meta({ id: "OpenUpload" });

export const OpenUploads = z
  .object({
    count: z.int().meta({ examples: [1], description: "Number of uploads in this response." }),
    uploads: z.array(OpenUpload),
  })
  .meta({ id: "OpenUploads" });

const PartUrl = z
  .object({
    part: z
      .int()
      .min(1)
      .meta({ examples: [2] }),
    size: bytes("The part must have exactly this many bytes.", 67_108_864),
    url,
  })
  .meta({ id: "PartUrl" });

export const PartUrls = z
  .object({
    partSize,
    partCount,
    expiresIn,
    parts: z.array(PartUrl),
  })
  .meta({ id: "PartUrls" });
