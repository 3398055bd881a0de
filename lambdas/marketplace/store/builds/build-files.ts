/**
 * The bytes of builds in S3. Uploads are in quarantine under `uploads/`: no role signs a download there. Artifacts are
 * written once, and removed when no release offers them; the bucket keeps a removed one for restores.
 */
import {
  DeleteObjectCommand,
  GetObjectCommand,
  PutObjectCommand,
  S3Client,
  type S3ClientConfig,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { type Build, type BuildKey, DOWNLOAD_SECONDS, UPLOAD_SECONDS } from '../../core/builds/build.ts';
import type { BuildFiles, DownloadSigner, PresignedUpload, UploadSigner } from '../../core/builds/ports.ts';

/** 50 MB within a region take a second or two. */
const REQUEST_MS = 30_000;
const CONNECT_MS = 1_000;

const CONTENT_TYPE = 'application/octet-stream';
const CHECKSUM_HEADER = 'x-amz-checksum-sha256';
/** Unless they are listed, the presigner leaves the first out of the signature, and moves the second to the query. */
const SIGNED_HEADERS = new Set(['content-type', 'content-length', 'if-none-match', CHECKSUM_HEADER]);

/** Without checksums of the SDK: each upload has SHA-256. */
export const createFileClient = (config: S3ClientConfig = {}): S3Client =>
  new S3Client({
    ...config,
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      connectionTimeout: CONNECT_MS,
      requestTimeout: REQUEST_MS,
      throwOnRequestTimeout: true,
    },
  });

export const uploadKey = ({ listingId, id }: BuildKey): string => `uploads/${listingId}/${id}`;

export const artifactKey = ({ listingId, id }: BuildKey): string => `artifacts/${listingId}/${id}`;

/** Returns the build whose upload an object is; undefined for any other object. */
export function buildOf(objectKey: string): BuildKey | undefined {
  const [, listingId, id] = /^uploads\/(lst_[0-9A-Z]{26})\/(build_[0-9A-Z]{26})$/.exec(objectKey) ?? [];
  return listingId === undefined || id === undefined ? undefined : { listingId, id };
}

const checksumOf = ({ sha256 }: Build): string => Buffer.from(sha256, 'hex').toString('base64');

export class BucketFiles implements BuildFiles, UploadSigner, DownloadSigner {
  readonly #client: S3Client;
  readonly #bucket: string;

  constructor(client: S3Client, bucket: string) {
    this.#client = client;
    this.#bucket = bucket;
  }

  async upload(build: Build): Promise<PresignedUpload> {
    const headers = {
      'content-type': CONTENT_TYPE,
      'content-length': String(build.size),
      'if-none-match': '*',
      [CHECKSUM_HEADER]: checksumOf(build),
    };
    const command = new PutObjectCommand({
      Bucket: this.#bucket,
      Key: uploadKey(build),
      ContentType: CONTENT_TYPE,
      ContentLength: build.size,
      ChecksumSHA256: checksumOf(build),
      IfNoneMatch: '*',
    });
    const url = await getSignedUrl(this.#client, command, {
      expiresIn: UPLOAD_SECONDS,
      signableHeaders: SIGNED_HEADERS,
      unhoistableHeaders: new Set([CHECKSUM_HEADER]),
    });
    return { url, headers };
  }

  download(build: Build): Promise<string> {
    const command = new GetObjectCommand({
      Bucket: this.#bucket,
      Key: artifactKey(build),
      ResponseContentDisposition: `attachment; filename="${build.filename}"`,
      ResponseContentType: CONTENT_TYPE,
    });
    return getSignedUrl(this.#client, command, { expiresIn: DOWNLOAD_SECONDS });
  }

  async read(build: Build): Promise<Buffer | undefined> {
    const command = new GetObjectCommand({ Bucket: this.#bucket, Key: uploadKey(build) });
    const { Body: body, ContentLength: length } = await this.#client.send(command);
    return body !== undefined && length === build.size
      ? Buffer.from(await body.transformToByteArray())
      : undefined;
  }

  async remove(build: Build): Promise<void> {
    await this.#client.send(new DeleteObjectCommand({ Bucket: this.#bucket, Key: artifactKey(build) }));
  }

  async publish(build: Build, file: Buffer): Promise<void> {
    const command = new PutObjectCommand({
      Bucket: this.#bucket,
      Key: artifactKey(build),
      Body: file,
      ContentType: CONTENT_TYPE,
      ChecksumSHA256: checksumOf(build),
      IfNoneMatch: '*',
    });
    try {
      await this.#client.send(command);
    } catch (failure) {
      // The same bytes are there: only those of the build's digest are published.
      if (failure instanceof S3ServiceException && failure.name === 'PreconditionFailed') return;
      throw failure;
    }
  }
}
