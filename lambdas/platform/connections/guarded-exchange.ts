/**
 * HTTP exchanges with an address that a third party has named: a webhook's receiver, or a vendor's image. They go to a
 * public address only. The name is resolved once for each exchange, all its addresses must be allowed, and the
 * connection uses one of those. A second response of the name server has no effect. No redirect is followed and no
 * proxy is used.
 */
import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http';
import { request as plainRequest } from 'node:http';
import { request as secureRequest } from 'node:https';
import { isIP, type LookupFunction, type Socket, type TcpSocketConnectOpts } from 'node:net';
import { type AddressRule, addressRule, bareHost, type Resolve, urlFault } from '../core/address.ts';
import { ADDRESS_MS } from './connection-pool.ts';
import type { HttpExchange } from './http-exchange.ts';

/** More headers than any server has reason to send. */
const MAX_HEADER_BYTES = 16 * 1024;

/** Ends an exchange before its first byte: the name has no address, or one that is not allowed. */
export class AddressFailure extends Error {
  readonly reason: 'dns' | 'forbidden_address';

  constructor(reason: AddressFailure['reason']) {
    super(reason);
    this.name = 'AddressFailure';
    this.reason = reason;
  }
}

export interface AddressGuard {
  readonly allowLoopback: boolean;
  readonly resolve: Resolve;
}

/** Rejects with `AddressFailure`, or with the error that broke the connection. */
export function createGuardedExchange({ allowLoopback, resolve }: AddressGuard): HttpExchange {
  const allowed = addressRule(allowLoopback);
  return async ({ url, method, headers, body, signal }) => {
    if (urlFault(url, allowLoopback) !== undefined) throw new AddressFailure('forbidden_address');
    const addresses = await resolve(bareHost(url.hostname));
    if (addresses.length === 0) throw new AddressFailure('dns');
    if (!addresses.every(allowed)) throw new AddressFailure('forbidden_address');
    const options: RequestOptions & DualStack = {
      method,
      headers,
      // A separate connection: a reused one would have been checked for another exchange.
      agent: false,
      lookup: pinnedTo(addresses),
      autoSelectFamily: true,
      autoSelectFamilyAttemptTimeout: ADDRESS_MS,
      maxHeaderSize: MAX_HEADER_BYTES,
      ...(signal === undefined ? {} : { signal }),
    };
    const call = url.protocol === 'https:' ? secureRequest(url, options) : plainRequest(url, options);
    return new Promise<IncomingMessage>((resolved, reject) => {
      call.once('response', resolved);
      call.on('error', reject);
      rejectForbiddenPeers(call, allowed);
      call.end(body);
    });
  };
}

/** Options that `node:http` passes to `node:net`, although its types omit them. */
type DualStack = Pick<TcpSocketConnectOpts, 'autoSelectFamily' | 'autoSelectFamilyAttemptTimeout'>;

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
      if (!allowed(socket.remoteAddress ?? '')) socket.destroy(new AddressFailure('forbidden_address'));
    });
  });
}
