/**
 * Reads the result of a buffered proxy integration, as strictly as API Gateway does.
 * Source: API Gateway developer guide, output format of a Lambda function for proxy integration.
 */
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { isBinary } from './proxy-event.ts';
import { type FunctionHeaders, leavingHeaders } from './response-headers.ts';

export interface BufferedResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string[]>>;
  readonly body: Buffer;
}

interface ProxyResult extends FunctionHeaders {
  readonly statusCode?: unknown;
  readonly body?: unknown;
  readonly isBase64Encoded?: unknown;
}

const KNOWN_KEYS = new Set(['statusCode', 'headers', 'multiValueHeaders', 'body', 'isBase64Encoded']);

/** The function's answer is not one that API Gateway can turn into a response. */
export class MalformedResponse extends Error {
  override readonly name = 'MalformedAnswer';
}

export interface BufferedResponseOptions {
  readonly source: Readable;
  readonly binaryMediaTypes: readonly string[];
  readonly accept: string | undefined;
}

/** Throws `MalformedAnswer` with the reason. */
export async function readBufferedResponse({
  source,
  binaryMediaTypes,
  accept,
}: BufferedResponseOptions): Promise<BufferedResponse> {
  const result = parseResult(await text(source));
  const status = Number(result.statusCode);
  if (!isStatus(status)) throw new MalformedResponse(`statusCode is ${JSON.stringify(result.statusCode)}`);
  const { body = '' } = result;
  if (typeof body !== 'string' && body !== null) throw new MalformedResponse('body is not a string');
  const headers = leavingHeaders(result);
  if (headers === undefined) throw new MalformedResponse('a header cannot be sent');
  const decode =
    result.isBase64Encoded === true &&
    (isBinary(binaryMediaTypes, accept) || isBinary(binaryMediaTypes, headers['content-type']?.[0]));
  return { status, headers, body: Buffer.from(body ?? '', decode ? 'base64' : 'utf8') };
}

export function isStatus(status: number): boolean {
  return Number.isInteger(status) && status >= 200 && status <= 599;
}

function parseResult(text: string): ProxyResult {
  let result: unknown;
  try {
    result = JSON.parse(text);
  } catch {
    throw new MalformedResponse('it is not JSON; does a streaming function answer a buffered route?');
  }
  if (typeof result !== 'object' || result === null || Array.isArray(result))
    throw new MalformedResponse('it is not an object');
  const unknown = Object.keys(result).find((key) => !KNOWN_KEYS.has(key));
  if (unknown !== undefined) throw new MalformedResponse(`${unknown} is not a key of a proxy response`);
  return result;
}
