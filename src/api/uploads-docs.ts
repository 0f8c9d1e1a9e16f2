import { bodyExample, failure, success } from "../openapi/responses";

const errors = {
  404: failure("There is no such upload, or it belongs to another key."),
  409: failure("The upload is not open: it is complete, or was given up."),
  502: failure("The storage is in trouble. Nothing has changed; try again later."),
};

/** What the OpenAPI document says about these routes. */
export const docs = {
  status: {
    summary: "See how far an upload is",
    description: "By its `reservationId`, for the key that requested it. Asks the storage, at most once a second.",
    responses: { 200: success("UploadStatus", "Where the upload is now."), 404: errors[404] },
  },
  parts: {
    summary: "Get URLs for parts of an upload",
    description:
      "For those of the parts `from`…`to`, or `numbers`, that are missing: the first 100 of them. All parts are meant when neither is given, or no body at all; none when `to` is before `from`. The first call for an upload that was to come in one PUT ends the validity of its `uploadUrl`.",
    requestBody: { ...bodyExample({ from: 1, to: 100 }), required: false },
    responses: { 200: success("PartUrls", "A URL for each part that is missing."), ...errors },
  },
  url: {
    summary: "Get a fresh upload URL",
    description: "For the one PUT of an upload that is not in parts, when its URL has expired.",
    responses: {
      200: success("FreshUrl", "The URL is good for an hour."),
      400: { $ref: "#/components/responses/NotValid" },
      ...errors,
      409: failure("The upload is not open, or comes in parts."),
    },
  },
  complete: {
    summary: "Complete an upload now",
    description:
      "Not necessary: the service notices by itself. This is for clients that do not want to wait for that; asking again does no harm.",
    responses: {
      200: success(
        "UploadStatus",
        'Everything is there. The state is "completed", or "completing" while the storage needs more time.',
      ),
      400: { $ref: "#/components/responses/NotValid" },
      ...errors,
      409: failure('Parts are missing: `details` names them, as in "3" or "5-9". Or the upload was given up.'),
    },
  },
  failed: {
    summary: "Tell that the storage did not take the bytes",
    description:
      "When a PUT to its URL is answered 507, or with a `Code` that speaks of a quota: the upload is given up, and your next reservation goes to another storage node. The service finds out by itself whether the node is full for everybody. For other errors this is the same as giving the upload up.",
    requestBody: bodyExample({ status: 507, code: "XMinioStorageFull" }),
    responses: {
      200: success("UploadStatus", 'The state is "aborted", or "aborting" until the storage has let go of it.'),
      404: errors[404],
      409: failure("The upload is complete."),
    },
  },
  abort: {
    summary: "Give an upload up",
    description: "Its URLs die and its bytes are free again. Doing it again does no harm.",
    responses: {
      200: success("UploadStatus", 'The state is "aborted", or "aborting" until the storage has let go of it.'),
      404: errors[404],
      409: failure("The upload is complete."),
    },
  },
};
