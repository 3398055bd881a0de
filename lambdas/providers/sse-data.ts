/** Server-sent events from bytes: the data of each event, however the bytes are split (WHATWG HTML, section 9.2). */
import { createParser } from 'eventsource-parser';

/** Yields the data of every event of the body; comments, ids and retry fields are dropped. */
export async function* sseData(body: AsyncIterable<Uint8Array>): AsyncGenerator<string, void> {
  const ready: string[] = [];
  const parser = createParser({ onEvent: (event) => ready.push(event.data) });
  const decoder = new TextDecoder();
  for await (const bytes of body) {
    parser.feed(decoder.decode(bytes, { stream: true }));
    if (ready.length > 0) yield* ready.splice(0);
  }
  // A stream whose lines end in a lone CR has its last one open: the parser waits whether an LF follows.
  parser.feed('\n');
  yield* ready.splice(0);
  // The last event may lack its blank line; what was cut off does not count.
  parser.feed('\n\n');
  yield* ready.filter(isWhole);
}

/** A JSON text, or the mark of the end (OpenAI API reference, Streaming). */
function isWhole(data: string): boolean {
  if (data === '[DONE]') return true;
  try {
    JSON.parse(data);
    return true;
  } catch {
    return false;
  }
}
