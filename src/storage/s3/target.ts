/** The bucket of a storage node, and the keys to it. */
export type Target = {
  /** What the service calls. */
  endpoint: string;
  /** What presigned URLs refer to. */
  publicEndpoint: string;
  region: string;
  bucket: string;
  accessKey: string;
  secretKey: string;
  /** A missing bucket then means that the disk is missing, so no other is created in its place. */
  holdsFiles?: boolean | undefined;
};
