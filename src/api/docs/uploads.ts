import { bodyExample, failure, success } from "../../openapi/responses";

const errors = {
  404: failure("Upload not found, or it belongs to another key."),
  409: failure("The upload is not open: it was completed or aborted."),
  502: failure("Storage error. Nothing was changed; try again later."),
};

/** What the OpenAPI document says about these routes. */
export const docs = {
  status: {
    operationId: "getUpload",
    summary: "Get upload status",
    description:
      "By its `reservationId`, only for the key that requested it. Storage is queried at most once a second.",
    responses: {
      200: success("UploadStatus", "Current status."),
      404: errors[404],
      503: failure(
        "The upload is open and storage is not responding (`UPLOAD_FAILED`): which parts have arrived is unknown, so send nothing again yet. Or the service is busy (`OVERLOADED`).",
      ),
    },
  },
  parts: {
    operationId: "createPartUrls",
    summary: "Get URLs for parts of an upload",
    description:
      "Returns URLs for the missing parts in `from`…`to` or `numbers`, at most 100. Without either, or without a request body, all missing parts count; if `to` is before `from`, none do. For a single-PUT upload, the first call converts it to multipart and invalidates its `uploadUrl`.",
    requestBody: { ...bodyExample({ from: 1, to: 100 }), required: false },
    responses: { 200: success("PartUrls", "A URL for each missing part."), ...errors },
  },
  url: {
    operationId: "renewUploadUrl",
    summary: "Get a fresh upload URL",
    description: "For a single-PUT upload whose URL has expired.",
    responses: {
      200: success("FreshUrl", "The URL is valid for one hour."),
      400: { $ref: "#/components/responses/NotValid" },
      ...errors,
      409: failure("The upload is not open, or is a multipart upload."),
    },
  },
  complete: {
    operationId: "completeUpload",
    summary: "Complete an upload now",
    description: "Optional: the service detects completed uploads automatically. Use it to avoid waiting. Idempotent.",
    responses: {
      200: success(
        "UploadStatus",
        'All data has been received. The state is "completed", or "completing" while storage is still working.',
      ),
      400: { $ref: "#/components/responses/NotValid" },
      ...errors,
      409: failure('Parts are missing (listed in `details`, such as "3" or "5-9"), or the upload was aborted.'),
    },
  },
  failed: {
    operationId: "reportUploadFailure",
    summary: "Report a rejected upload",
    description:
      "Use it when a PUT to the upload URL returns 507 or a `Code` about a quota. The upload is aborted, and your next reservation goes to a different storage node. The service checks automatically whether the node is full for everyone. For other errors this is the same as aborting the upload.",
    requestBody: bodyExample({ status: 507, code: "XMinioStorageFull" }),
    responses: {
      200: success("UploadStatus", 'The state is "aborted", or "aborting" until storage has released it.'),
      404: errors[404],
      409: failure("The upload is complete."),
    },
  },
  abort: {
    operationId: "abortUpload",
    summary: "Abort an upload",
    description: "Invalidates its URLs and frees its space. Idempotent.",
    responses: {
      200: success("UploadStatus", 'The state is "aborted", or "aborting" until storage has released it.'),
      404: errors[404],
      409: failure("The upload is complete."),
    },
  },
};
