/** Signature version 4 of requests in AWS's JSON protocol (AWS General Reference, Signature Version 4): POST to `/` without a query. */
import { createHmac, createSecretKey, hash, type KeyObject } from 'node:crypto';

interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
}

interface UnsignedRequest {
  /** Such as `DynamoDB_20120810.GetItem`. */
  readonly target: string;
  readonly body: string;
}

/** The headers of a signed request: names and values in turn. */
export type JsonSigner = (request: UnsignedRequest, credentials: Credentials, now: Date) => string[];

/** A service of AWS with a JSON protocol. */
export interface JsonService {
  /** The name in its signatures. */
  readonly name: string;
  readonly contentType: `application/x-amz-json-1.${0 | 1}`;
}

export const DYNAMODB: JsonService = { name: 'dynamodb', contentType: 'application/x-amz-json-1.0' };

const hmac = (key: KeyObject, text: string) => createHmac('sha256', key).update(text);

/** Signs for one endpoint. The key is derived once for a day and a secret, because that is most of the work. */
export function createJsonSigner(
  { name: service, contentType }: JsonService,
  host: string,
  region: string,
): JsonSigner {
  let derivedFrom = '';
  let derived: KeyObject | undefined;

  function keyOf(day: string, secret: string): KeyObject {
    const source = `${day}${secret}`;
    if (derived !== undefined && derivedFrom === source) return derived;
    let key = createSecretKey(`AWS4${secret}`, 'utf8');
    for (const step of [day, region, service, 'aws4_request'])
      key = createSecretKey(hmac(key, step).digest());
    [derived, derivedFrom] = [key, source];
    return key;
  }

  return ({ target, body }, { accessKeyId, secretAccessKey, sessionToken }, now) => {
    const time = now.toISOString().replace(/[-:]|\.\d{3}/g, '');
    const scope = `${time.slice(0, 8)}/${region}/${service}/aws4_request`;
    const token = sessionToken === undefined ? '' : `x-amz-security-token:${sessionToken}\n`;
    const names = `content-type;host;x-amz-date;${token === '' ? '' : 'x-amz-security-token;'}x-amz-target`;
    const canonical =
      `POST\n/\n\ncontent-type:${contentType}\nhost:${host}\nx-amz-date:${time}\n${token}x-amz-target:${target}\n\n` +
      `${names}\n${hash('sha256', body)}`;
    const signed = `AWS4-HMAC-SHA256\n${time}\n${scope}\n${hash('sha256', canonical)}`;
    const signature = hmac(keyOf(time.slice(0, 8), secretAccessKey), signed).digest('hex');
    return [
      'host',
      host,
      'content-type',
      contentType,
      'content-length',
      String(Buffer.byteLength(body)),
      'x-amz-target',
      target,
      'x-amz-date',
      time,
      ...(sessionToken === undefined ? [] : ['x-amz-security-token', sessionToken]),
      'authorization',
      `AWS4-HMAC-SHA256 Credential=${accessKeyId}/${scope}, SignedHeaders=${names}, Signature=${signature}`,
    ];
  };
}
