import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import { it } from '../../tools/test-kit/search.ts';
import { drawsOf } from '../../tools/test-kit/seed.ts';
import { rounds } from '../../tools/test-kit/thorough.ts';
import { CountingTill, CREDENTIAL } from '../fuzz/counting-till.ts';
import { CANARY, CORPUS, HostileRoute, hostileResponseOf, type Protocol } from '../fuzz/hostile-route.ts';
import { Mutator } from '../fuzz/mutants.ts';
import { PROTOCOLS, type Service, startService, TRUSTING } from '../fuzz/running-service.ts';

/**
 * The number of responses for each protocol over each surface, complete and streamed. `FUZZ_ANSWERS=20000` runs a
 * longer search.
 */
const RESPONSES = Number(process.env.FUZZ_ANSWERS ?? rounds(100));

const SURFACES = ['chat', 'responses', 'messages'] as const;
type Surface = (typeof SURFACES)[number];

const upstreamRoute = new HostileRoute();
const till = new CountingTill();
let service: Service;

beforeAll(async () => {
  service = await startService(till, upstreamRoute, TRUSTING);
});
afterAll(() => service.stop());

const headers = { authorization: `Bearer ${CREDENTIAL}`, 'content-type': 'application/json' };

async function send(surface: Surface, protocol: Protocol, stream: boolean) {
  const request =
    surface === 'responses'
      ? { input: 'Hi', store: false, max_output_tokens: 256 }
      : { messages: [{ role: 'user', content: 'Hi' }] };
  const options = surface === 'chat' && stream ? { stream_options: { include_usage: true } } : {};
  const body = JSON.stringify({ model: `sim/${protocol}`, stream, ...request, ...options });
  const response = await service.send(surface, { headers, body });
  const text = await response.text();
  const received = `${text}\n${JSON.stringify([...response.headers])}`;
  const fault = [CANARY, '0.0421'].some((word) => withoutToolContent(received).includes(word))
    ? 'leaks'
    : faultOf(surface, response, text);
  return {
    status: response.status,
    fault: fault === undefined ? undefined : `${fault}: ${received.slice(0, 1_500)}`,
  };
}

type Json = Readonly<Record<string, unknown>>;

const KNOWN_KINDS: ReadonlySet<unknown> = new Set([
  'message',
  'reasoning',
  'function_call',
  'custom_tool_call',
  'text',
  'thinking',
  'redacted_thinking',
  'tool_use',
  'text_delta',
  'thinking_delta',
  'input_json_delta',
  'signature_delta',
  'citations_delta',
  'compaction_delta',
]);
const isOfToolKind = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'type' in value && !KNOWN_KINDS.has(value.type);

