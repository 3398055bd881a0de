/** Sends a stream event by event at the model's pace, and breaks it off where a fault says so. */
import type { Fault } from '../control/fault.ts';
import type { Link } from './link.ts';
import type { StreamEncoding, StreamEvent, StreamReply } from './reply.ts';

export interface StreamSettings {
  readonly fault: Fault;
  readonly encoding: StreamEncoding;
  readonly chunkDelayMs: number;
  /** The protocol's in-band error, for the fault that sends one. */
  readonly failureEvent: StreamEvent;
  onContent(): void;
}

/** Events put into one write by the `batch` fault. */
const BATCH_EVENTS = 32;

/** Encodes events and writes them, one at a time or in batches. */
class EventWriter {
  readonly #link: Link;
  readonly #encoding: StreamEncoding;
  readonly #fault: Fault;
  #pending: Buffer[] = [];

  constructor(link: Link, encoding: StreamEncoding, fault: Fault) {
    this.#link = link;
    this.#encoding = encoding;
    this.#fault = fault;
  }

  async write(event: StreamEvent): Promise<void> {
    const { crlf = false, comments = false, batch = false } = this.#fault;
    const bytes = this.#encoding.encode(event, { crlf, comments });
    if (!batch) return this.#link.write(bytes);
    this.#pending.push(bytes);
    if (this.#pending.length >= BATCH_EVENTS) await this.flush();
  }

  async flush(): Promise<void> {
    const pending = this.#pending;
    this.#pending = [];
    if (pending.length > 0) await this.#link.write(Buffer.concat(pending));
  }
}

/** Carries out the fault due after `sent` content events; true when it ended the body itself. */
async function breakOff(
  link: Link,
  writer: EventWriter,
  sent: number,
  settings: StreamSettings,
): Promise<boolean> {
  const {
    cut_after_chunks: cutAfter,
    hang_after_chunks: hangAfter,
    error_event_after_chunks: errorAfter,
  } = settings.fault;
  if (sent === cutAfter || sent === hangAfter) {
    await writer.flush();
    await (sent === cutAfter ? link.cut() : link.hang());
  }
  if (sent !== errorAfter) return false;
  await writer.write(settings.failureEvent);
  return true;
}

/** Sends the whole body; true when it ended otherwise than the protocol asks for. */
export async function sendStream(link: Link, reply: StreamReply, settings: StreamSettings): Promise<boolean> {
  const writer = new EventWriter(link, settings.encoding, settings.fault);
  let sent = 0;
  let spoilt = false;
  for (const event of reply.events) {
    if (event.part !== 'start') spoilt = await breakOff(link, writer, sent, settings);
    spoilt ||= event.part === 'end' && settings.fault.end_without_done === true;
    if (spoilt) break;
    if (event.part === 'content') {
      if (sent > 0) await link.pause(settings.chunkDelayMs);
      sent += 1;
      settings.onContent();
    }
    await writer.write(event);
  }
  await writer.flush();
  await link.end();
  return spoilt;
}
