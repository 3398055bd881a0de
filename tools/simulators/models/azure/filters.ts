/**
 * The fields that Azure's content filter adds to responses (Azure OpenAI docs, "Content filtering" and "Content
 * streaming").
 */
import { jsonResponse, type SimulatedEvent, type SimulatedResponse } from '../exchange/reply.ts';

const SAFE = { filtered: false, severity: 'safe' };
const RESULTS = { hate: SAFE, self_harm: SAFE, sexual: SAFE, violence: SAFE };
const PROMPT_RESULTS = [{ prompt_index: 0, content_filter_results: RESULTS }];

type Json = Record<string, unknown>;

/** A chunk of the filter's own names nothing. */
const NAMELESS = { id: '', object: '', created: 0, model: '' };

function completeResponse(completion: Json, stops: boolean): Json {
  const choices = (completion.choices as readonly Json[]).map((choice) => ({
    ...choice,
    ...(stops ? { finish_reason: 'content_filter', message: { role: 'assistant' } } : {}),
    content_filter_results: RESULTS,
  }));
  return { ...completion, choices, prompt_filter_results: PROMPT_RESULTS };
}

const chunk = (part: SimulatedEvent['part'], fields: Json): SimulatedEvent => ({
  part,
  data: JSON.stringify({ ...NAMELESS, ...fields, usage: null }),
});

/** The filter's note about text that went before, with no `delta`. */
function note(part: SimulatedEvent['part'], end: number, finish: string | null, results: Json = RESULTS) {
  const content_filter_offsets = { check_offset: 0, start_offset: 0, end_offset: end };
  const verdict = { content_filter_results: results, content_filter_offsets };
  return chunk(part, { choices: [{ index: 0, finish_reason: finish, ...verdict }] });
}

const VIOLENT = { ...RESULTS, violence: { filtered: true, severity: 'medium' } };
const STOP = note('end', 9, 'content_filter', VIOLENT);

const STOPPED_AFTER = 3;

function* filteredStream(events: Iterable<SimulatedEvent>, stops: boolean): Generator<SimulatedEvent> {
  yield chunk('start', { prompt_filter_results: PROMPT_RESULTS, choices: [] });
  let words = 0;
  for (const event of events) {
    if (event.part !== 'content') {
      yield event;
      continue;
    }
    words += 1;
    if (stops && words > STOPPED_AFTER) {
      yield STOP;
      yield { part: 'end', data: '[DONE]' };
      return;
    }
    yield event;
    yield note('between', words, null);
  }
}

/** The answer as Azure gives it; `stops` where the filter finds something in it. */
export function withFilterResults(response: SimulatedResponse, stops: boolean): SimulatedResponse {
  if (response.kind === 'stream') return { ...response, events: filteredStream(response.events, stops) };
  if (response.status !== 200) return response;
  return jsonResponse(
    200,
    completeResponse(JSON.parse(response.body.toString('utf8')), stops),
    response.headers,
  );
}
