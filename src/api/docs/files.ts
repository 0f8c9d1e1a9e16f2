import { failure, success } from "../../openapi/responses";
import { redirect } from "../../openapi/bare-responses";

export const docs = {
  list: {
    operationId: "listFiles",
    summary: "List files",
    description: "Completed files of one folder, by name, and its subfolders. Every key can see all files.",
    responses: { 200: success("FileList", "Files and direct subfolders.") },
  },
  one: {
    operationId: "getFile",
    summary: "Get a file’s details",
    description: "The ID is the `reservationId` of its upload. Files in the trash return 404.",
    responses: { 200: success("File", "The file."), 404: failure("File not found.") },
  },
  download: {
    operationId: "downloadFile",
    summary: "Download a file",
    description:
      "Redirects to a signed storage URL valid for one hour. Do not follow the redirect automatically: `curl -L` and `fetch` would send the key to the storage server. Read `Location` and request it without the key.",
    responses: { 302: redirect("Redirect to the file’s signed URL."), 404: failure("File not found.") },
  },
  remove: {
    operationId: "deleteFile",
    summary: "Delete a file",
    description: "Moves the file to the trash, where managers can restore it for 30 days. Idempotent.",
    responses: {
      200: success("TrashedFile", "The file is in the trash."),
      404: failure("File not found."),
      409: failure("This file is used by a post or project."),
    },
  },
};
