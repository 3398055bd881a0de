/** Quirks of what is said: reasoning and texts under other names, and in other forms. */
import { type AnswerChange, everywhere, withChoices, withSaid } from './answer-form.ts';
import { isJson, type Json, messagesOf } from './json-body.ts';

const asksForJson = ({ response_format: format }: Json): boolean =>
  isJson(format) && String(format.type).startsWith('json');

/** The text as reasoning, in place of both. */
const textAsReasoning = (answer: Json): Json =>
  withSaid(answer, ({ content, reasoning_content: _thought, ...said }) =>
    typeof content === 'string' && content !== ''
      ? { ...said, content: '', reasoning_content: content }
      : { ...said, content: '' },
  );

/** A JSON answer stands in the reasoning, and the text is empty. */
export const jsonInReasoning: AnswerChange = {
  whole: (completion, request) => (asksForJson(request) ? textAsReasoning(completion) : completion),
  *stream(events, request) {
    for (const each of events) {
      const { event, chunk } = each;
      yield chunk === undefined || !asksForJson(request) ? each : { event, chunk: textAsReasoning(chunk) };
    }
  },
};

/** Reasoning under another name, of another form. */
const reasoningAs = (toField: (text: string) => Json): AnswerChange =>
  everywhere((answer) =>
    withSaid(answer, ({ reasoning_content: text, ...said }) =>
      typeof text === 'string' ? { ...said, ...toField(text) } : said,
    ),
  );

export const reasoningNamedReasoning = reasoningAs((text) => ({ reasoning: text }));

/** OpenRouter's form of it (OpenRouter docs, "Reasoning tokens", `reasoning_details`). */
export const reasoningInDetails = reasoningAs((text) => ({
  reasoning_details: [{ type: 'reasoning.text', text, format: 'unknown', index: 0 }],
}));

const asParts = (answer: Json): Json =>
  withSaid(answer, (said) =>
    typeof said.content === 'string' && said.content !== ''
      ? { ...said, content: [{ type: 'text', text: said.content }] }
      : said,
  );

const hasParts = (request: Json): boolean =>
  messagesOf(request).some(({ content }) => Array.isArray(content));

/** Texts come as a list of parts where any of the request did. */
export const mirrorsContent: AnswerChange = {
  whole: (completion, request) => (hasParts(request) ? asParts(completion) : completion),
  *stream(events, request) {
    for (const each of events) {
      const { event, chunk } = each;
      yield chunk === undefined || !hasParts(request) ? each : { event, chunk: asParts(chunk) };
    }
  },
};

/** Every chunk has the message so far beside its delta (Perplexity API reference, "Chat completions", streaming). */
export const cumulativeMessage: AnswerChange = {
  *stream(events) {
    let said = '';
    for (const each of events) {
      const { event, chunk } = each;
      const withMessage = (choice: Json): Json => {
        const { content } = isJson(choice.delta) ? choice.delta : {};
        if (typeof content === 'string') said += content;
        return { ...choice, message: { role: 'assistant', content: said } };
      };
      yield chunk === undefined ? each : { event, chunk: withChoices(chunk, withMessage) };
    }
  },
};
