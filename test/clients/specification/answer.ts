/** A request to `POST /v1/responses` and its answer, read without any client. */
import { describedFetch } from '../../system/described-answers.ts';

export type Json = Readonly<Record<string, unknown>>;

/** An event as it stands in the stream. */
interface StreamedEvent {
  /** The field `event`. */
  readonly name: string;
  readonly text: string;
  readonly data: Json;
}

export interface CheckedResponse {
  readonly status: number;
  readonly contentType: string;
  /** The body, or the response of the event that ended the stream. */
  readonly body: Json;
  readonly text: string;
  /** Empty unless the answer was streamed. */
  readonly events: readonly StreamedEvent[];
  /** True if the stream ended in `[DONE]` and contained no field except `event` and `data`. */
  readonly isWellFormed: boolean;
}

const object = (value: unknown): Json => Object(value) as Json;

function read(block: string): StreamedEvent | undefined {
  const [first = '', second = '', ...remaining] = block.split('\n');
  if (!first.startsWith('event: ') || !second.startsWith('data: ') || remaining.length > 0) return undefined;
  const text = second.slice('data: '.length);
  return { name: first.slice('event: '.length), text, data: object(JSON.parse(text)) };
}

interface Caller {
  readonly baseURL: string;
  readonly apiKey: string;
}

/** The answer is streamed where the body says so. */
export async function send({ baseURL, apiKey }: Caller, body: Json): Promise<CheckedResponse> {
  const response = await describedFetch(`${baseURL}/responses`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const responseText = await response.text();
  const { status, headers } = response;
  const contentType = headers.get('content-type') ?? '';
  if (!contentType.startsWith('text/event-stream'))
    return {
      status,
      contentType,
      text: responseText,
      events: [],
      isWellFormed: true,
      body: object(JSON.parse(responseText)),
    };
  // A comment keeps the connection (HTML standard, section 9.2.6).
  const blocks = responseText.split('\n\n').filter((block) => block !== '' && !block.startsWith(':'));
  const events = blocks.slice(0, -1).map(read);
  const parsedEvents = events.filter((event) => event !== undefined);
  const text = JSON.stringify(parsedEvents.at(-1)?.data.response);
  return {
    status,
    contentType,
    events: parsedEvents,
    text,
    body: object(parsedEvents.at(-1)?.data.response),
    isWellFormed: parsedEvents.length === events.length && blocks.at(-1) === 'data: [DONE]',
  };
}

export const list = (value: unknown): readonly Json[] => (Array.isArray(value) ? (value as Json[]) : []);

/** The items of an answer of one type. */
export const itemsOf = ({ body }: CheckedResponse, type: string): readonly Json[] =>
  list(body.output).filter((item) => item.type === type);

/** All text that an answer's messages say. */
export const textOf = (response: CheckedResponse): string =>
  itemsOf(response, 'message')
    .flatMap(({ content }) => list(content))
    .map(({ text, refusal }) => String(text ?? refusal))
    .join('');
