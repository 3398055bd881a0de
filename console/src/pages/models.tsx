/** Models: the catalog with its prices, and what a call of a given size would cost on each. */
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { type PricedModel, usePrices } from '../api/queries.ts';
import type { PriceBody } from '../api/types.ts';
import { KIND_NAMES, KINDS } from '../api/values.ts';
import { Badge, countText, Loaded, Money, PageHead, Panel } from '../parts/basics.tsx';
import { Input, Select } from '../parts/form.tsx';
import { type Column, Table } from '../parts/table.tsx';

const UNITS: Readonly<Record<PriceBody['unit'], string>> = {
  per_million_tokens: 'per 1M tokens',
  per_image: 'per image',
  per_million_characters: 'per 1M characters',
  per_request: 'per call',
  per_second: 'per second',
  per_minute: 'per minute',
  per_hour: 'per hour',
};

const MILLION = 1_000_000n;

/** Returns whether a call of that size is longer than the model takes; embeddings have no output. */
function isTooLong(
  { type, context_window: context, max_output_tokens: maxOutput }: PriceBody,
  input: bigint,
  requestedOutput: bigint,
): boolean {
  const output = type === 'embeddings' ? 0n : requestedOutput;
  return (
    (context !== undefined && input + output > BigInt(context)) ||
    (maxOutput !== undefined && output > BigInt(maxOutput))
  );
}

/**
 * Returns the cost of these tokens at the standard prices, rounded up once to a nano-dollar. Undefined if a price is
 * not by the token. Tiers, caches and features are left out, and the page states this.
 */
function costOf(price: PriceBody, input: bigint, output: bigint): bigint | undefined {
  if (price.unit !== 'per_million_tokens') return undefined;
  const { input_price: inputPrice = price.price, output_price: outputPrice = 0n } = price;
  return (input * inputPrice + output * outputPrice + MILLION - 1n) / MILLION;
}

const tokensOf = (text: string): bigint => (/^\d{1,9}$/.test(text) ? BigInt(text) : 0n);

export function Models() {
  const prices = usePrices();
  const [kind, setKind] = useState('');
  const [search, setSearch] = useState('');
  const [input, setInput] = useState('20000');
  const [output, setOutput] = useState('2000');
  const shown = ({ model_id: id, aliases, type }: PricedModel) =>
    (kind === '' || type === kind) &&
    [id, ...aliases].some((name) => name.toLowerCase().includes(search.trim().toLowerCase()));
  return (
    <div className="page">
      <PageHead title="Models" about="The catalog in force, at the prices that calls are charged." />
      <div className="filters">
        <Input label="Search" type="search" value={search} onChange={setSearch} placeholder="name" />
        <Select label="Kind" value={kind} onChange={setKind} options={[['', 'All kinds'], ...KINDS]} />
        <Input label="Tokens in" type="number" min="0" value={input} onChange={setInput} />
        <Input label="Tokens out" type="number" min="0" value={output} onChange={setOutput} />
      </div>
      <Loaded query={prices}>
        {(all) => (
          <>
            <Panel flush>
              <Table
                columns={columnsOf(tokensOf(input), tokensOf(output))}
                rows={all.filter(shown)}
                idOf={({ model_id: id }) => id}
                empty="No model matches."
              />
            </Panel>
            <p className="small quiet">
              The last column is the standard price of that many tokens, without caches, tiers or features.
              “Also” are other names for a model; a “default” serves calls of its kind that may leave the
              model out.
            </p>
          </>
        )}
      </Loaded>
    </div>
  );
}

/** `128,000 context · tools, json, vision`. */
const traitsText = ({ context_window: context, capabilities = [] }: PriceBody): string =>
  [
    ...(context === undefined ? [] : [`${countText(context)} context`]),
    ...(capabilities.length === 0 ? [] : [capabilities.join(', ')]),
  ].join(' · ');

const Amount = ({ nano }: { readonly nano: bigint | undefined }) =>
  nano === undefined ? <span className="quiet">–</span> : <Money nano={nano} />;

const columnsOf = (input: bigint, output: bigint): readonly Column<PricedModel>[] => [
  { head: 'Model', cell: (price) => <ModelCell of={price} /> },
  { head: 'Input', right: true, cell: ({ price }) => <Money nano={price} /> },
  { head: 'Cached', right: true, cell: ({ cached_input_price: cached }) => <Amount nano={cached} /> },
  { head: 'Output', right: true, cell: ({ output_price: each }) => <Amount nano={each} /> },
  { head: 'Unit', of: 'small', cell: ({ unit }) => <span className="quiet">{UNITS[unit]}</span> },
  {
    head: 'Would cost',
    right: true,
    cell: (price) =>
      isTooLong(price, input, output) ? (
        <span className="quiet">does not fit</span>
      ) : (
        <Amount nano={costOf(price, input, output)} />
      ),
  },
];

function ModelCell({ of: price }: { readonly of: PricedModel }) {
  const { model_id: id, display_name: name, type, prices, aliases } = price;
  return (
    <>
      <div className="break">
        <Link to="/playground" search={{ model: id }}>
          {id}
        </Link>
      </div>
      <div className="row">
        {name === undefined || name === id ? null : <span className="small">{name}</span>}
        <Badge>{KIND_NAMES[type]}</Badge>
        {price.default ? <Badge tone="good">default</Badge> : null}
        <span className="small quiet">{traitsText(price)}</span>
        {aliases.length === 0 ? null : <span className="small quiet break">also {aliases.join(', ')}</span>}
        {prices === undefined ? null : <MorePrices prices={prices} />}
      </div>
    </>
  );
}

/** The other prices of a call, as the price list has them. */
const MorePrices = ({ prices }: { readonly prices: object }) => (
  <details className="small">
    <summary>More prices</summary>
    <pre className="small break">{JSON.stringify(prices, null, 1)}</pre>
  </details>
);
