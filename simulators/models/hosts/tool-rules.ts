/** What strict hosts refuse of tools, and of the schemas of their parameters. */
import { functionsOf, isJson, isSet, type Json, objectsIn } from './json-body.ts';
import type { Rule } from './request-rules.ts';

export const noStrictTools: Rule = (body) => {
  const index = functionsOf(body).findIndex(({ strict }) => isSet(strict));
  return index < 0 ? undefined : { field: `tools.${index}.function.strict`, reason: 'Unknown field' };
};

export const noCustomTools: Rule = ({ tools }) => {
  const index = objectsIn(tools).findIndex(({ type }) => type === 'custom');
  return index < 0 ? undefined : { field: `tools.${index}.type`, reason: 'Unsupported tool type' };
};

/** Keywords whose values are schemas by name, those that hold one, and those that hold a list. */
const NAMED = ['properties', '$defs', 'definitions', 'patternProperties'];
const NESTED = ['items', 'additionalProperties', 'not', 'contains'];
const LISTED = ['anyOf', 'allOf', 'oneOf', 'prefixItems', 'items'];

/** A schema and all schemas within it. */
function* schemasIn(schema: unknown): Generator<Json> {
  if (!isJson(schema)) return;
  yield schema;
  for (const keyword of NAMED)
    for (const inner of Object.values(isJson(schema[keyword]) ? schema[keyword] : {}))
      yield* schemasIn(inner);
  for (const keyword of NESTED) yield* schemasIn(schema[keyword]);
  for (const keyword of LISTED) for (const inner of objectsIn(schema[keyword])) yield* schemasIn(inner);
}

/** The first tool with a schema that the rule is against. */
const noSchemaThat =
  (reason: string, isWrong: (schema: Json) => boolean): Rule =>
  (body) => {
    const index = functionsOf(body).findIndex(({ parameters }) => schemasIn(parameters).some(isWrong));
    return index < 0 ? undefined : { field: `tools.${index}.function.parameters`, reason };
  };

const isTuple = ({ items, prefixItems }: Json): boolean => Array.isArray(items) || isSet(prefixItems);

export const simpleSchemas = noSchemaThat(
  'The schema has a tuple, a type beside anyOf, or an enum without a type',
  (schema) =>
    isTuple(schema) ||
    (isSet(schema.anyOf) && isSet(schema.type)) ||
    (isSet(schema.enum) && schema.type === undefined),
);

export const allRequired = noSchemaThat('Every property must be required', ({ properties, required }) => {
  const names: readonly unknown[] = Array.isArray(required) ? required : [];
  return isJson(properties) && Object.keys(properties).some((name) => !names.includes(name));
});
