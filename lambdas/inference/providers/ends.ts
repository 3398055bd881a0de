/** The one table of the words by which vendors say why an output ended. All protocols read it. */
import {
  CHAT_FINISH_REASONS,
  type Finish,
  type FinishReason,
  MESSAGES_STOP_REASONS,
} from '../core/upstream/conversation.ts';
import { UpstreamFailure } from '../core/upstream/provider.ts';
import { plainName } from './allowed-fields.ts';

/** `failed`: the vendor did not complete the output, because of an error, a lost connection, or a malformed call. */
type End = FinishReason | 'failed';

/**
 * Words in lower case: OpenAI API reference, `finish_reason` and `incomplete_details`; Claude API docs, Handling stop
 * reasons; Amazon Bedrock API reference, StopReason; Gemini API and Vertex AI references, FinishReason; API docs of
 * Mistral, Z.ai, DeepSeek, OpenRouter, Cohere, Together, watsonx and Baidu; sources of vLLM, SGLang and TGI.
 */
const WORDS: Readonly<Record<End, string>> = {
  stop: 'stop end_turn completed complete finished normal eos eos_token end_of_text',
  'stop-sequence': 'stop_sequence',
  length:
    'length max_tokens max_output_tokens max_completion_tokens max_new_tokens max_length model_length token_limit ' +
    'time_limit repetition',
  context:
    'model_context_window_exceeded context_length_exceeded context_window_exceeded max_context error_limit',
  'tool-calls': 'tool_calls tool_call tool_use function_call',
  refusal:
    'refusal content_filter content_filtered guardrail_intervened safety sensitive recitation language blocklist ' +
    'prohibited_content spii model_armor error_toxic image_safety image_prohibited_content image_recitation ' +
    'image_other no_image',
  pause: 'pause_turn',
  failed:
    'error network_error abort aborted cancel cancelled canceled timeout timed_out failed failure interrupted ' +
    'internal_error server_error insufficient_system_resource malformed_function_call malformed_tool_use ' +
    'malformed_model_output malformed_response unexpected_tool_call too_many_tool_calls missing_thought_signature',
};

const ENDS: ReadonlyMap<string, End> = new Map(
  (Object.keys(WORDS) as End[]).flatMap((end) => WORDS[end].split(' ').map((word) => [word, end] as const)),
);

const endOf = (raw: string): End | undefined => ENDS.get(raw.toLowerCase().replaceAll('-', '_'));

/**
 * Returns the finish that a vendor's word means. No word and a word without a row in the table mean a plain end. An
 * output with tool calls ends for them, and one without them plainly, because some servers report the other one. Throws
 * `UpstreamFailure` for a failure, and for a value that is not a plain name.
 */
export function finishOf(word: unknown, hasCalls: boolean): Finish {
  const raw = plainName(word) ?? '';
  const end = endOf(raw) ?? 'stop';
  if (end === 'failed') throw new UpstreamFailure('interrupted');
  const isPlain = end === 'stop' || end === 'stop-sequence';
  if (isPlain && hasCalls) return { reason: 'tool-calls', raw };
  return { reason: end === 'tool-calls' && !hasCalls ? 'stop' : end, raw };
}

/** Returns the finish reason of chat completions. `function_call` stays, because it names the older form of a call. */
export function chatFinishReason(word: unknown, hasCalls: boolean): string {
  const { reason, raw } = finishOf(word, hasCalls);
  return raw === 'function_call' && reason === 'tool-calls' ? raw : CHAT_FINISH_REASONS[reason];
}

/** Returns the stop reason of Messages. A word without a row in the table stays: Anthropic may have added it. */
export function messagesStopReason(word: unknown, hasCalls: boolean): string {
  const { reason, raw } = finishOf(word, hasCalls);
  return reason === 'stop' && endOf(raw) === undefined ? raw : MESSAGES_STOP_REASONS[reason];
}
