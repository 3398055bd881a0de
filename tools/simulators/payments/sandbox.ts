/**
 * A payment provider for this machine: Stripe's API as far as the service uses it, on a real socket, so that Stripe's
 * own library talks to it; a page where a checkout is paid; and signed events. Source: Stripe API reference.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { readBytes, startLoopbackServer } from '../loopback-server.ts';
import { pageHeaders } from '../pages.ts';
import { PaymentLedger, type SandboxTime } from './books.ts';
import { Checkouts, noRecords } from './checkout.ts';
import { Connect } from './connect/connect.ts';
import { Courier, type Recipient } from './courier.ts';
import { SandboxError } from './errors.ts';
import { readForm } from './form.ts';
import { type ApiFault, LostResponse, once } from './idempotency.ts';
import { type RequireRight, type RestrictedKeys, type Right, rightsOf } from './rights.ts';

export interface PaymentSandbox {
  readonly url: string;
  connect(recipient: Recipient): void;
  dispute(payment: string): Promise<void>;
  readonly accounts: Connect;
  /** The next requests to a target, such as `POST /v1/transfers`, go wrong: one for each fault. */
  fail(target: string, ...faults: readonly ApiFault[]): void;
  stop(): Promise<void>;
}

export interface SandboxOptions {
  /** Any free port is taken when this one is not to be had; 0 wants none in particular. */
  readonly preferredPort: number;
  /** The file that stores checkouts across restarts. */
  readonly file: string;
  readonly log: (line: string) => void;
  /** The rights of each restricted key (`rk_...`); secret keys (`sk_...`) have all. */
  readonly restrictedKeys?: RestrictedKeys;
  /** The time of connected accounts and of idempotency keys; the system's if it is left out. */
  readonly time?: SandboxTime;
}

/** More than any request of Stripe's library to the sandbox has. */
const MAX_BODY_BYTES = 64 * 1024;

type Ledger = PaymentLedger<ReturnType<typeof noRecords>>;

export async function startPaymentSandbox(options: SandboxOptions): Promise<PaymentSandbox> {
  const ledger: Ledger = new PaymentLedger(options.file, noRecords(), options.time);
  const courier = new Courier(ledger, options.log);
  const checkouts = new Checkouts(ledger, courier);
  const connect = new Connect(ledger, courier);
  const faults = new Map<string, ApiFault[]>();
  const server = await startLoopbackServer((request, response) => {
    answer(request, response, {
      ledger,
      checkouts,
      connect,
      faults,
      restrictedKeys: options.restrictedKeys,
    }).catch((failure: unknown) => reject(response, failure));
  }, options.preferredPort);
  return {
    url: server.url,
    connect: (recipient) => courier.connect(recipient),
    dispute: (payment) => checkouts.dispute(payment),
    accounts: connect,
    fail: (target, ...some) => faults.set(target, [...(faults.get(target) ?? []), ...some]),
    async stop() {
      connect.stop();
      courier.stop();
      await server.stop();
    },
  };
}

interface Provider {
  readonly ledger: Ledger;
  readonly checkouts: Checkouts;
  readonly connect: Connect;
  readonly faults: Map<string, ApiFault[]>;
  readonly restrictedKeys: RestrictedKeys | undefined;
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { ledger, checkouts, connect, faults, restrictedKeys = {} }: Provider,
): Promise<void> {
  const origin = `http://127.0.0.1:${request.socket.localPort}`;
  const { method, headers, url = '/' } = request;
  const { pathname, search } = new URL(url, origin);
  const target = `${method} ${pathname}`;
  const [, id = ''] = /^\w+ \/pay\/(\w+)$/.exec(target) ?? [];
  const body = (await readBytes(request, MAX_BODY_BYTES))?.toString();
  if (body === undefined) throw new SandboxError(413, 'The request is too large.');
  if (target === `GET /pay/${id}`) {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(checkouts.page(id));
  } else if (target === `POST /pay/${id}`) {
    const { success_url: location } = await checkouts.pay(id);
    response.writeHead(303, { location }).end();
  } else if (pathname.startsWith('/connect/')) {
    const [, , link = '', choice = ''] = pathname.split('/');
    if (method === 'GET') response.writeHead(200, pageHeaders('*')).end(connect.onboardingPage(link));
    else response.writeHead(303, { location: connect.finishOnboarding(link, choice) }).end();
  } else if (pathname.startsWith('/sandbox/payouts/')) {
    const [, , , payout = '', outcome = ''] = pathname.split('/');
    if (outcome !== 'pay' && outcome !== 'fail' && outcome !== 'return')
      throw new SandboxError(404, 'A payout can be paid, fail or be returned.');
    await connect.settle(payout, outcome);
    sendJson(response, 200, {});
  } else {
    const requireRight = rightsOf(headers.authorization, restrictedKeys);
    const account = headers['stripe-account'] as string | undefined;
    const query = search.slice(1);
    const respond = async () =>
      connect.call({ target, query, body, origin, account }) ??
      api({ target, query, body, origin, checkouts, requireRight });
    const key = headers['idempotency-key'];
    const isRepeatable = typeof key === 'string';
    const document = isRepeatable
      ? once(
          ledger,
          { account, key, request: `${target}\n${body}`, fault: faults.get(target)?.shift() },
          respond,
        )
      : respond();
    sendJson(response, 200, await document);
  }
}

interface ApiCall {
  readonly target: string;
  readonly query: string;
  readonly body: string;
  readonly origin: string;
  readonly checkouts: Checkouts;
  readonly requireRight: RequireRight;
}

async function api({ target, query, body, origin, checkouts, requireRight }: ApiCall): Promise<object> {
  const [, resource, id = ''] = /^GET \/v1\/(checkout\/sessions|payment_intents)\/(\w+)$/.exec(target) ?? [];
  const expand = (payment: string) => {
    requireRight('payment_intent_read');
    return checkouts.intent(payment);
  };
  const list = (kind: Parameters<Checkouts['list']>[0], right: Right) => {
    requireRight(right);
    return checkouts.list(kind, { url: target.slice('GET '.length), query, expand });
  };
  if (resource === 'payment_intents') return expand(id);
  if (resource === 'checkout/sessions') {
    requireRight('checkout_session_read');
    return checkouts.session(id);
  }
  switch (target) {
    case 'GET /v1/checkout/sessions':
      return list('sessions', 'checkout_session_read');
    case 'GET /v1/refunds':
      return list('refunds', 'charge_read');
    case 'GET /v1/disputes':
      return list('disputes', 'dispute_read');
    case 'POST /v1/checkout/sessions':
      requireRight('checkout_session_write');
      return checkouts.open(readForm(body), origin);
    case 'POST /v1/refunds':
      requireRight('charge_write');
      return checkouts.refund(readForm(body));
  }
  throw new SandboxError(404, `Unrecognized request URL (${target}).`);
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json', 'request-id': `req_${Date.now()}` });
  response.end(JSON.stringify(body));
}

function reject(response: ServerResponse, failure: unknown): void {
  if (response.headersSent || failure instanceof LostResponse) {
    response.destroy();
    return;
  }
  const error =
    failure instanceof SandboxError ? failure : new SandboxError(500, 'The sandbox itself failed.');
  if (error !== failure) console.error(failure);
  sendJson(response, error.status, error.body);
}
