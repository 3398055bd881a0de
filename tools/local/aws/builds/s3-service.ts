/**
 * Amazon S3, as far as builds and recordings use it: objects of the template's buckets, under signed and presigned
 * requests. Sources: Amazon S3 API reference, PutObject, GetObject, HeadObject, DeleteObject, "Error responses" and those
 * that `s3-lists.ts` names; S3 user guide, "Conditional writes" and "Checking object integrity".
 */
import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { BucketDescription } from '../../assembly/buckets.ts';
import { REGION } from '../../assembly/intrinsics.ts';
import type { Authorize } from '../callers.ts';
import type { AwsCall, AwsServiceHandler } from '../endpoint.ts';
import { AwsError } from '../errors.ts';
import type { RequestContext } from '../iam/conditions.ts';
import { compilePolicy, type IamPolicy } from '../iam/policy.ts';
import type { ObjectStore } from './object-store.ts';
import { corsHeaders } from './s3-cors.ts';
import { listObjects, removeObjects } from './s3-lists.ts';
import { verifySignature } from './signed-request.ts';

export interface S3ServiceOptions {
  readonly buckets: readonly BucketDescription[];
  readonly objects: ObjectStore;
  readonly authorizeAs: (accessKeyId: string | undefined) => Authorize;
  readonly clock: () => number;
  /** Called for each object that was written. */
  readonly onCreated: (object: CreatedObject) => void;
}

export interface CreatedObject {
  readonly bucket: BucketDescription;
  readonly key: string;
  readonly size: number;
  readonly etag: string;
}

/** An error with the status of the API reference. */
const s3Error = (code: string, status: number): AwsError => new AwsError(code, code, status);

export function createS3Service(options: S3ServiceOptions): AwsServiceHandler {
  const policies = new Map(options.buckets.map(({ name, statements }) => [name, compilePolicy(statements)]));
  return async (call, response) => {
    try {
      await respond(options, policies, call, response);
    } catch (failure) {
      const error =
        failure instanceof AwsError ? failure : new AwsError('InternalError', String(failure), 500);
      // An SDK reads the code of IAM's denial as S3 names it.
      const code = error.type === 'AccessDeniedException' ? 'AccessDenied' : error.type;
      const status = code === 'AccessDenied' ? 403 : error.status;
      response.writeHead(status, { 'content-type': 'application/xml' });
      response.end(
        call.method === 'HEAD' ? '' : `<Error><Code>${code}</Code><Message>${code}</Message></Error>`,
      );
    }
    return undefined;
  };
}

async function respond(
  options: S3ServiceOptions,
  policies: ReadonlyMap<string, IamPolicy>,
  call: AwsCall,
  response: ServerResponse,
): Promise<void> {
  const { method, path: url, headers, body } = call;
  const { pathname, searchParams } = new URL(url, 'http://s3');
  const [, name = '', ...rest] = pathname.split('/').map(decodeURIComponent);
  const key = rest.join('/');
  const bucket = options.buckets.find((each) => each.name === name);
  if (method === 'OPTIONS') return preflight(bucket, headers, response);
  for (const [header, value] of Object.entries(corsHeaders(bucket?.cors, method, headers) ?? {}))
    response.setHeader(header, value);
  const signed = verifySignature({ method, url, headers }, options.clock());
  if ('code' in signed) throw s3Error(signed.code, 403);
  if (bucket === undefined) throw s3Error('NoSuchBucket', 404);
  const authorize = authorizeObject(options.authorizeAs(signed.accessKeyId), policies.get(name), bucket, key);
  if (signed.payloadHash !== 'UNSIGNED-PAYLOAD' && signed.payloadHash !== hex(body))
    throw s3Error('XAmzContentSHA256Mismatch', 400);
  if (key === '' && searchParams.get('list-type') === '2') {
    options.authorizeAs(signed.accessKeyId)('s3:ListBucket', bucket.arn);
    return sendXml(response, listObjects(await options.objects.list(name), searchParams));
  }
  if (method === 'POST' && searchParams.has('delete')) {
    const remove = (each: string) => {
      const authorizeEach = authorizeObject(
        options.authorizeAs(signed.accessKeyId),
        policies.get(name),
        bucket,
        each,
      );
      authorizeEach('s3:DeleteObject', {});
      return options.objects.remove(name, each);
    };
    return sendXml(response, await removeObjects(body, headers, remove));
  }
  if (method === 'PUT') return put(options, { bucket, key, authorize }, call, response);
  if (method === 'DELETE') {
    authorize('s3:DeleteObject', {});
    await options.objects.remove(name, key);
    response.writeHead(204).end();
    return;
  }
  if (method !== 'GET' && method !== 'HEAD') throw s3Error('MethodNotAllowed', 405);
  authorize('s3:GetObject', {});
  const object = await options.objects.read(name, key);
  if (object === undefined) throw missing(options.authorizeAs(signed.accessKeyId), bucket);
  const disposition = searchParams.get('response-content-disposition');
  response.writeHead(200, {
    'content-type': searchParams.get('response-content-type') ?? object.contentType,
    'content-length': object.body.length,
    etag: object.etag,
    ...(disposition === null ? {} : { 'content-disposition': disposition }),
  });
  response.end(method === 'HEAD' ? undefined : object.body);
}

