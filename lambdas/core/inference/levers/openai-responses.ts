/** Levers of Responses (OpenAI API reference, Create a model response, as in the package `openai` 7.55.0). */
import { isJsonObject } from '../../json/lossless-json.ts';
import { cacheBreakpoint, OPENAI_SHARED } from './openai-chat.ts';
import { feature, tokens, toolType, unlessEmpty, unpriced, unpricedUnless, whenTrue } from './readers.ts';
import { leverTable, type Reader } from './table.ts';

/** A request bounds its calls of the provider's tools all together. */
const used = (name: string): Reader => feature(name, (_value, { body }) => body.max_tool_calls);

/**
 * A container that is made for this answer, at its smallest size, is a feature; one that lives on, or a larger one, is
 * unpriced (OpenAI docs, Pricing, Containers: by size).
 */
const contained =
  (name: string, container: unknown): Reader =>
  (value, place) => {
    const { type, memory_limit: size } = isJsonObject(container) ? container : {};
    const isPlain = (type === 'auto' || type === 'container_auto') && (size ?? '1g') === '1g';
    return (isPlain ? used(name) : unpriced)(value, place);
  };

const codeInterpreter: Reader = (value, place) =>
  contained('code_execution', place.holder.container)(value, place);

/** A shell runs on the caller's side, or in a container. */
const shell: Reader = (value, place) => {
  const { environment } = place.holder;
  return isJsonObject(environment) && environment.type === 'local'
    ? []
    : contained('shell', environment ?? { type: 'auto' })(value, place);
};

const toolSearch: Reader = (value, place) =>
  place.holder.execution === 'client' ? [] : used('tool_search')(value, place);

const OF_TOOLS = toolType(
  /^(function|custom|namespace|local_shell|apply_patch|computer|computer_use|computer_use_preview)$/,
  {
    web_search: used('web_search'),
    web_search_2025_08_26: used('web_search'),
    web_search_preview: used('web_search_preview'),
    web_search_preview_2025_03_11: used('web_search_preview'),
    file_search: used('file_search'),
    code_interpreter: codeInterpreter,
    shell,
    // By the image model, the size and the quality, which the tool's own fields choose.
    image_generation: unpriced,
    programmatic_tool_calling: used('programmatic_tool_calling'),
    tool_search: toolSearch,
    mcp: used('mcp'),
  },
);

/** Items that stand for what the provider has kept, or that make it sample once more. */
const itemType: Reader = (value, place) =>
  value === 'item_reference' || value === 'compaction_trigger' ? unpriced(value, place) : [];

/** Tools of the request, and of items that add some; a namespace holds others. */
const TOOLS = ['tools[]', 'tools[].tools[]', 'input[].tools[]', 'input[].tools[].tools[]'];

/** That `store` is `true` where a request does not say is for whoever sends the request to add. */
export const OPENAI_RESPONSES = leverTable([
  ...OPENAI_SHARED,
  { field: 'prompt_cache_options.prewarm', read: whenTrue(unpriced) },
  {
    field: 'prompt_cache_breakpoint',
    at: ['input[].content[]', 'input[].output[]'].map((place) => `${place}.prompt_cache_breakpoint`),
    read: cacheBreakpoint,
  },
  { field: 'background', read: whenTrue(unpriced) },
  { field: 'conversation', read: unlessEmpty(unpriced) },
  { field: 'previous_response_id', read: unlessEmpty(unpriced) },
  { field: 'prompt', read: unpriced },
  { field: 'context_management', read: unlessEmpty(unpriced) },
  // More passes for one answer, which no bound of its output is known to hold (OpenAI docs, Reasoning mode).
  { field: 'reasoning.mode', read: unpricedUnless('standard') },
  { field: 'tools[].type', at: TOOLS.map((place) => `${place}.type`), read: OF_TOOLS },
  { field: 'input[].type', read: itemType },
  { field: 'input[].content[].input_audio', read: tokens('audio_input'), hosts: 'OpenRouter' },
]);
