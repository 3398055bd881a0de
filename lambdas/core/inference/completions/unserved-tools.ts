/** Tools of a provider that a call goes without, because no route serves them. */
import type { Model } from '../catalog/catalog-document.ts';
import { readFields } from '../fields/read-fields.ts';
import { meets, type Providers } from '../routing/carries.ts';
import type { ApiFormat, CompletionRequest } from './api-format.ts';

/** Returns the indices of the tools that the request does not force and that no route of the models serves at a price. */
export function unservedTools<Request extends CompletionRequest>(
  { optionalTools, fields, protocol }: Pick<ApiFormat<Request>, 'optionalTools' | 'fields' | 'protocol'>,
  request: Request,
  { models, providers }: { readonly models: readonly Model[]; readonly providers: Providers },
): ReadonlySet<number> {
  const { tools, max_tool_calls } = request;
  const optional = optionalTools?.(request) ?? [];
  if (!Array.isArray(tools) || optional.length === 0) return new Set();
  const candidates = models.flatMap((model) => model.routes.map((route) => ({ model, route })));
  const isServed = (index: number): boolean => {
    const { needs } = readFields(fields, { tools: [tools[index]], max_tool_calls });
    return candidates.some((candidate) => 'terms' in meets(candidate, { protocol, needs }, providers));
  };
  return new Set(optional.filter((index) => !isServed(index)));
}
