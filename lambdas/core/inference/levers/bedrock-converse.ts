/**
 * Levers of Converse (Amazon Bedrock API reference, Converse, as in the package `@aws-sdk/client-bedrock-runtime`
 * 3.1162.0; Amazon Bedrock pricing). Names of fields alone: the service writes these requests itself.
 */
import { isJsonObject } from '../../json/lossless-json.ts';
import { cacheMark, feature, tier, tokens, toolType, unlessEmpty, unpriced } from './readers.ts';
import { leverTable, type Reader } from './table.ts';

const CONTENT = 'messages[].content[]';

/** Amazon Nova user guide, Built-in tools. */
const SYSTEM_TOOLS: Readonly<Record<string, Reader>> = {
  nova_grounding: feature('web_search'),
  nova_code_interpreter: feature('code_execution'),
};

/** A tool of the provider's by its name; a name that nobody has decided on is unpriced. */
const NO_CLIENT_TOOL = /$^/;
const byName = toolType(NO_CLIENT_TOOL, SYSTEM_TOOLS);

/** How much a model thinks is output, at the price of output. */
const FREE_OWN_FIELDS: ReadonlySet<string> = new Set(['thinking', 'output_config', 'reasoning_effort']);

const ownFields: Reader = (value, place) =>
  isJsonObject(value) && Object.keys(value).every((name) => FREE_OWN_FIELDS.has(name))
    ? []
    : unpriced(value, place);

export const BEDROCK_CONVERSE = leverTable([
  { field: 'serviceTier.type', read: tier('default') },
  { field: 'performanceConfig.latency', read: tier('standard') },
  {
    field: 'cachePoint',
    at: [`${CONTENT}.cachePoint`, 'system[].cachePoint', 'toolConfig.tools[].cachePoint'],
    read: cacheMark(() => '5m'),
  },
  { field: `${CONTENT}.audio`, read: tokens('audio_input') },
  {
    field: `${CONTENT}.video`,
    at: [`${CONTENT}.video`, `${CONTENT}.toolResult.content[].video`],
    read: tokens('video_input'),
  },
  { field: 'toolConfig.tools[].systemTool.name', read: byName },
  // Charged by text units of a policy that the catalog does not know.
  { field: 'guardrailConfig', read: unpriced },
  // Fields of the model's own, levers among them.
  { field: 'additionalModelRequestFields', read: ownFields },
  // The prompt itself is kept in the operator's account.
  { field: 'promptVariables', read: unlessEmpty(unpriced) },
]);
