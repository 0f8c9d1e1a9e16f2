import { Refused, xml } from "./responses";
import * as uploads from "./uploads";
import { listParts, named, type Target } from "./listings";
import { askedFor, signedText } from "./send-object";

export async function onUpload(target: Target, upload: uploads.Upload): Promise<Response> {
  const { folder, request, url } = target;
  switch (request.method) {
    case "PUT": {
      const { etag, checksums } = await uploads.putPart(upload, Number(url.searchParams.get("partNumber")), request);
      const checksumHeaders = Object.entries(checksums).map(([name, value]) => [`x-amz-checksum-${name}`, value]);
      return new Response(null, { headers: { etag: `"${etag}"`, ...Object.fromEntries(checksumHeaders) } });
    }
    case "GET":
      return listParts(target, upload);
    case "POST": {
      const etag = await uploads.complete(folder, upload, askedFor(await signedText(request)));
      return xml(
        `<CompleteMultipartUploadResult>${named(target, { Location: url.origin + url.pathname, ETag: `"${etag}"` })}</CompleteMultipartUploadResult>`,
      );
    }
    case "DELETE":
      await uploads.abort(folder, upload);
      return new Response(null, { status: 204 });
    default:
      throw new Refused(501, "NotImplemented");
  }
}

export async function startUpload(target: Target) {
  const type = target.request.headers.get("content-type") ?? "application/octet-stream";
  const UploadId = await uploads.start(target.folder, target.key, type);
  return xml(`<InitiateMultipartUploadResult>${named(target, { UploadId })}</InitiateMultipartUploadResult>`);
}
