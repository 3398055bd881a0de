/** Reads a request's body within API Gateway's limits, and no longer than a client keeps sending. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { GATEWAY_PAYLOAD_BYTES, LAMBDA_PAYLOAD_BYTES } from '../../../lambdas/platform/contract/limits.ts';
import { faults } from './gateway-fault.ts';

/** The client went away before its request was complete; nobody is left to answer. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone';
}

/** The limits for reading the rest of a rejected request, so that the client receives the rejection. */
const DRAIN_TIMEOUT_MS = 5_000;
const DRAIN_BYTES = 64 * 1024 * 1024;

/**
 * Returns the whole body. Throws the fault of a body that is too large (before it has come, when `Content-Length`
 * says so) or that has stalled for `stallTimeoutMs`; throws `ClientGone` when the connection breaks.
 */
export async function readBody(
  request: IncomingMessage,
  response: ServerResponse,
  stallTimeoutMs: number,
): Promise<Buffer> {
  // A body cannot shrink on its way into the event, so what is over the event's limit need not be read.
  const limitBytes = Math.min(GATEWAY_PAYLOAD_BYTES, LAMBDA_PAYLOAD_BYTES);
  if (Number(request.headers['content-length'] ?? 0) > limitBytes) throw faults.requestTooLarge();
  if (request.headers.expect?.toLowerCase() === '100-continue') response.writeContinue();
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const stalled = setTimeout(() => settle(() => reject(faults.bodyStalled())), stallTimeoutMs);
    const settle = (outcome: () => void) => {
      clearTimeout(stalled);
      request.off('data', append).off('end', complete).off('error', onClose).off('close', onClose);
      request.on('error', () => {});
      outcome();
    };
    const append = (chunk: Buffer) => {
      stalled.refresh();
      size += chunk.length;
      if (size > limitBytes) settle(() => reject(faults.requestTooLarge()));
      else chunks.push(chunk);
    };
    const complete = () => settle(() => resolve(Buffer.concat(chunks)));
    const onClose = () => settle(() => reject(new ClientGone()));
    request.on('data', append).on('end', complete).on('error', onClose).on('close', onClose);
  });
}

/**
 * Waits, within bounds, for the rest of a request that has been answered already. Closing a connection on which data
 * still arrives would reset it, and the client might lose the answer.
 */
export async function drain(request: IncomingMessage): Promise<void> {
  if (request.complete || request.destroyed) return;
  await new Promise<void>((resolve) => {
    let size = 0;
    const timer = setTimeout(resolve, DRAIN_TIMEOUT_MS);
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > DRAIN_BYTES) resolve();
    });
    request.once('close', resolve).once('end', resolve).resume();
    request.once('close', () => clearTimeout(timer)).once('end', () => clearTimeout(timer));
  });
}
