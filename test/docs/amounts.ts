/** `npm run amounts`: writes the amounts in USD of each response, by the service's description, for the console. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeService } from '../../lambdas/app/operations.ts';

interface Schema {
  readonly $ref?: string;
  readonly 'x-unit'?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
}

interface ServiceDescription {
  readonly paths: Record<string, Record<string, { responses: Record<string, ResponseObject> }>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

interface ResponseObject {
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>;
}

const { paths, components } = describeService() as unknown as ServiceDescription;

const nameAt = (path: string, name: string) => (path === '' ? name : `${path}.${name}`);

/** Returns the paths of the amounts in a schema; those in lists have the path of the list. */
function amountsIn(schema: Schema | boolean | undefined, path = ''): readonly string[] {
  if (typeof schema !== 'object') return [];
  if (schema.$ref !== undefined)
    return amountsIn(components.schemas[schema.$ref.split('/').at(-1) ?? ''], path);
  const { properties = {}, anyOf = [], oneOf = [], allOf = [], items, additionalProperties } = schema;
  return [
    ...(schema['x-unit'] === 'USD' ? [path] : []),
    ...Object.entries(properties).flatMap(([name, inner]) => amountsIn(inner, nameAt(path, name))),
    ...[items, ...anyOf, ...oneOf, ...allOf].flatMap((inner) => amountsIn(inner, path)),
    ...amountsIn(additionalProperties, nameAt(path, '*')),
  ];
}

/** Literal paths first, because a parameter matches them too. */
const rows = Object.keys(paths)
  .sort()
  .flatMap((path) =>
    Object.entries(paths[path] ?? {}).flatMap(([method, { responses }]) => {
      const schemas = Object.entries(responses)
        .filter(([status]) => status.startsWith('2'))
        .map(([, { content }]) => content?.['application/json']?.schema);
      const amounts = [...new Set(schemas.flatMap((schema) => amountsIn(schema)))];
      return amounts.length === 0
        ? []
        : [`  '${method.toUpperCase()} ${path}':\n    '${amounts.join(' ')}',\n`];
    }),
  );

export const source = `/** The amounts in USD of each response. \`npm run amounts\` writes this file from the API's schemas. */
// biome-ignore format: generated
export const AMOUNTS: Readonly<Record<string, string>> = {
${rows.join('')}};
`;

if (import.meta.main)
  writeFileSync(join(import.meta.dirname, '..', '..', 'console', 'src', 'api', 'amounts.ts'), source);
