import { bodyExample, failure, success } from "../../openapi/responses";
import { idempotencyKeyParameter } from "../idempotency-key";

export const detail = {
  operationId: "createUpload",
  summary: "Request an upload URL",
  description:
    "Send exactly `size` bytes to `uploadUrl` with PUT. Storage responds with 200, and the file is registered without a further call. Large files can be sent in parts and resumed, using `_meta.reservationId`. A repeated request with the same Idempotency-Key returns the same reservation with a fresh URL.",
  parameters: [idempotencyKeyParameter("Valid for 24 hours, for the same API key and request body")],
  requestBody: bodyExample({
    filename: "harbour.jpg",
    mimeType: "image/jpeg",
    size: 482_113,
    folderPath: "photos/2026",
  }),
  responses: {
    200: success("UploadReservation", "Space is reserved; the URL is valid for one hour."),
    409: failure(
      "This Idempotency-Key has already been used for a different upload, or its upload is complete; then `details` has the `reservationId`.",
    ),
    500: failure("Upload failed: storage error. No space is reserved."),
    507: failure(
      "Insufficient storage: no storage node has enough space, or none accepts this file in a single PUT; then `details` says to request `multipart`, or to announce `contentMd5`.",
    ),
  },
};