/** Items, blocks and deltas of other kinds are a provider's tools, and content as they are. */
const withoutToolContent = (received: string): string =>
  received
    .split('\n')
    .map((line) => {
      const [, start = '', data = ''] = /^(data: )?(\{.*)$/.exec(line) ?? [];
      if (data === '') return line;
      const redacted = JSON.parse(data, (name, value: unknown) => {
        if (['item', 'content_block', 'delta'].includes(name) && isOfToolKind(value)) return undefined;
        if (!['output', 'content'].includes(name) || !Array.isArray(value)) return value;
        return value.filter((one) => !isOfToolKind(one));
      }) as unknown;
      return `${start}${JSON.stringify(redacted)}`;
    })
    .join('\n');

const ERROR_TYPES = /^(service_unavailable|invalid_request_error)$/;

const isCleanError = (body: Json): boolean =>
  ERROR_TYPES.test(String((body.error as Json | undefined)?.type));

/** Returns the fault of the caller's response; undefined if it has none. */
function faultOf(
  surface: Surface,
  { status, headers: responseHeaders }: Response,
  text: string,
): string | undefined {
  if (status !== 200)
    return [400, 503].includes(status) && isCleanError(JSON.parse(text)) ? undefined : 'is no clean error';
  const isStream = responseHeaders.get('content-type')?.startsWith('text/event-stream') === true;
  return isStream ? STREAM_FAULTS[surface](text) : COMPLETE_RESPONSE_FAULTS[surface](JSON.parse(text));
}

const isWord = (value: unknown): boolean =>
  value === null || (typeof value === 'string' && /^[\w-]{1,64}$/.test(value));
const isText = (value: unknown): boolean =>
  value === null || typeof value === 'string' || Array.isArray(value);
const areCounts = (usage: unknown): boolean =>
  Object.entries(usage as Json).every(
    ([name, value]) => name === 'cost' || typeof value !== 'number' || value >= 0,
  );

function completionFault({ id, object, created, model, choices, usage }: Json): string | undefined {
  if (!String(id).startsWith('chatcmpl-') || !String(model).startsWith('sim/')) return 'is of another name';
  if (object !== 'chat.completion' || !Number.isSafeInteger(created)) return 'is no completion';
  if (!areCounts(usage)) return 'counts wrongly';
  for (const { index, message, finish_reason: reason } of choices as Json[]) {
    const { role, content = null } = message as Json;
    if (!Number.isSafeInteger(index) || !isWord(reason)) return 'has a malformed choice';
    if (role !== 'assistant' || !isText(content)) return 'has a malformed message';
  }
  return undefined;
}

function chunksFault(text: string): string | undefined {
  const sseEvents = text.split('\n\n');
  if (sseEvents.pop() !== '' || sseEvents.some((sseEvent) => !/^data: [^\n\r]*$/.test(sseEvent)))
    return 'has a malformed frame';
  const last = sseEvents.at(-1) ?? '';
  const body = sseEvents.map((sseEvent) => sseEvent.slice('data: '.length));
  if (last === 'data: [DONE]') body.pop();
  else if (!isCleanError(JSON.parse(body.pop() ?? '{}'))) return 'has no end';
  for (const { id, model, choices, object } of body.map((data) => JSON.parse(data) as Json)) {
    if (!String(id).startsWith('chatcmpl-') || !String(model).startsWith('sim/')) return 'is of another name';
    if (object !== 'chat.completion.chunk' || !Array.isArray(choices)) return 'has a malformed chunk';
    for (const { index, delta, finish_reason: reason } of choices as Json[])
      if (!Number.isSafeInteger(index) || typeof delta !== 'object' || delta === null || !isWord(reason))
        return 'has a malformed choice';
  }
  return undefined;
}

function messageFault({
  id,
  type,
  role,
  model,
  content,
  stop_reason: reason,
  usage,
}: Json): string | undefined {
  if (!String(id).startsWith('msg_') || !String(model).startsWith('sim/')) return 'is of another name';
  if (type !== 'message' || role !== 'assistant' || !isWord(reason) || !areCounts(usage))
    return 'is no message';
  return (content as Json[]).some((one) => !isWord(one.type)) ? 'has a malformed block' : undefined;
}

function eventsFault(text: string): string | undefined {
  const sseEvents = text.split('\n\n');
  if (sseEvents.pop() !== '') return 'has no last frame';
  const open = new Set<unknown>();
  let stops = 0;
  for (const sseEvent of sseEvents) {
    const [, name, data] = /^event: ([a-z_]{1,64})\ndata: ([^\n\r]*)$/.exec(sseEvent) ?? [];
    const event = JSON.parse(data ?? 'null') as Json | null;
    if (event === null || event.type !== name) return 'has a malformed frame';
    if (stops > 0) return 'goes on behind its end';
    if (name === 'message_stop' || (name === 'error' && isCleanError(event))) stops += 1;
    if (name === 'content_block_start') open.add(event.index);
    else if (name?.startsWith('content_block_') && !open.has(event.index))
      return 'changes a block that is not there';
    if (name === 'content_block_stop') open.delete(event.index);
  }
  return stops === 1 ? undefined : 'has no end';
}

function responseFault({ id, object, model, status, output, usage }: Json): string | undefined {
  if (!String(id).startsWith('resp_') || !String(model).startsWith('sim/')) return 'is of another name';
  if (object !== 'response' || !isWord(status) || !Array.isArray(output)) return 'is no response';
  if (usage != null && !areCounts(usage)) return 'counts wrongly';
  return (output as Json[]).some((one) => !isWord(one.type)) ? 'has a malformed item' : undefined;
}

const ENDINGS = /^response\.(completed|incomplete|failed)$/;

function responseEventsFault(text: string): string | undefined {
  const sseEvents = text.split('\n\n');
  if (sseEvents.pop() !== '' || sseEvents.pop() !== 'data: [DONE]') return 'has no last frame';
  const ids = new Set<unknown>();
  for (const [number, sseEvent] of sseEvents.entries()) {
    const [, name = '', data] = /^event: ([a-z0-9_.]{1,80})\ndata: ([^\n\r]*)$/.exec(sseEvent) ?? [];
    const event = JSON.parse(data ?? 'null') as Json | null;
    if (event === null || event.type !== name) return 'has a malformed frame';
    if (event.sequence_number !== number) return 'is numbered wrongly';
    if ((number === 0) !== (name === 'response.created')) return 'does not begin once';
    if ((number === sseEvents.length - 1) !== ENDINGS.test(name)) return 'does not end once';
    if (event.response === undefined) continue;
    const fault = responseFault(event.response as Json);
    if (fault !== undefined) return fault;
    ids.add((event.response as Json).id);
  }
  return ids.size === 1 ? undefined : 'is of several names';
}

const COMPLETE_RESPONSE_FAULTS = { chat: completionFault, responses: responseFault, messages: messageFault };
const STREAM_FAULTS = { chat: chunksFault, responses: responseEventsFault, messages: eventsFault };

const CASES = SURFACES.flatMap((surface) =>
  PROTOCOLS.flatMap((protocol) => [false, true].map((stream) => ({ surface, protocol, stream }))),
);

describe.each(CASES)(
  'hostile responses to $surface over $protocol, streamed: $stream',
  ({ surface, protocol, stream }) => {
    it('reach a caller only as a well-formed response or a clean error, and reveal nothing of the vendor', async () => {
      const mutator = new Mutator(
        drawsOf(`answers to ${surface} over ${protocol}, streamed: ${stream}`),
        CORPUS,
      );
      const faults: string[] = [];
      const statuses: Record<number, number> = {};
      for (let remainingRounds = RESPONSES; remainingRounds > 0; remainingRounds -= 1) {
        upstreamRoute.next = hostileResponseOf(protocol, stream, mutator);
        const { status, fault } = await send(surface, protocol, stream);
        statuses[status] = (statuses[status] ?? 0) + 1;
        if (fault !== undefined)
          faults.push(`${fault}\n  of ${Buffer.from(upstreamRoute.next.body).toString().slice(0, 1_500)}`);
      }
      expect([...faults.slice(0, 3), ...service.internalErrors.splice(0).slice(0, 3)]).toEqual([]);
      // Answers that all fail would show nothing.
      expect(statuses).toMatchObject({ 200: expect.any(Number), 503: expect.any(Number) });
      expect(till.open).toEqual(new Map());
    });
  },
);
