/** Fields of chat completions that no price depends on (OpenAI API reference, Create chat completion). */
import type { Decisions } from '../classification.ts';

export const OF_OPENAI_CHAT: Decisions = {
  ChatCompletionCreateParamsBase: {
    prompt: 'messages function_call functions response_format tool_choice tools',
    setting:
      'frequency_penalty logit_bias logprobs metadata parallel_tool_calls presence_penalty prompt_cache_key ' +
      // The switch itself; the lifetime within it is a lever.
      'prompt_cache_options safety_identifier seed stop temperature top_logprobs top_p user',
    output: 'max_completion_tokens max_tokens n reasoning_effort verbosity',
    service: 'model stream stream_options',
  },
  ChatCompletionStreamOptions: { service: 'include_obfuscation include_usage' },
  'ChatCompletionCreateParams.PromptCacheOptions': { setting: 'mode' },
  'ChatCompletionDeveloperMessageParam ChatCompletionSystemMessageParam ChatCompletionUserMessageParam': {
    prompt: 'content role name',
  },
  ChatCompletionAssistantMessageParam: { prompt: 'role content function_call name refusal tool_calls' },
  ChatCompletionToolMessageParam: { prompt: 'content role tool_call_id' },
  ChatCompletionFunctionMessageParam: { prompt: 'content name role' },
  ChatCompletionContentPartText: { prompt: 'text type' },
  ChatCompletionContentPartImage: { prompt: 'image_url type' },
  'ChatCompletionContentPartImage.ImageURL': { prompt: '*' },
  // The audio in it is the lever.
  ChatCompletionContentPartInputAudio: { prompt: 'type' },
  // Counted as something that cannot be seen here.
  'ChatCompletionContentPart.File': { prompt: 'file type' },
  'ChatCompletionContentPart.File.File': { prompt: 'file_data file_id filename' },
  'ChatCompletionContentPartRefusal ChatCompletionAssistantMessageParam.FunctionCall': { prompt: '*' },
  'ChatCompletionMessageFunctionToolCall ChatCompletionMessageFunctionToolCall.Function': { prompt: '*' },
  'ChatCompletionMessageCustomToolCall ChatCompletionMessageCustomToolCall.Custom': { prompt: '*' },
  ChatCompletionFunctionCallOption: { prompt: 'name' },
  'ChatCompletionCreateParams.Function': { prompt: 'name description parameters' },
  'ResponseFormatText ResponseFormatJSONObject': { setting: 'type' },
  ResponseFormatJSONSchema: { prompt: 'json_schema', setting: 'type' },
  'ResponseFormatJSONSchema.JSONSchema': { prompt: 'name description schema', setting: 'strict' },
  ChatCompletionAllowedToolChoice: { setting: 'allowed_tools type' },
  ChatCompletionAllowedTools: { setting: 'mode tools' },
  ChatCompletionNamedToolChoice: { setting: 'function type' },
  ChatCompletionNamedToolChoiceCustom: { setting: 'custom type' },
  'ChatCompletionNamedToolChoice.Function ChatCompletionNamedToolChoiceCustom.Custom': { setting: 'name' },
  ChatCompletionFunctionTool: { prompt: 'function' },
  FunctionDefinition: { prompt: 'name description parameters', setting: 'strict' },
  ChatCompletionCustomTool: { prompt: 'custom' },
  'ChatCompletionCustomTool.Custom': { prompt: 'name description format' },
  'ChatCompletionCustomTool.Custom.Text': { prompt: 'type' },
  'ChatCompletionCustomTool.Custom.Grammar': { prompt: 'grammar type' },
  'ChatCompletionCustomTool.Custom.Grammar.Grammar': { prompt: 'definition syntax' },
};
