/** Rules between fields that a schema cannot state, as Converse enforces them; a gateway's mistakes show up here. */
import { unsupportedSchema } from '../model/json-schema/strict-subset.ts';
import { conversationRules, isClaude, modelSays, type Rule } from './conversation-rules.ts';
import { type ConverseRequest, parsedObject, schemaText, toolSpecs } from './request.ts';

const toolNamesDiffer: Rule = (request) => {
  const names = toolSpecs(request).map(({ name }) => name);
  return new Set(names).size < names.length
    ? 'The toolConfig.tools field contains duplicate tool names.'
    : undefined;
};

const toolChoiceIsOffered: Rule = (request) => {
  const wanted = request.toolConfig?.toolChoice?.tool?.name;
  if (wanted === undefined || toolSpecs(request).some(({ name }) => name === wanted)) return undefined;
  return `The tool name ${wanted} at toolConfig.toolChoice.tool.name is not among toolConfig.tools.`;
};

const oneOfTemperatureAndTopP: Rule = ({ inferenceConfig: config }, modelId) =>
  isClaude(modelId) && config?.temperature != null && config.topP != null
    ? modelSays('`temperature` and `top_p` cannot both be specified for this model. Please use only one.')
    : undefined;

const schemaIsSupported: Rule = (request, modelId) => {
  const text = schemaText(request);
  if (text === undefined) return undefined;
  const schema = parsedObject(text);
  if (schema === undefined)
    return 'The schema at outputConfig.textFormat.structure.jsonSchema.schema is not a valid JSON object.';
  const problem = isClaude(modelId) ? unsupportedSchema(schema) : undefined;
  return problem === undefined ? undefined : modelSays(`output_config.format.schema: ${problem}`);
};

const RULES: readonly Rule[] = [
  ...conversationRules,
  toolNamesDiffer,
  toolChoiceIsOffered,
  oneOfTemperatureAndTopP,
  schemaIsSupported,
];

/** The first rule that `request` breaks, in the service's words. */
export function brokenRule(request: ConverseRequest, modelId: string): string | undefined {
  for (const rule of RULES) {
    const message = rule(request, modelId);
    if (message !== undefined) return message;
  }
  return undefined;
}
