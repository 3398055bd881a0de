/** Streams of streamGenerateContent (Gemini API reference), and of Vertex AI. */
import { type Counts, countsAt, type Meaning } from '../meaning.ts';
import { inserted, sseOf, type WireEvent, type WireProtocol } from '../wire-protocol.ts';

const TOP = { modelVersion: 'gemini-host', responseId: 'r_1', createTime: '2026-03-10T14:54:45Z' };

/** The thoughts are counted beside the candidates. */
function usageOf({ prompt, cached, output }: Counts) {
  const thoughts = Math.floor(output / 3);
  return {
    promptTokenCount: prompt,
    cachedContentTokenCount: cached,
    candidatesTokenCount: output - thoughts,
    thoughtsTokenCount: thoughts,
    totalTokenCount: prompt + output,
    promptTokensDetails: [{ modality: 'TEXT', tokenCount: prompt }],
  };
}

const bodyOf = (parts: readonly object[], candidate: object = {}, fields: object = {}) => ({
  candidates: [{ content: { role: 'model', parts }, ...candidate, index: 0 }],
  ...fields,
  ...TOP,
});

const REASONS = { stop: 'STOP', length: 'MAX_TOKENS', calls: 'STOP', filter: 'SAFETY' } as const;

interface Content {
  readonly part: object;
  readonly text?: string;
}

const contentsOf = ({ blocks }: Meaning): Content[] =>
  blocks.flatMap((block): Content[] => {
    if (block.type === 'text') return block.pieces.map((text) => ({ part: { text }, text }));
    if (block.type === 'reasoning') return block.pieces.map((text) => ({ part: { text, thought: true } }));
    const { name, pieces } = block;
    const args = JSON.parse(pieces.join(''));
    return [{ part: { functionCall: { name, args }, thoughtSignature: 'c2ln' } }];
  });

export const GEMINI: WireProtocol = {
  protocol: 'gemini',
  contentType: 'text/event-stream',
  isOpenEnded: true,
  encode: (events) => sseOf(events, '\r\n'),
  write(meaning, style) {
    const { counts, end } = meaning;
    const [usageAtTheEnd, reasonWithContent, signed] = [style(3) === 0, style(2) === 0, style(2) === 0];
    const contents = contentsOf(meaning);
    const usageMetadata = usageOf(counts);
    const events = contents.map(({ part, text }, index): WireEvent => {
      const isLast = index === contents.length - 1 && reasonWithContent;
      const share = (index + 1) / (contents.length + 1);
      const usage = usageAtTheEnd ? { trafficType: 'ON_DEMAND' } : usageOf(countsAt(counts, share));
      return {
        role: isLast ? 'end' : 'content',
        data: isLast
          ? bodyOf([part], { finishReason: REASONS[end] }, { usageMetadata })
          : bodyOf([part], {}, { usageMetadata: usage }),
        ...(text === undefined ? {} : { text }),
      };
    });
    if (reasonWithContent) return events;
    const last = signed ? [{ text: '', thoughtSignature: 'c2ln' }] : [{ text: '' }];
    return [
      ...events,
      { role: 'end', data: bodyOf(last, { finishReason: REASONS[end] }, { usageMetadata }) },
    ];
  },
  usageEvent: (counts) => ({ role: 'usage', data: { usageMetadata: usageOf(counts), ...TOP } }),
  earlyUsage: (counts) => ({ role: 'usage', data: { usageMetadata: usageOf(counts), ...TOP } }),
  repeated: ({ data, ...end }) => {
    const { candidates } = data as { readonly candidates: readonly { readonly finishReason: string }[] };
    return { ...end, data: bodyOf([], { finishReason: candidates[0]?.finishReason }) };
  },
  optionalMembers: [
    'modelVersion',
    'responseId',
    'createTime',
    'candidates.0.index',
    'candidates.0.content.role',
    'usageMetadata.totalTokenCount',
    'usageMetadata.promptTokensDetails',
    'usageMetadata.trafficType',
  ],
  omittedMembers: [],
  noise: [
    { role: 'noise', data: ': keep-alive' },
    { role: 'noise', data: { ...TOP } },
    { role: 'noise', data: { candidates: [], ...TOP } },
    { role: 'noise', data: bodyOf([]) },
    { role: 'noise', data: bodyOf([{ text: '' }]) },
    { role: 'noise', data: { candidates: [{ content: {}, index: 0 }], ...TOP } },
    { role: 'noise', data: bodyOf([], { finishReason: 'FINISH_REASON_UNSPECIFIED' }) },
  ],
  errors: [
    { role: 'noise', data: { error: { code: 503, message: 'overloaded', status: 'UNAVAILABLE' } } },
    { role: 'noise', data: { error: { code: 429, message: 'quota', status: 'RESOURCE_EXHAUSTED' } } },
    { role: 'noise', data: '{"candidates":[{"cont' },
  ],
  badEnds: ({ data }) =>
    typeof data === 'string'
      ? []
      : ['MALFORMED_FUNCTION_CALL', 'UNEXPECTED_TOOL_CALL'].map((finishReason) => ({
          role: 'end' as const,
          data: { ...data, candidates: [{ content: {}, finishReason, index: 0 }] },
        })),
  faults: {
    'a reason in every body': {
      outcome: 'whole',
      apply: (events, { meaning }) =>
        events.map((event) => {
          const { candidates } = Object(event.data) as { readonly candidates?: readonly object[] };
          if (event.role !== 'content' || candidates === undefined) return event;
          const ended = candidates.map((candidate) => ({ ...candidate, finishReason: REASONS[meaning.end] }));
          return { ...event, role: 'end' as const, data: { ...(event.data as object), candidates: ended } };
        }),
    },
    'the reason before the last content': {
      outcome: 'whole',
      apply(events) {
        const index = events.findIndex(({ role }) => role === 'end');
        const [end, last] = [events[index], events[index - 1]];
        if (end === undefined || last?.role !== 'content' || end.text !== undefined) return undefined;
        const { usageMetadata } = end.data as { readonly usageMetadata: object };
        const { candidates } = last.data as { readonly candidates: readonly object[] };
        if (!JSON.stringify(end.data).includes('"text":""')) return undefined;
        const moved = { ...last, data: { candidates, usageMetadata, ...TOP } };
        return [...events.slice(0, index - 1), end, moved, ...events.slice(index + 1)];
      },
    },
    'an id of the host in every call': {
      outcome: 'whole',
      apply: (events) =>
        events.map((event) => ({
          ...event,
          data:
            typeof event.data === 'string'
              ? event.data
              : JSON.parse(
                  JSON.stringify(event.data).replaceAll('"functionCall":{', '"functionCall":{"id":"own",'),
                ),
        })),
    },
    'a body that breaks': {
      outcome: 'unclean',
      apply(events, { at }) {
        const end = events.findIndex(({ role }) => role === 'end');
        return inserted(events.slice(0, at(Math.max(end, 1))), end, {
          role: 'noise',
          data: '{"candidates":',
          fails: true,
        });
      },
    },
  },
};
