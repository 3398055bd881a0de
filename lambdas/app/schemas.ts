/** Our schemas in the form that OpenAPI 3.1 takes: JSON Schema, draft 2020-12. */
import * as z from 'zod';
import { COMPONENTS } from './components.ts';

/** The name of each component; a schema that holds one refers to it. */
const registry = z.registry<{ id: string }>();
for (const [id, schema] of Object.entries(COMPONENTS)) registry.add(schema, { id });

export type ComponentName = keyof typeof COMPONENTS;

export type JsonSchema = Readonly<Record<string, unknown>>;

/** A refinement or a transformation is any value here; its description contains the details. */
const OPTIONS = { target: 'draft-2020-12', io: 'input', unrepresentable: 'any' } as const;

/** Returns the schema of a request, or of a response that is not a component. */
export const inlineSchema = (schema: z.ZodType): JsonSchema => withoutNames(z.toJSONSchema(schema, OPTIONS));

const withoutNames = ({ $schema: _dialect, $id: _id, ...converted }: JsonSchema): JsonSchema => converted;

/**
 * Returns the schema of a form that contains one file (OpenAPI 3.1, "Considerations for File Uploads": bytes have no
 * separate schema).
 */
export function formSchema({
  fields,
  file,
}: {
  readonly fields: z.ZodObject;
  readonly file: string;
}): JsonSchema {
  const {
    properties = {},
    required = [],
    ...rest
  } = inlineSchema(fields) as { properties?: JsonSchema; required?: readonly string[] };
  const content = {
    type: 'string',
    format: 'binary',
    contentMediaType: 'application/octet-stream',
    description: 'A part with a file name, in the format that its extension names.',
  };
  return { ...rest, properties: { [file]: content, ...properties }, required: [file, ...required] };
}

const pathOf = (name: string): string => `#/components/schemas/${name}`;

export const reference = (name: ComponentName): JsonSchema => ({ $ref: pathOf(name) });

/** Returns the schema of a response of the service. The service may add fields to a response at any time. */
export function responseSchema(schema: z.ZodType): JsonSchema {
  const name = registry.get(schema)?.id;
  return name === undefined ? inlineSchema(schema) : { $ref: pathOf(name) };
}

/** Every component by its name. */
export function componentSchemas(): Record<string, JsonSchema> {
  const { schemas } = z.toJSONSchema(registry, { ...OPTIONS, uri: pathOf });
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, withoutNames(schema)]));
}

/** Query parameters arrive as text, but are described by what they mean. */
const PARAMETERS: Readonly<Record<string, JsonSchema>> = {
  limit: { type: 'integer', minimum: 1, maximum: 100 },
};

const DESCRIPTIONS: Readonly<Record<string, string>> = {
  limit: 'Entries per page.',
  after_id: 'Entries behind this one.',
  before_id: 'Entries before this one.',
  cursor: 'The `next_cursor` of the previous page.',
  start: 'Calls at or after this time: ISO 8601, or seconds since the epoch.',
  end: 'Calls before this time: ISO 8601, or seconds since the epoch.',
  kind: 'Only listings of this kind.',
  category: 'Only listings of this category.',
  window: 'The period whose installs count.',
};

export function queryParameters(query: z.ZodObject): readonly JsonSchema[] {
  const { properties = {}, required = [] } = inlineSchema(query) as {
    properties?: Record<string, JsonSchema>;
    required?: readonly string[];
  };
  return Object.entries(properties).map(([name, schema]) => {
    const { description = DESCRIPTIONS[name] ?? name, ...rest } = schema;
    return {
      name,
      in: 'query',
      required: required.includes(name),
      description,
      schema: rest.type === 'integer' ? rest : (PARAMETERS[name] ?? rest),
    };
  });
}
