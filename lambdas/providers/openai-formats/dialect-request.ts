/**
 * A request as a host takes it that differs from the protocol: what the dialect of its route names, and nothing else.
 * What is added here is counted in `metering/dialect-size.ts`.
 */
import type { Dialect } from '../../core/inference/catalog/dialect.ts';
import { isJsonObject, type JsonObject } from '../../core/json/lossless-json.ts';
import { dialectMessages } from './dialect-messages.ts';
import { requiredSchema, simpleSchema } from './simple-schemas.ts';

/** The body of a chat completion as the host takes it; the same object where its dialect names nothing. */
export function forHost(body: JsonObject, dialect: Dialect = {}): JsonObject {
  const { messages, ...fields } = body;
  const passes = [withoutRefused, withBound, withTools, withAnswerSchema];
  const changed = passes.reduce((request, pass) => pass(request, dialect), fields);
  return messages === undefined ? changed : { ...changed, messages: dialectMessages(messages, dialect) };
}

type Pass = (body: JsonObject, dialect: Dialect) => JsonObject;

const REFUSABLE = ['store', 'stream_options', 'parallel_tool_calls'] as const;

const withoutRefused: Pass = (body, dialect) => {
  const refused: ReadonlySet<string> = new Set(REFUSABLE.filter((name) => dialect[name] === false));
  return Object.fromEntries(Object.entries(body).filter(([name]) => !refused.has(name)));
};

const withBound: Pass = (body, { max_tokens_field: name }) => {
  const { max_tokens: older, max_completion_tokens: newer, ...rest } = body;
  const bound = newer ?? older;
  return name === undefined || bound === undefined ? body : { ...rest, [name]: bound };
};

const withTools: Pass = (body, dialect) => {
  if (!Array.isArray(body.tools)) return body;
  const tools = body.tools.map((tool: unknown) => {
    if (!isJsonObject(tool) || !isJsonObject(tool.function)) return tool;
    const { strict, parameters, ...rest } = tool.function;
    const called = {
      ...rest,
      ...(isJsonObject(parameters) ? { parameters: schemaFor(parameters, dialect) } : {}),
      ...(strict === undefined || dialect.strict_tools === false ? {} : { strict }),
    };
    return { ...tool, function: called };
  });
  return { ...body, tools };
};

const withAnswerSchema: Pass = (body, dialect) => {
  const { response_format: format } = body;
  const described = isJsonObject(format) ? format.json_schema : undefined;
  if (!isJsonObject(format) || !isJsonObject(described) || !isJsonObject(described.schema)) return body;
  const schema = schemaFor(described.schema, dialect);
  return { ...body, response_format: { ...format, json_schema: { ...described, schema } } };
};

function schemaFor(schema: JsonObject, { schemas, all_properties_required: isWhole }: Dialect): JsonObject {
  const simple = schemas === 'simple' ? simpleSchema(schema) : schema;
  return isWhole === true ? requiredSchema(simple) : simple;
}
