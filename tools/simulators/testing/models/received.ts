/** Reads what arrives of a response, whether or not it arrives whole. */
import { expect } from '@jest/globals';
import { EventStreamCodec } from '@smithy/eventstream-codec';
import { createParser } from 'eventsource-parser';

export interface ReceivedStream {
  readonly status: number;
  readonly text: string;
  /** Pieces of the body as they arrived. */
  readonly fragments: readonly Uint8Array[];
  /** True if the body ended as HTTP requires. */
  readonly isComplete: boolean;
}

export async function readReceived(response: Response): Promise<ReceivedStream> {
  const fragments: Uint8Array[] = [];
  let isComplete = true;
  try {
    for await (const fragment of response.body ?? []) fragments.push(fragment);
  } catch {
    isComplete = false;
  }
  return { status: response.status, text: Buffer.concat(fragments).toString('utf8'), fragments, isComplete };
}

/** Content chunks with text in an OpenAI stream. */
export const contentEvents = (text: string): number => text.match(/"delta":\{"content":"[^"]/gu)?.length ?? 0;

export interface ReceivedEvent {
  readonly name: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** The complete server-sent events in a text; each has a name and JSON data. */
export function sseEvents(text: string): ReceivedEvent[] {
  const events: ReceivedEvent[] = [];
  createParser({
    onEvent: ({ event = '', data }) => events.push({ name: event, data: JSON.parse(data) }),
  }).feed(text);
  return events;
}

export interface ReceivedFrame extends ReceivedEvent {
  readonly kind: string;
}

/** The complete frames of an AWS event stream. Throws when a checksum is wrong. */
export function messageFrames(bytes: Uint8Array): ReceivedFrame[] {
  const codec = new EventStreamCodec(
    (utf8) => Buffer.from(utf8 as Uint8Array).toString('utf8'),
    (text) => Buffer.from(text, 'utf8'),
  );
  const view = Buffer.from(bytes);
  const readFrames: ReceivedFrame[] = [];
  for (let start = 0; start + 4 <= view.length; ) {
    const end = start + view.readUInt32BE(start);
    if (end > view.length) break;
    const { headers, body } = codec.decode(view.subarray(start, end));
    const kind = String(headers[':message-type']?.value);
    const name = String(headers[`:${kind}-type`]?.value);
    expect(headers[':content-type']?.value).toBe('application/json');
    readFrames.push({ kind, name, data: JSON.parse(Buffer.from(body).toString('utf8')) });
    start = end;
  }
  return readFrames;
}
