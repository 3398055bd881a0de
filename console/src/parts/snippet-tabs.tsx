/** Tabs of ready text for every client. */
import { useState } from 'react';
import { SERVICE } from '../api/client.ts';
import { usePrices } from '../api/queries.ts';
import { Code } from './basics.tsx';
import { Tabs } from './form.tsx';
import { snippets } from './snippets.ts';

/** What stands for a key that is not known any more. */
export const NO_KEY = '<your API key>';

/** A model of the catalog to begin with; until it is known, what stands for one. */
export function useExampleModel(): string {
  const prices = usePrices();
  return prices.data?.find(({ type }) => type === 'chat')?.model_id ?? '<model>';
}

export function SnippetTabs({ apiKey, model }: { readonly apiKey: string; readonly model: string }) {
  const known = snippets(SERVICE, apiKey, model);
  const [current, setCurrent] = useState('curl');
  const shown = known.find(({ id }) => id === current);
  return (
    <div className="stack">
      <Tabs
        label="Clients"
        tabs={known.map(({ id, name }) => [id, name] as const)}
        current={current}
        onChange={setCurrent}
      />
      <div role="tabpanel" aria-label={shown?.name}>
        <Code text={shown?.text ?? ''} label={shown?.name ?? ''} />
      </div>
    </div>
  );
}
