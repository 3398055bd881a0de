/**
 * Posts a delivery within five seconds, to a public address only. The name is resolved once for each attempt, all its
 * addresses must be allowed, and the connection uses one of those. A second response of the name server has no effect.
 * No redirect is followed and no proxy is used.
 */
import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http';
import { request as plainRequest } from 'node:http';
import { request as secureRequest } from 'node:https';
import { isIP, type LookupFunction, type Socket, type TcpSocketConnectOpts } from 'node:net';
import { ADDRESS_MS } from '../../platform/connections/connection-pool.ts';
import { bareHost } from '../../platform/core/address.ts';
import type { After } from '../../platform/core/ports.ts';
import { systemAfter } from '../../platform/system/system.ts';
import { type DeliveryOutcome, MAX_LOGGED_BODY_BYTES } from '../core/delivery.ts';
import type { Send, SendRequest, SendResult } from '../core/ports.ts';
import { type AddressRule, addressRule, parseTarget, type Resolve } from '../core/target.ts';

/** For everything: name, connection, TLS, headers and body (interface, Webhooks, reliability rules). */
export const RECEIVER_MS = 5_000;

/** More headers than any receiver has reason to send. */
const MAX_HEADER_BYTES = 16 * 1024;

const USER_AGENT = 'unified-inference-service-webhooks/1';

export interface SenderOptions {
  readonly allowLoopback: boolean;
  readonly resolve: Resolve;
  readonly after?: After;
}

/** Ends an attempt with an outcome that is not the receiver's. */
class AttemptFailure extends Error {
  readonly outcome: DeliveryOutcome;

  constructor(outcome: DeliveryOutcome) {
    super(outcome);
    this.name = 'AttemptFailed';
    this.outcome = outcome;
  }
}

export function createSender({ allowLoopback, resolve, after = systemAfter }: SenderOptions): Send {
  const allowed = addressRule(allowLoopback);

  async function addressesOf(url: URL): Promise<readonly string[]> {
    const addresses = await resolve(bareHost(url.hostname));
    if (addresses.length === 0) throw new AttemptFailure('dns');
    if (!addresses.every(allowed)) throw new AttemptFailure('forbidden_address');
    return addresses;
  }

  return async (request) => {
    const abort = new AbortController();
    const { promise: late, reject } = Promise.withResolvers<never>();
    const cancel = after(RECEIVER_MS, () => {
      reject(new AttemptFailure('timeout'));
      abort.abort();
    });
    try {
      const url = readTarget(request.url, allowLoopback);
      const addresses = await Promise.race([addressesOf(url), late]);
      return await Promise.race([post({ url, request, addresses, allowed, signal: abort.signal }), late]);
    } catch (failure) {
      return { outcome: outcomeOf(failure as NodeJS.ErrnoException) };
    } finally {
      cancel();
      abort.abort();
    }
  };
}

/** Returns the URL, read again by the same rules as at subscription. Throws if it does not pass them any more. */
function readTarget(url: string, allowLoopback: boolean): URL {
  try {
    return parseTarget(url, allowLoopback);
  } catch {
    throw new AttemptFailure('forbidden_address');
  }
}

interface Post {
  readonly url: URL;
  readonly request: SendRequest;
  readonly addresses: readonly string[];
  readonly allowed: AddressRule;
  readonly signal: AbortSignal;
}

/** Options that `node:http` passes to `node:net`, although its types omit them. */
type DualStack = Pick<TcpSocketConnectOpts, 'autoSelectFamily' | 'autoSelectFamilyAttemptTimeout'>;

async function post({ url, request, addresses, allowed, signal }: Post): Promise<SendResult> {
  const options: RequestOptions & DualStack = {
    method: 'POST',
    // A separate connection: a reused one would have been checked for another attempt.
    agent: false,
    lookup: pinnedTo(addresses),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: ADDRESS_MS,
    maxHeaderSize: MAX_HEADER_BYTES,
    signal,
    headers: {
      'user-agent': USER_AGENT,
      'content-length': Buffer.byteLength(request.body),
      ...request.headers,
    },
  };
  const call = url.protocol === 'https:' ? secureRequest(url, options) : plainRequest(url, options);
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    call.once('response', resolve);
    call.on('error', reject);
    rejectForbiddenPeers(call, allowed);
    call.end(request.body);
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

/** Passes the verified addresses to the socket, and never resolves again. */
function pinnedTo(addresses: readonly string[]): LookupFunction {
  const all = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_host, options, callback) => {
    const [first] = all;
    if (options.all) callback(null, all);
    else callback(null, first?.address ?? '', first?.family ?? 4);
  };
}

/** The last word is the connection's own: whatever led here, nothing is written to a forbidden peer. */
function rejectForbiddenPeers(call: ClientRequest, allowed: AddressRule): void {
  call.once('socket', (socket: Socket) => {
    socket.once('connect', () => {
      if (!allowed(socket.remoteAddress ?? '')) socket.destroy(new AttemptFailure('forbidden_address'));
    });
  });
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
  if (failure instanceof AttemptFailure) return failure.outcome;
  const code = failure.code ?? '';
  if (TLS_FAILURE.test(code)) return 'tls';
  if (code === 'ABORT_ERR') return 'timeout';
  return code.startsWith('HPE_') ? 'protocol' : 'connection';
}
