/** Fields of Responses (OpenAI API reference, Create a model response, as in the package `openai` 7.55.0). */
import { isJsonObject } from '../../../platform/core/json/lossless-json.ts';
import { OPENAI_FIELDS, openaiBreakpoint, storedByProvider } from '../../core/fields/openai-rules.ts';
import {
  blankLastTurn,
  capability,
  feature,
  fetched,
  isAddressText,
  nothing,
  serverTool,
  tokens,
  toolType,
  unlessEmpty,
  unpriced,
  unpricedUnless,
  when,
  whenTrue,
} from '../../core/fields/readers.ts';
import { type FieldRule, fieldTable, type NeedReader } from '../../core/fields/table.ts';
import { COMMON_ITEMS, isPdfPart, itemType, type ResponsesPart } from './input/items.ts';
import { isProviders } from './tool-names.ts';
import { isCallable } from './tool-schema.ts';

/** A need of a route of this protocol, with the caller's name of what needs it. */
const nativeOnly =
  (of: string): NeedReader =>
  (_value, context) =>
    context.isNeeded('feature', 'responses-items')
      ? []
      : [{ kind: 'feature', name: 'responses-items', of, param: context.param }];

/** A request limits the calls of all the provider's tools together. */
const limited = (name: string): NeedReader => serverTool(name, (_value, { body }) => body.max_tool_calls);

/**
 * Returns the need of a container. A container of the smallest size that is created for this response is a server tool.
 * A persistent or larger container is unpriced (OpenAI docs, Pricing, Containers: by size).
 */
const contained =
  (name: string, container: unknown): NeedReader =>
  (value, context) => {
    const { type, memory_limit: size } = isJsonObject(container) ? container : {};
    const isPlain = (type === 'auto' || type === 'container_auto') && (size ?? '1g') === '1g';
    return (isPlain ? limited(name) : unpriced)(value, context);
  };

const codeInterpreter: NeedReader = (value, context) =>
  contained('code_execution', context.parent.container)(value, context);

/** A shell runs on the caller's side, or in a container. */
const shell: NeedReader = (value, context) => {
  const { environment } = context.parent;
  return isJsonObject(environment) && environment.type === 'local'
    ? []
    : contained('shell', environment ?? { type: 'auto' })(value, context);
};

const toolSearch: NeedReader = (value, context) =>
  context.parent.execution === 'client' ? [] : limited('tool_search')(value, context);

const toolTypes = toolType(
  /^(function|custom|namespace|local_shell|apply_patch|computer|computer_use|computer_use_preview)$/,
  {
    web_search: limited('web_search'),
    web_search_2025_08_26: limited('web_search'),
    web_search_preview: limited('web_search_preview'),
    web_search_preview_2025_03_11: limited('web_search_preview'),
    file_search: limited('file_search'),
    code_interpreter: codeInterpreter,
    shell,
    // By the image model, the size and the quality, which the tool's own fields choose.
    image_generation: unpriced,
    programmatic_tool_calling: limited('programmatic_tool_calling'),
    tool_search: toolSearch,
    mcp: limited('mcp'),
  },
);

const definedTool: NeedReader = (value, context) =>
  isJsonObject(value) && isProviders(value)
    ? nativeOnly(`the tool ${String(value.type)}`)(value, context)
    : [];

const TOOL_ITEMS: ReadonlySet<string | undefined> = new Set([
  'function_call',
  'function_call_output',
  'custom_tool_call',
  'custom_tool_call_output',
]);

const item: NeedReader = (value, context) => {
  if (!isJsonObject(value)) return [];
  const type = itemType(value);
  if (TOOL_ITEMS.has(type)) return capability('tools')(value, context);
  return COMMON_ITEMS.has(type) ? [] : nativeOnly(`an item of type ${type}`)(value, context);
};

/** Items that refer to what the provider has stored, or that make it sample once more, are unpriced. */
const itemTypeField: NeedReader = (value, context) =>
  value === 'item_reference' || value === 'compaction_trigger' ? unpriced(value, context) : [];

/** Parts that every route can be given, by their types. */
const PARTS_OF_ALL: ReadonlyMap<unknown, NeedReader> = new Map([
  ...['input_text', 'output_text', 'refusal'].map((type) => [type, nothing] as const),
  ['input_image', capability('vision')],
]);

/** A file; other protocols have no place for one in the output of a tool. */
const file: NeedReader = (value, context) => {
  const isPdf = isPdfPart(value as ResponsesPart);
  return [
    ...capability('documents')(value, context),
    ...(isPdf ? feature('documents')(value, context) : []),
    ...(isPdf && itemType(context.parent) === 'message'
      ? []
      : nativeOnly('a part of type input_file')(value, context)),
  ];
};

/** The parts of a message or of a tool's output; those of other items are for the provider to judge. */
const part: NeedReader = (value, context) => {
  if (!isJsonObject(value)) return [];
  const type = itemType(context.parent);
  if (type === 'reasoning' || !COMMON_ITEMS.has(type)) return [];
  if (value.type === 'input_file') return file(value, context);
  return (PARTS_OF_ALL.get(value.type) ?? nativeOnly(`a part of type ${String(value.type)}`))(value, context);
};

const isPlainChoice = (value: unknown): boolean => value === 'none' || value === 'auto';

/** Returns whether a choice identifies a tool that the provider runs. */
const isHosted = (choice: unknown): boolean => {
  if (!isJsonObject(choice)) return false;
  if (choice.type !== 'allowed_tools') return !isCallable(choice);
  return Array.isArray(choice.tools) && choice.tools.some((tool) => isJsonObject(tool) && !isCallable(tool));
};

