/** A chat call as a server of the Messages protocol takes it (Claude API reference, Create a Message). */

import type { JsonObject } from '../../../platform/core/json/lossless-json.ts';
import { allowedBetas } from '../../core/catalog/betas.ts';
import type { CatalogRoute } from '../../core/catalog/catalog-document.ts';
import { systemTextsOf } from '../../core/upstream/cache-breakpoints.ts';
import { isNotBlank } from '../../core/upstream/claude.ts';
import type { Tool } from '../../core/upstream/conversation.ts';
import type { ChatPayload } from '../../core/upstream/provider.ts';
import type { Signatures } from '../../core/upstream/sealed-tokens.ts';
import {
  calledTools,
  type JsonOutputRequest,
  jsonOutputRequestOf,
  toValidTool,
} from '../claude/json-output.ts';
import { MAX_TEMPERATURE, nativeBody } from '../claude/native-body.ts';
import { type ClaudeConversation, forClaude } from '../claude/thinking.ts';
import { withOpenedThinking } from '../claude/thinking-blocks.ts';
import { cacheControl, toMessages } from './content.ts';

export interface UpstreamMessages {
  readonly body: JsonObject;
  /**
   * The tool whose input is the answer, if the caller requests JSON. The protocol has no other method to request it.
   */
  readonly answerTool?: string;
}

type Target = Pick<CatalogRoute, 'upstream_model' | 'reasoning' | 'dialect' | 'betas'>;

/**
 * The request: what the caller sent, unknown fields included, under the route's own model name and with the thinking
 * that the route itself gave; or the conversation, where the caller spoke another protocol.
 */
export function toRequest(payload: ChatPayload, route: Target, signatures: Signatures): UpstreamMessages {
  const named = { model: route.upstream_model, stream: payload.stream };
  if (payload.protocol === 'anthropic') {
    const native = { betas: betasOf(payload, route), dialect: route.dialect };
    return { body: { ...withOpenedThinking(nativeBody(payload.body, native), signatures), ...named } };
  }
  const conversation = forClaude(payload.conversation(), route.dialect?.reasoning_request, signatures);
  const outputRequest = jsonOutputRequestOf(conversation, route.reasoning || conversation.thinks);
  return {
    body: { ...named, ...fromConversation(conversation, outputRequest) },
    ...(outputRequest.tool === undefined ? {} : { answerTool: outputRequest.tool.name }),
  };
}

/** The flags that go to the route with the request. */
export const betasOf = (
  { headers }: Pick<ChatPayload, 'headers'>,
  route: Pick<CatalogRoute, 'betas'>,
): readonly string[] => allowedBetas(headers?.betas ?? [], route);

function fromConversation(conversation: ClaudeConversation, outputRequest: JsonOutputRequest): JsonObject {
  const { turns, maxTokens, temperature, topP, thinking } = conversation;
  const user = conversation.safetyIdentifier ?? conversation.user;
  const system = [
    ...systemTextsOf(conversation),
    ...outputRequest.instructions.map((text) => ({ text })),
  ].filter(({ text }) => isNotBlank(text));
  const declared = conversation.tools.length > 0 ? conversation.tools : calledTools(conversation);
  const tools = [...declared, ...(outputRequest.tool === undefined ? [] : [outputRequest.tool])];
  const toolChoice = toToolChoice(conversation, outputRequest.tool, declared.length > 0);
  const stop = conversation.stop.filter(isNotBlank);
  const output = toOutput(conversation, outputRequest);
  return {
    max_tokens: maxTokens,
    ...(system.length === 0 ? {} : { system: textContent(system) }),
    messages: toMessages(turns),
    ...(thinking === undefined ? {} : { thinking }),
    // Claude models since Opus 4.1 reject both together. The caller chose this one, while the other may be a default.
    ...(topP === undefined
      ? temperature !== undefined && { temperature: Math.min(temperature, MAX_TEMPERATURE) }
      : { top_p: topP }),
    ...(stop.length === 0 ? {} : { stop_sequences: stop }),
    ...(tools.length === 0 ? {} : { tools: tools.map(toTool) }),
    ...(toolChoice === undefined ? {} : { tool_choice: toolChoice }),
    ...(output === undefined ? {} : { output_config: output }),
    ...(user === undefined || user.length > MAX_USER_ID ? {} : { metadata: { user_id: user } }),
  };
}

function toOutput({ effort }: ClaudeConversation, { native }: JsonOutputRequest): JsonObject | undefined {
  if (effort === undefined && native === undefined) return undefined;
  return {
    ...(effort === undefined ? {} : { effort }),
    ...(native === undefined ? {} : { format: { type: 'json_schema', schema: native.schema } }),
  };
}

const MAX_USER_ID = 256;

type SystemContent = ReturnType<typeof systemTextsOf>;

function textContent(content: SystemContent): unknown {
  const [first] = content;
  if (content.length === 1 && first?.cache === undefined) return first?.text;
  return content.map((each) => ({ type: 'text', text: each.text, ...cacheControl(each) }));
}

function toTool(tool: Tool): JsonObject {
  const { parameters, cache, ...rest } = toValidTool(tool);
  return { ...rest, input_schema: parameters, ...cacheControl({ ...(cache && { cache }) }) };
}

function toToolChoice(
  { tools, toolChoice: choice, parallelToolCalls }: ClaudeConversation,
  answerTool: Tool | undefined,
  declares: boolean,
): JsonObject | undefined {
  const single = parallelToolCalls === false ? { disable_parallel_tool_use: true } : {};
  if (answerTool !== undefined) {
    const callable = tools.length > 0 && choice?.type !== 'none';
    if (callable) return { type: 'any', ...single };
    return { type: 'tool', name: answerTool.name, disable_parallel_tool_use: true };
  }
  // Such a choice without tools is passed on, so that the server rejects it.
  const insists = choice?.type === 'any' || choice?.type === 'tool';
  if (tools.length === 0 && !insists) return declares ? { type: 'none' } : undefined;
  if (choice?.type === 'none') return { type: 'none' };
  if (choice === undefined && parallelToolCalls !== false) return undefined;
  return { ...(choice ?? { type: 'auto' }), ...single };
}
