/** The bucket of a storage node, and the keys to it. */
export type Target = {
  /** The URL that the service calls. */
  endpoint: string;
  /** The URL on which presigned URLs are based. */
  publicEndpoint: string;
  region: string;
  bucket: string;
  accessKey: string;
  secretKey: string;
  /** A missing bucket then means that the disk is missing, so no other is created in its place. */
  holdsFiles?: boolean | undefined;
};
