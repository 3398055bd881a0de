/** Posts a delivery within five seconds, to a public address only; see `guarded-exchange.ts`. */
import type { IncomingMessage } from 'node:http';
import {
  AddressFailure,
  type AddressGuard,
  createGuardedExchange,
} from '../../platform/connections/guarded-exchange.ts';
import type { HttpExchange } from '../../platform/connections/http-exchange.ts';
import type { After } from '../../platform/core/ports.ts';
import { systemAfter } from '../../platform/system/system.ts';
import { type DeliveryOutcome, MAX_LOGGED_BODY_BYTES } from '../core/delivery.ts';
import type { Send, SendRequest, SendResult } from '../core/ports.ts';
import { MAX_URL_LENGTH } from '../core/target.ts';

/** For everything: name, connection, TLS, headers and body (interface, Webhooks, reliability rules). */
export const RECEIVER_MS = 5_000;

const USER_AGENT = 'unified-inference-service-webhooks/1';

export interface SenderOptions extends AddressGuard {
  readonly after?: After;
}

class LateFailure extends Error {}

export function createSender({ after = systemAfter, ...guard }: SenderOptions): Send {
  const exchange = createGuardedExchange(guard);
  return async (request) => {
    const abort = new AbortController();
    const { promise: late, reject } = Promise.withResolvers<never>();
    const cancel = after(RECEIVER_MS, () => {
      reject(new LateFailure());
      abort.abort();
    });
    try {
      return await Promise.race([post(exchange, request, abort.signal), late]);
    } catch (failure) {
      return { outcome: outcomeOf(failure as NodeJS.ErrnoException) };
    } finally {
      cancel();
      abort.abort();
    }
  };
}

async function post(exchange: HttpExchange, request: SendRequest, signal: AbortSignal): Promise<SendResult> {
  const url = request.url.length <= MAX_URL_LENGTH ? URL.parse(request.url) : null;
  if (url === null) throw new AddressFailure('forbidden_address');
  const response = await exchange({
    url,
    method: 'POST',
    headers: {
      'user-agent': USER_AGENT,
      'content-length': String(Buffer.byteLength(request.body)),
      ...request.headers,
    },
    body: request.body,
    signal,
  });
  const status = response.statusCode ?? 0;
  const body = await beginningOf(response);
  const retryAfter = response.headers['retry-after'];
  return {
    outcome: status >= 200 && status < 300 ? 'delivered' : 'status',
    status,
    body,
    ...(retryAfter === undefined ? {} : { retryAfter }),
  };
}

/** Returns the bytes of the body that are stored; ignores the remainder of a longer or endless body. */
async function beginningOf(response: IncomingMessage): Promise<string> {
  const buffers: Buffer[] = [];
  let bytes = 0;
  for await (const buffer of response as AsyncIterable<Buffer>) {
    buffers.push(buffer);
    bytes += buffer.length;
    if (bytes >= MAX_LOGGED_BODY_BYTES) break;
  }
  return Buffer.concat(buffers).subarray(0, MAX_LOGGED_BODY_BYTES).toString('utf8');
}

/** OpenSSL's and Node's names of a certificate that does not hold, or of a handshake that failed. */
const TLS_FAILURE = /^(ERR_TLS_|ERR_SSL_|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|EPROTO$)/;

function outcomeOf(failure: NodeJS.ErrnoException): DeliveryOutcome {
  if (failure instanceof AddressFailure) return failure.reason;
  if (failure instanceof LateFailure) return 'timeout';
  const code = failure.code ?? '';
  if (TLS_FAILURE.test(code)) return 'tls';
  if (code === 'ABORT_ERR') return 'timeout';
  return code.startsWith('HPE_') ? 'protocol' : 'connection';
}
