/** Translates a request of generateContent into the model's neutral one, and refuses what breaks a rule between fields. */
import {
  type BlockContent,
  checkAlternation,
  checkOffered,
  checkToolTurns,
  checkUnique,
  toMessages,
} from '../exchange/conversation.ts';
import { isSignatureOf, type SignatureScope } from '../exchange/proof.ts';
import { requireThat } from '../exchange/request-error.ts';
import type { ModelRequest } from '../model/model.ts';
import { type GeminiPart, type GenerateRequest, thinks } from './request.ts';

export const scopeOf = (model: string): SignatureScope => ['gemini', model];

/** Stands for the signature of a call of another model (Gemini API docs, Thought signatures, FAQs). */
const PLACEHOLDER = 'skip_thought_signature_validator';

/** Without ids calls and results are the same by their names. */
function partOf({
  text,
  thought,
  inlineData,
  functionCall: call,
  functionResponse: result,
}: GeminiPart): BlockContent {
  if (thought === true) return {};
  return {
    text,
    isImage: inlineData !== undefined,
    call: call && { id: call.id ?? call.name, name: call.name, arguments: JSON.stringify(call.args ?? {}) },
    result: result && {
      toolCallId: result.id ?? result.name,
      isError: 'error' in result.response,
      parts: [
        { text: String(result.response.output ?? result.response.error ?? JSON.stringify(result.response)) },
      ],
    },
  };
}

/** The first call of a content proves what was thought before it (Gemini API docs, Thought signatures, Validation). */
function checkSignatures({ contents }: GenerateRequest, model: string): void {
  for (const [turn, { parts }] of contents.entries()) {
    const calls = parts.filter(({ functionCall }) => functionCall !== undefined);
    for (const [index, { functionCall, thoughtSignature: signature }] of calls.entries()) {
      const path = ['contents', turn];
      const isMissing = index === 0 && signature === undefined;
      requireThat(!isMissing, 'Function call is missing a thought_signature in functionCall parts.', path);
      const isOwn =
        signature === undefined ||
        signature === PLACEHOLDER ||
        isSignatureOf(scopeOf(model), functionCall?.name ?? '', signature);
      requireThat(isOwn, 'Thought signature is not valid', path);
    }
  }
}

function toToolChoice({ toolConfig }: GenerateRequest): ModelRequest['toolChoice'] {
  const { mode, allowedFunctionNames: [only] = [] } = toolConfig?.functionCallingConfig ?? {};
  if (mode === 'ANY') return only === undefined ? 'required' : { name: only };
  return mode === 'NONE' ? 'none' : 'auto';
}

export function toModelRequest(request: GenerateRequest, model: string): ModelRequest {
  checkAlternation(request.contents, 'contents');
  checkSignatures(request, model);
  const declared = (request.tools ?? []).flatMap(({ functionDeclarations: all }) => all);
  const names = declared.map(({ name }) => name);
  checkUnique(names, ['tools']);
  const config = request.toolConfig?.functionCallingConfig;
  checkOffered(names, config?.allowedFunctionNames ?? [], ['tool_config']);
  const isIdle = config !== undefined && names.length === 0;
  requireThat(!isIdle, 'Function calling config is set without function_declarations.', ['tool_config']);
  const messages = request.contents.flatMap(({ role, parts }, turn) =>
    toMessages(role === 'model' ? 'assistant' : 'user', parts.map(partOf), turn),
  );
  checkToolTurns(messages, true);
  const {
    maxOutputTokens: maxTokens,
    stopSequences: stop = [],
    responseMimeType: type,
    responseJsonSchema: schema,
  } = request.generationConfig ?? {};
  const isJson = type === 'application/json';
  const isTyped = schema === undefined || isJson;
  requireThat(isTyped, 'response_json_schema needs a JSON type', ['generation_config']);
  return {
    model,
    messages: [...toMessages('system', (request.systemInstruction?.parts ?? []).map(partOf)), ...messages],
    tools: declared.map(({ parametersJsonSchema: parameters, ...tool }) => ({ ...tool, parameters })),
    toolChoice: toToolChoice(request),
    parallelToolCalls: true,
    schema: schema ?? (isJson ? { type: 'object' } : undefined),
    maxTokens,
    stop,
    choiceCount: 1,
    thinks: thinks(request),
  };
}
