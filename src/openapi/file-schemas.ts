import { z } from "zod";

const text = (example: string) => z.string().meta({ examples: [example] });

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
    description:
      "Checksums in Base64 that the client sent with a single PUT and storage verified: sha256, sha1, crc32, crc32c or crc64nvme from `x-amz-checksum-…`, and md5 from the reservation’s `contentMd5`.",
    examples: [{ sha256: "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=" }],
  }),
  folderPath: z.string().meta({ examples: ["photos/2026"], description: 'Empty ("") for files outside any folder.' }),
  mediaUrl: z.url().meta({
    description: "Permanent URL for cover images and text. Public while a published post or project uses the file.",
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
