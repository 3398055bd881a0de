/**
 * The `awslambda` global of Lambda's Node.js runtime: what a streaming handler writes to, with the runtime's own
 * semantics. Source: the AWS Lambda Node.js Runtime Interface Client (aws/aws-lambda-nodejs-runtime-interface-client).
 */
import type { ServerResponse } from 'node:http';
import type { Writable } from 'node:stream';

/** Marks a handler that streams; the runtime's own symbol, so that wrappers may copy it. */
export const STREAMING = Symbol.for('aws.lambda.runtime.handler.streaming');

const METADATA_CONTENT_TYPE = 'application/vnd.awslambda.http-integration-response';

/** Ends the metadata before a response's body. */
const DELIMITER = new Uint8Array(8);

type WriteChunk = (chunk: string | Uint8Array) => void;

/** The stream that a handler is given. */
export interface ResponseStream extends Writable {
  setContentType(contentType: string): void;
  _onBeforeFirstWrite?: (write: WriteChunk) => void;
}

/**
 * Turns an HTTP response into a handler's stream. Metadata leaves with the first `write`, as in Lambda: a handler that
 * only calls `end` sends none, and the gateway rejects its answer.
 */
export function toResponseStream(response: ServerResponse): ResponseStream {
  const write = response.write.bind(response) as (...args: unknown[]) => boolean;
  let written = false;
  const stream = response as unknown as ResponseStream;
  stream.setContentType = (contentType) => {
    if (written) throw new Error('Cannot set content-type, too late.');
    response.setHeader('content-type', contentType);
  };
  stream.write = (chunk: unknown, ...rest: unknown[]): boolean => {
    const bytes = typeof chunk === 'string' || chunk instanceof Uint8Array ? chunk : JSON.stringify(chunk);
    if (!written) stream._onBeforeFirstWrite?.((first) => write(first));
    written = true;
    return write(bytes, ...rest);
  };
  return stream;
}

/** Sets `globalThis.awslambda`; must run before the handler's module is loaded. */
export function installAwslambda(): void {
  const awslambda = {
    streamifyResponse: (handler: object) => Object.assign(handler, { [STREAMING]: 'response' }),
    HttpResponseStream: {
      from: (stream: ResponseStream, metadata: unknown): ResponseStream => {
        stream.setContentType(METADATA_CONTENT_TYPE);
        const prelude = JSON.stringify(metadata);
        stream._onBeforeFirstWrite = (write) => {
          write(prelude);
          write(DELIMITER);
        };
        return stream;
      },
    },
  };
  Object.assign(globalThis, { awslambda });
}
