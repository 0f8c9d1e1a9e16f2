import { algorithm, amzTime, encodePath, encodeQuery, scopeOf, signature, unsigned } from "./sigv4";
import { urlLifetimeSeconds } from "../../../db/storage/rules";

type Credentials = { accessKey: string; secretKey: string; region: string };
type Presignable = {
  method: string;
  /** Scheme, host and port of the storage, as the client reaches it. */
  origin: string;
  /** Decoded, such as "/bucket/key". */
  path: string;
  query?: Record<string, string>;
  /** Signed in addition to the host: the client must send exactly these. */
  headers?: Record<string, string>;
  /** Seconds, 1 to 604800. */
  expiresIn: number;
};

/**
 * Returns a URL that carries its own permission (SigV4 in the query). The `minio` client cannot sign `Content-Length`,
 * and without that, a URL would accept any number of bytes.
 */
export function presign(
  { accessKey, secretKey, region }: Credentials,
  { method, origin, path, query = {}, headers = {}, expiresIn }: Presignable,
  at: Date,
): string {
  const time = amzTime(at);
  const signed = Object.entries({ ...headers, host: new URL(origin).host }).sort(([a], [b]) => (a < b ? -1 : 1));
  const parameters = Object.entries({
    ...query,
    "X-Amz-Algorithm": algorithm,
    "X-Amz-Credential": `${accessKey}/${scopeOf(time, region)}`,
    "X-Amz-Date": time,
    "X-Amz-Expires": String(expiresIn),
    "X-Amz-SignedHeaders": signed.map(([name]) => name).join(";"),
  });
  const seal = signature(secretKey, time, region, {
    method,
    path,
    query: parameters,
    headers: signed,
    payload: unsigned,
  });
  return `${origin}${encodePath(path)}?${encodeQuery(parameters)}&X-Amz-Signature=${seal}`;
}

type Download = {
  key: string;
  /** The Content-Disposition of the response. */
  disposition: string;
  /** An address of the node other than its public one. */
  origin?: string | undefined;
  expiresIn?: number;
};

/** Returns a URL at which browsers get an object under a name that is not its key. */
export const presignGet = (
  target: Credentials & { bucket: string; publicEndpoint: string },
  { key, disposition, origin = target.publicEndpoint, expiresIn = urlLifetimeSeconds }: Download,
  at: Date,
): string => {
  const query = { "response-content-disposition": disposition };
  return presign(target, { method: "GET", origin, path: `/${target.bucket}/${key}`, query, expiresIn }, at);
};
