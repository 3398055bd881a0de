/** Models and routes as the catalog has them: a chat model with one route, but for the fields that a test gives. */
import { type Candidate, type Model, parseCatalog } from '../../core/catalog/catalog-document.ts';

type Fields = Readonly<Record<string, unknown>> & { readonly routes?: readonly object[] | undefined };

/** A model of a catalog document. */
export const modelDocument = ({ routes = [{}], ...fields }: Fields = {}) => ({
  id: 'a/b',
  type: 'chat',
  owned_by: 'a',
  created: 1,
  price: { unit: 'per_million_tokens', input: 1, output: 2 },
  ...fields,
  routes: routes.map((route, index) => ({
    id: `route-${index}`,
    protocol: 'openai',
    base_url: 'https://a.test/v1',
    upstream_model: 'm',
    ...route,
  })),
});

export const modelsOf = (...models: readonly Fields[]): readonly Model[] =>
  parseCatalog({ models: models.map(modelDocument) }).models;

/** The model with each of its routes. */
export const candidatesOf = (fields: Fields = {}): readonly Candidate[] =>
  modelsOf(fields).flatMap((model) => model.routes.map((route) => ({ model, route })));

/** The model with its first route. */
export function candidateOf(fields: Fields = {}): Candidate {
  const [candidate] = candidatesOf(fields);
  if (candidate === undefined) throw new Error('the model has no route');
  return candidate;
}
