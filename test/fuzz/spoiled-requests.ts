/** Malformed requests by the thousand to one surface, and what is wrong with the answers. */

import { drawsOf } from '../../tools/test-kit/seed.ts';
import { Mutator, textOf } from './mutants.ts';
import { envelopeOf, type Service, type SurfaceName } from './running-service.ts';
import { CORPUS, TYPES, VALID } from './valid-requests.ts';

/** The longest that a request may take; one that took longer beside others is tried again alone. */
const MAX_MS = 1_000;

/** Its best time counts: the machine may be busy with other tests. */
const ATTEMPTS_ALONE = 3;

/** One that is served waits for the simulated upstream, which takes a second for a drawing. */
const MAX_RESPONSE_MS = 10_000;

interface SpoiledRequest {
  readonly body: Uint8Array<ArrayBuffer>;
  readonly type: string;
}

/** Returns the request to send. Most are unchanged mutants; some have spoiled bytes or another content type. */
function spoiled(mutator: Mutator, valid: object): SpoiledRequest {
  let bytes = Buffer.from(textOf(mutator.mutant(valid)));
  const at = Math.floor(bytes.length / 2);
  if (mutator.chance(0.06))
    bytes = mutator.pick([
      () => Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), bytes]),
      () => bytes.subarray(0, at),
      () => Buffer.concat([bytes.subarray(0, at), Buffer.from([0]), bytes.subarray(at)]),
      () => Buffer.concat([bytes.subarray(0, at), Buffer.from([0xff, 0xc0, 0x80]), bytes.subarray(at)]),
      () => Buffer.from(bytes.toString(), 'utf16le'),
      () => Buffer.concat([bytes, bytes]),
      () => Buffer.alloc(0),
    ])();
  const type = mutator.chance(0.02) ? mutator.pick(TYPES) : 'application/json';
  return { body: new Uint8Array(bytes), type };
}

/** Returns the fault of a response; undefined if it has none. */
async function faultOf(name: SurfaceName, response: Response): Promise<string | undefined> {
  const text = await response.text().catch((failure: unknown) => `broke off: ${String(failure)}`);
  const { status } = response;
  if (text.startsWith('broke off')) return text;
  if (status === 200) {
    if (response.headers.get('content-type')?.startsWith('text/event-stream') !== true) return undefined;
    return /\n?data: \[DONE\]\n\n$|event: message_stop\n.*\n\n$/.test(text)
      ? undefined
      : `ends in ${text.slice(-300)}`;
  }
  if (status < 400 || status > 499) return `status ${status}: ${text}`;
  const { type, error } = JSON.parse(text) as { type?: unknown; error?: Record<string, unknown> };
  const inMessages = envelopeOf(name) === 'messages';
  if (typeof error?.message !== 'string' || typeof error.type !== 'string') return `no envelope: ${text}`;
  if ((type === 'error') !== inMessages || 'param' in error === inMessages) return `wrong envelope: ${text}`;
  const namesField = /^(invalid_value|missing_field|model_not_found)$/.test(String(error.code));
  const isComplete = /The body must be a JSON object|rejected the request as invalid/.test(error.message);
  if (namesField && !isComplete && typeof error.param !== 'string') return `names no field: ${text}`;
  return undefined;
}

async function attempt(
  service: Service,
  name: SurfaceName,
  { body, type }: SpoiledRequest,
  credential: string,
) {
  const headers = { 'content-type': type, authorization: `Bearer ${credential}` };
  const startMs = performance.now();
  const response = await service.send(name, { body, headers });
  const fault = await faultOf(name, response);
  return { status: response.status, fault, ms: performance.now() - startMs };
}

export interface FuzzResult {
  /** Answers that are none of the right kind, each with its request. */
  readonly faults: readonly string[];
  /** The number of responses by status. */
  readonly statuses: Readonly<Record<number, number>>;
}

/** Sends requests to a surface, one after the other from each credential; `FUZZ_REQUESTS=50000` looks longer. */
export async function fuzz(
  service: Service,
  name: SurfaceName,
  { requests, credentials }: { readonly requests: number; readonly credentials: readonly string[] },
): Promise<FuzzResult> {
  const mutator = new Mutator(drawsOf(`requests to ${name}`), CORPUS);
  const faults: string[] = [];
  const slow: SpoiledRequest[] = [];
  const statuses: Record<number, number> = {};
  let remaining = Number(process.env.FUZZ_REQUESTS ?? requests);
  const lane = async (credential: string) => {
    while (remaining > 0) {
      remaining -= 1;
      const spoiledRequest = spoiled(mutator, mutator.pick(VALID[name]));
      const { status, fault, ms } = await attempt(service, name, spoiledRequest, credential);
      statuses[status] = (statuses[status] ?? 0) + 1;
      if (fault !== undefined) faults.push(`${fault}\n  of ${show(spoiledRequest)}`);
      if (ms > MAX_MS) slow.push(spoiledRequest);
    }
  };
  await Promise.all(credentials.map(lane));
  for (const spoiledRequest of slow) {
    let best = Number.POSITIVE_INFINITY;
    let maxMs = MAX_MS;
    for (let attempts = 0; attempts < ATTEMPTS_ALONE && best > maxMs; attempts += 1) {
      const { ms, status } = await attempt(service, name, spoiledRequest, credentials[0] ?? '');
      best = Math.min(best, ms);
      maxMs = status < 400 ? MAX_RESPONSE_MS : MAX_MS;
    }
    if (best > maxMs) faults.push(`takes ${best} ms: ${show(spoiledRequest)}`);
  }
  return { faults: [...faults, ...service.internalErrors], statuses };
}

const show = ({ body, type }: SpoiledRequest): string =>
  `${type} ${JSON.stringify(Buffer.from(body).toString('latin1').slice(0, 600))}`;
