/** The bucket of a storage node, and the keys to it. */
export type Target = {
  /** What the service calls. */
  endpoint: string;
  /** What presigned URLs are made for. */
  publicEndpoint: string;
  region: string;
  bucket: string;
  accessKey: string;
  secretKey: string;
  /** Then a bucket that is missing means that the disk is: no other is made in its place (P81). */
  holdsFiles?: boolean | undefined;
};