const isJson = (value: unknown): boolean => isJsonObject(value) && value.type !== 'text';

const CONTENT_PARTS = ['input[].content[]', 'input[].output[]'] as const;

const of = (paths: readonly string[], fields: string): string[] => paths.map((path) => `${path}.${fields}`);

const ITEMS: readonly FieldRule[] = [
  { at: 'input', needs: blankLastTurn, isConverted: true },
  { at: 'input[]', needs: item },
  { at: 'input[].type', needs: itemTypeField },
  { at: 'input[].{role,content,call_id,name,namespace,arguments,input,output,encrypted_content}' },
  { at: 'input[].summary[].{type,text}' },
  { at: CONTENT_PARTS, needs: part },
  { at: of(CONTENT_PARTS, '{type,text,file_id,filename}') },
  { at: of(CONTENT_PARTS, 'file_data'), needs: when(isAddressText, fetched('document-urls')) },
  { at: of(CONTENT_PARTS, 'detail'), isConverted: 'openai' },
  { at: 'input[].content[].{refusal,annotations,logprobs}' },
  { at: of(CONTENT_PARTS, 'image_url'), needs: fetched('image-urls') },
  { at: of(CONTENT_PARTS, 'file_url'), needs: fetched('document-urls') },
  { at: of(CONTENT_PARTS, 'prompt_cache_breakpoint'), needs: openaiBreakpoint, isConverted: false },
  { at: of(CONTENT_PARTS, 'prompt_cache_breakpoint.{mode,ttl}') },
  { at: 'input[].content[].input_audio', needs: tokens('audio_input'), vendors: 'OpenRouter' },
  // Items of the provider's own tools.
  {
    at: 'input[].{id,status,phase,caller,async,background,error,reason,result,results,outputs,queries,code}',
  },
  {
    at: 'input[].{action,actions,operation,environment,execution,fingerprint,revised_prompt,max_output_length}',
  },
  {
    at: 'input[].{container_id,server_label,approval_request_id,approve,output_format,quality,size,svg_usage}',
  },
  { at: 'input[].{acknowledged_safety_checks,pending_safety_checks}' },
  { at: of(['input[].output[]'], '{outcome,stdout,stderr}') },
  { at: 'input[].reasoning.effort' },
  { at: 'input[].text.format' },
];

const TOOLS: readonly FieldRule[] = [
  { at: ['tools[].tools[]', 'input[].tools[]'], like: 'tools[]' },
  { at: 'tools', needs: unlessEmpty(capability('tools')), isConverted: true },
  { at: 'tools[]', needs: definedTool },
  { at: 'tools[].type', needs: toolTypes },
  { at: 'tools[].{name,description,parameters,strict,format}' },
  { at: 'tools[].{output_schema,allowed_callers,async,defer_loading}', isConverted: false },
  {
    at: 'tools[].{input_schema,annotations,display_height,display_width,execution,vector_store_ids,filters}',
  },
  { at: 'tools[].{max_num_results,search_context_size,search_content_types,external_web_access}' },
  { at: 'tools[].ranking_options.{ranker,score_threshold}' },
  { at: 'tools[].ranking_options.hybrid_search.{embedding_weight,text_weight}' },
  { at: 'tools[].user_location.{type,city,country,region,timezone}' },
  { at: 'tools[].{server_label,server_description,server_url,connector_id,tunnel_id,authorization}' },
  { at: 'tools[].{headers,allowed_tools,require_approval}' },
  { at: 'tools[].container.{type,file_ids,memory_limit,network_policy}' },
  { at: 'tools[].environment.{type,file_ids,memory_limit,network_policy,container_id,skills}' },
  // Of images, which are unpriced.
  {
    at: 'tools[].{action,background,complexity,frame_count,frame_duration_ms,input_fidelity,input_image_mask}',
  },
  { at: 'tools[].{model,moderation,output_compression,output_format,partial_images,quality,size,svg}' },
  {
    at: 'tool_choice',
    needs: when((value) => !isPlainChoice(value), capability('tools')),
    isConverted: true,
  },
  { at: 'tool_choice', needs: when(isHosted, nativeOnly('this tool_choice')) },
  { at: 'tool_choice.{type,name,namespace,mode,server_label,tools}' },
];

/** The sender of a request adds `store: false`, because the protocol stores a response by default. */
export const RESPONSES_FIELDS = fieldTable([
  ...OPENAI_FIELDS,
  { at: '{instructions,max_output_tokens,include}', isConverted: true },
  { at: '{max_tool_calls,access_programs,image}' },
  { at: 'store', needs: storedByProvider, isConverted: true },
  { at: 'stream_options', isConverted: true },
  { at: 'stream_options.include_obfuscation' },
  { at: 'prompt_cache_options.prewarm', needs: whenTrue(unpriced) },
  { at: 'prompt_cache_options.comparison_response_id' },
  { at: 'background', needs: whenTrue(unpriced) },
  { at: '{conversation,previous_response_id,context_management}', needs: unlessEmpty(unpriced) },
  { at: 'prompt', needs: unpriced },
  { at: 'truncation' },
  { at: '{text,reasoning}', isConverted: true },
  { at: 'text.format', needs: when(isJson, capability('json')) },
  { at: 'text.format.{type,name,description,schema,strict}' },
  { at: 'text.verbosity', isConverted: false },
  // More passes for one response, whose output has no known bound (OpenAI docs, Reasoning mode).
  { at: 'reasoning.mode', needs: unpricedUnless('standard') },
  { at: 'reasoning.{effort,summary,generate_summary}' },
  { at: 'reasoning.context', isConverted: false },
  ...TOOLS,
  ...ITEMS,
]);
