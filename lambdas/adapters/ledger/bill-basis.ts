/** What a bill was made from, in a usage record: its lines as one short text, so that a record takes one write unit. */
import type { BillBasis, BillLine } from '../../core/ledger/usage-record.ts';
import { type Item, number, readInteger, text } from '../dynamodb/attribute-values.ts';

/** `input*1000@3000000000/1000000`: a quantity of an item, at a price in nano-USD for `per` of them. Items hold no blank. */
const lineText = ({ item, quantity, price, per }: BillLine): string => `${item}*${quantity}@${price}/${per}`;

const LINE = /^(.+)\*([^*@]+)@(\d+)\/(\d+)$/;

function readLine(line: string): BillLine {
  const [, item = '', quantity = '', price = '', per = ''] = LINE.exec(line) ?? [];
  if (item === '') throw new Error('a line of a bill cannot be read');
  return { item, quantity: Number(quantity), price: BigInt(price), per: Number(per) };
}

export const encodeBasis = (basis: BillBasis): Item => ({
  ...(basis.lines === undefined || basis.lines.length === 0
    ? {}
    : { lines: text(basis.lines.map(lineText).join(' ')) }),
  ...(basis.waived === undefined || basis.waived === 0n ? {} : { waived: number(basis.waived) }),
  ...(basis.catalog === undefined ? {} : { catalog: text(basis.catalog) }),
  ...(basis.serviceTier === undefined ? {} : { service_tier: text(basis.serviceTier) }),
  ...(basis.region === undefined ? {} : { region: text(basis.region) }),
  ...(basis.providerCost === undefined ? {} : { provider_cost: number(basis.providerCost) }),
});

export const decodeBasis = (item: Item): BillBasis => ({
  ...(item.lines?.S === undefined ? {} : { lines: item.lines.S.split(' ').map(readLine) }),
  ...(item.waived === undefined ? {} : { waived: readInteger(item, 'waived') }),
  ...(item.catalog?.S === undefined ? {} : { catalog: item.catalog.S }),
  ...(item.service_tier?.S === undefined ? {} : { serviceTier: item.service_tier.S }),
  ...(item.region?.S === undefined ? {} : { region: item.region.S }),
  ...(item.provider_cost === undefined ? {} : { providerCost: readInteger(item, 'provider_cost') }),
});
