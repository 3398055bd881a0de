/** Tabs of ready text for every client. */
import { useState } from 'react';
import { SERVICE } from '../../api/client.ts';
import { usePrices } from '../../api/queries.ts';
import type { PolicyBody } from '../../api/types.ts';
import { Code, Panel } from '../basics.tsx';
import { Tabs } from '../form.tsx';
import { snippets } from './clients.ts';
import { exampleOf, type SnippetRequest } from './requests.ts';

/** The placeholder for a key that is no longer available. */
const NO_KEY = '<your API key>';

/** Returns an example request for a model that a policy allows. */
export const useExample = (policy?: PolicyBody): SnippetRequest => exampleOf(usePrices().data ?? [], policy);

export function SnippetTabs({
  apiKey = NO_KEY,
  request,
}: {
  readonly apiKey?: string;
  readonly request: SnippetRequest;
}) {
  const { model: name } = request.body;
  const model = usePrices().data?.find(
    ({ model_id: id, aliases }) => id === name || aliases.includes(`${name}`),
  );
  const allSnippets = snippets(SERVICE, apiKey, request, model);
  const [current, setCurrent] = useState('curl');
  const shown = allSnippets.find(({ id }) => id === current) ?? allSnippets[0];
  if (shown === undefined) return null;
  return (
    <div className="stack">
      <Tabs
        label="Clients"
        tabs={allSnippets.map(({ id, name }) => [id, name] as const)}
        current={shown.id}
        onChange={setCurrent}
      />
      <div role="tabpanel" aria-label={shown.name}>
        <Code text={shown.text} label={shown.name} />
      </div>
    </div>
  );
}

/** The request that a trial of the playground would make, unless what is filled in makes none. */
export function AsCode({ of: requestOf }: { readonly of: () => SnippetRequest }) {
  let shown: SnippetRequest | Error;
  try {
    shown = requestOf();
  } catch (failure) {
    shown = failure as Error;
  }
  return (
    <Panel title="As code">
      {shown instanceof Error ? <p className="quiet">{shown.message}</p> : <SnippetTabs request={shown} />}
    </Panel>
  );
}
