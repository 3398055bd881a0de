/**
 * Passes a function's stream on: metadata first, then bytes as they come.
 * Source: API Gateway developer guide, Lambda proxy integration with response streaming.
 */
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { isStatus, MalformedResponse } from './buffered-answer.ts';
import { type FunctionHeaders, leavingHeaders } from './response-headers.ts';

interface StreamMetadata extends FunctionHeaders {
  readonly statusCode?: unknown;
}

/** Eight NUL bytes end the metadata, within the first 16 KB of the stream. */
const DELIMITER = Buffer.alloc(8);
const METADATA_BYTES_MAX = 16 * 1024;

export interface StreamResponseOptions {
  readonly source: Readable;
  readonly response: ServerResponse;
  readonly requestId: string;
  /** After so long without a byte the stream is given up. */
  readonly silenceMs: number;
}

/**
 * Resolves when the function's stream has been read to its end, which it is even when the client has left. Throws
 * `MalformedAnswer` before anything was sent; throws whatever breaks the stream later, and leaves the response open.
 */
export async function relayStream({
  source,
  response,
  requestId,
  silenceMs,
}: StreamResponseOptions): Promise<void> {
  const chunks = source[Symbol.asyncIterator]() as AsyncIterator<Buffer, undefined>;
  const { metadata, rest } = await readMetadata(chunks);
  const status = Number(metadata.statusCode ?? 200);
  const headers = leavingHeaders(metadata);
  if (!isStatus(status) || headers === undefined) {
    source.destroy();
    throw new MalformedResponse('its metadata has no valid statusCode and headers');
  }
  // The body is chunked; a length that the function claims could only contradict it.
  delete headers['content-length'];
  response.writeHead(status, { ...headers, 'x-amzn-RequestId': requestId });
  response.flushHeaders();
  const idle = setTimeout(() => source.destroy(new Error('the stream was silent for too long')), silenceMs);
  try {
    await deliver(response, rest);
    for (let next = await chunks.next(); !next.done; next = await chunks.next()) {
      idle.refresh();
      await deliver(response, next.value);
    }
    response.end();
  } finally {
    clearTimeout(idle);
  }
}

/** Waits until the client takes more, or has gone. */
async function deliver(response: ServerResponse, chunk: Buffer): Promise<void> {
  if (chunk.length === 0 || response.destroyed || response.write(chunk)) return;
  const settled = new AbortController();
  const { signal } = settled;
  await Promise.race([once(response, 'drain', { signal }), once(response, 'close', { signal })]).catch(
    () => {},
  );
  settled.abort();
}

async function readMetadata(
  chunks: AsyncIterator<Buffer>,
): Promise<{ metadata: StreamMetadata; rest: Buffer }> {
  let head = Buffer.alloc(0);
  for (let next = await chunks.next(); !next.done; next = await chunks.next()) {
    head = Buffer.concat([head, next.value]);
    const end = head.indexOf(DELIMITER);
    if (end >= 0)
      return { metadata: parseMetadata(head.subarray(0, end)), rest: head.subarray(end + DELIMITER.length) };
    if (head.length > METADATA_BYTES_MAX) break;
  }
  await chunks.return?.();
  throw new MalformedResponse('its stream does not begin with metadata and eight NUL bytes');
}

function parseMetadata(bytes: Buffer): StreamMetadata {
  try {
    return JSON.parse(bytes.toString()) as StreamMetadata;
  } catch {
    throw new MalformedResponse('its metadata is not JSON');
  }
}