function sendXml(response: ServerResponse, body: string): void {
  response.writeHead(200, { 'content-type': 'application/xml' }).end(body);
}

/** A preflight has no signature. */
function preflight(
  bucket: BucketDescription | undefined,
  headers: IncomingHttpHeaders,
  response: ServerResponse,
): void {
  const allowed = corsHeaders(bucket?.cors, String(headers['access-control-request-method']), headers);
  if (allowed === undefined) throw s3Error('AccessForbidden', 403);
  response.writeHead(200, allowed).end();
}

/** A caller that may not list the bucket does not learn that there is no such object (GetObject, Permissions). */
function missing(authorize: Authorize, { arn }: BucketDescription): AwsError {
  try {
    authorize('s3:ListBucket', arn);
    return s3Error('NoSuchKey', 404);
  } catch {
    return s3Error('AccessDenied', 403);
  }
}

interface WrittenObject {
  readonly bucket: BucketDescription;
  readonly key: string;
  readonly authorize: (action: string, context: RequestContext) => void;
}

async function put(
  { objects, onCreated }: S3ServiceOptions,
  { bucket, key, authorize }: WrittenObject,
  { headers, body }: AwsCall,
  response: ServerResponse,
): Promise<void> {
  const ifNoneMatch = headers['if-none-match'];
  authorize('s3:PutObject', ifNoneMatch === undefined ? {} : { 's3:if-none-match': ifNoneMatch });
  if (ifNoneMatch !== undefined && ifNoneMatch !== '*') throw s3Error('NotImplemented', 501);
  if (String(body.length) !== headers['content-length']) throw s3Error('IncompleteBody', 400);
  const checksum = headers['x-amz-checksum-sha256'];
  const actual = createHash('sha256').update(body).digest('base64');
  if (checksum !== undefined && checksum !== actual) throw s3Error('BadDigest', 400);
  if (ifNoneMatch === '*' && (await objects.read(bucket.name, key)) !== undefined)
    throw s3Error('PreconditionFailed', 412);
  const etag = await objects.write(
    bucket.name,
    key,
    body,
    String(headers['content-type'] ?? 'binary/octet-stream'),
  );
  onCreated({ bucket, key, size: body.length, etag });
  response.writeHead(200, { etag, 'x-amz-checksum-sha256': actual });
  response.end();
}

/** The use of a bucket's key by each action (S3 user guide, "Using server-side encryption with AWS KMS keys"). */
const KEY_USES: Readonly<Record<string, string>> = {
  's3:PutObject': 'kms:GenerateDataKey',
  's3:GetObject': 'kms:Decrypt',
};

/** The policy of the role decides, and a denial of the bucket's own policy. */
const authorizeObject =
  (authorize: Authorize, policy: IamPolicy | undefined, { arn, keyArn }: BucketDescription, key: string) =>
  (action: string, context: RequestContext): void => {
    authorize(action, `${arn}/${key}`);
    const keyUse = KEY_USES[action];
    if (keyArn !== undefined && keyUse !== undefined)
      authorize(keyUse, keyArn, { 'kms:ViaService': `s3.${REGION}.amazonaws.com` });
    // The local endpoint stands for one with TLS.
    const isDenied = policy?.(action, `${arn}/${key}`, { ...context, 'aws:SecureTransport': 'true' });
    if (isDenied === 'explicitly denied') throw s3Error('AccessDenied', 403);
  };

const hex = (body: Buffer): string => createHash('sha256').update(body).digest('hex');
