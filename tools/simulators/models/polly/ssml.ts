/** The text of a document of SSML (W3C, "Speech Synthesis Markup Language"), as far as Polly's errors depend on it. */
import { RequestError } from '../exchange/request-error.ts';

const TOKEN = /<(\/?)(\w+)((?: [\w:-]+="[^"<&]*")*)>|&(?:amp|lt|gt|quot|apos);|[^<&]+/gu;
const RATE = /^ rate="(\d+)%"$/u;
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** Amazon Polly developer guide, "Controlling volume, speaking rate, and pitch". */
const [MIN_RATE, MAX_RATE] = [20, 200];

interface SpokenText {
  readonly text: string;
  /** A share of the usual speed. */
  readonly rate: number;
}

/** Throws `RequestError` if the document is not well formed, or if its rate is out of range. */
export function readSsml(document: string): SpokenText {
  const open: string[] = [];
  let text = '';
  let rate = 100;
  let end = 0;
  for (const { 0: token, 1: slash, 2: name, 3: attributes = '', index } of document.matchAll(TOKEN)) {
    if (index !== end || (name === undefined && open.length === 0)) throw invalidSsml();
    end += token.length;
    if (name === undefined) text += ENTITIES[token.slice(1, -1)] ?? token;
    else if (slash === '/') {
      if (open.pop() !== name) throw invalidSsml();
    } else {
      if ((name === 'speak') !== (index === 0)) throw invalidSsml();
      open.push(name);
      rate = Number(RATE.exec(attributes)?.[1] ?? rate);
    }
  }
  if (end !== document.length || open.length > 0 || rate < MIN_RATE || rate > MAX_RATE) throw invalidSsml();
  return { text, rate: rate / 100 };
}

const invalidSsml = (): RequestError =>
  new RequestError('Invalid SSML request', [], { body: { type: 'InvalidSsmlException' } });
