/**
 * The requests of Converse and ConverseStream (Amazon Bedrock API reference). Fields that the reference does not have
 * are refused, which the service itself does not always do: whoever sends one has made a mistake.
 */
import { z } from 'zod';
import { cachePoint, identifier, messageSchema, unionOf } from './content.ts';

const loose = z.looseObject({});

const systemBlock = unionOf({ text: z.string().min(1), cachePoint, guardContent: loose });

const inferenceConfig = z.strictObject({
  maxTokens: z.int().min(1).nullish(),
  temperature: z.number().min(0).max(1).nullish(),
  topP: z.number().min(0).max(1).nullish(),
  stopSequences: z.array(z.string().min(1)).max(2500).nullish(),
});

const toolSpec = z.strictObject({
  name: identifier,
  description: z.string().min(1).nullish(),
  inputSchema: unionOf({ json: z.record(z.string(), z.unknown()) }),
  strict: z.boolean().nullish(),
});

const toolConfig = z.strictObject({
  tools: z.array(unionOf({ toolSpec, cachePoint, systemTool: loose })).min(1),
  toolChoice: unionOf({
    auto: z.strictObject({}),
    any: z.strictObject({}),
    tool: z.strictObject({ name: identifier }),
  }).nullish(),
});

const outputConfig = z.strictObject({
  textFormat: z
    .strictObject({
      type: z.literal('json_schema'),
      structure: unionOf({
        jsonSchema: z.strictObject({
          schema: z.string(),
          name: z.string().nullish(),
          description: z.string().nullish(),
        }),
      }),
    })
    .nullish(),
  effort: z.string().nullish(),
});

export const converseRequestSchema = z.strictObject({
  messages: z.array(messageSchema).nullish(),
  system: z.array(systemBlock).nullish(),
  inferenceConfig: inferenceConfig.nullish(),
  toolConfig: toolConfig.nullish(),
  outputConfig: outputConfig.nullish(),
  guardrailConfig: loose.nullish(),
  additionalModelRequestFields: loose.nullish(),
  additionalModelResponseFieldPaths: z.array(z.string().min(1).max(256)).max(10).nullish(),
  promptVariables: loose.nullish(),
  requestMetadata: z.record(z.string(), z.string()).nullish(),
  performanceConfig: loose.nullish(),
  serviceTier: loose.nullish(),
});

export type ConverseRequest = z.infer<typeof converseRequestSchema>;

/** The tools that are specified, without cache points and the like. */
export const toolSpecs = ({ toolConfig: config }: ConverseRequest) =>
  (config?.tools ?? []).flatMap(({ toolSpec: spec }) => (spec === undefined ? [] : [spec]));

/** The schema the answer must satisfy, as it was sent; undefined for plain text. */
export const schemaText = ({ outputConfig: config }: ConverseRequest): string | undefined =>
  config?.textFormat?.structure.jsonSchema?.schema;

/** The object a JSON text stands for; undefined when it stands for none. */
export function parsedObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}
