/** The required first results of searches, with any other listings in the index. */
import type { SearchDocument } from '../../core/discovery/search-index.ts';

const listing = (index: number, fields: Partial<SearchDocument>): SearchDocument => ({
  id: `lst_known${String(index).padStart(21, '0')}`,
  kind: 'app',
  category: 'finance',
  ownerId: 'acc_owner',
  revision: 1,
  name: 'Something else',
  tags: '',
  summary: '',
  description: '',
  ...fields,
});

/** Listings with words of their own. */
export const KNOWN: readonly SearchDocument[] = [
  listing(0, { name: 'Invoice Wizard', summary: 'Writes invoices.', tags: 'billing pdf' }),
  listing(1, { name: 'Paper Shuffler', summary: 'Sorts an invoice or two.' }),
  listing(2, { name: 'Clerk', description: 'Among much else it may touch an invoice now and then.' }),
  listing(3, { name: 'Café Übersicht', kind: 'ai-agent', summary: 'Findet Cafés in der Nähe.' }),
  listing(4, { name: '会議の議事録', kind: 'ai-agent', summary: '会議を要約して議事録を作成します。' }),
  listing(5, { name: 'C++ Tutor', tags: 'programming', category: 'education' }),
  listing(6, { name: 'Photograph Restorer', summary: 'Repairs old photographs.' }),
];

interface Case {
  readonly why: string;
  readonly q: string;
  readonly kind?: 'app' | 'ai-agent';
  /** Places in `KNOWN`, best first; the search may find more after them. */
  readonly first: readonly number[];
}

export const CASES: readonly Case[] = [
  {
    why: 'a word of the name before one of the summary before one of the description',
    q: 'invoice',
    first: [0, 1, 2],
  },
  { why: 'a letter left out', q: 'invoce wizard', first: [0] },
  { why: 'two letters that changed places', q: 'wziard', first: [0] },
  { why: 'the beginning of a word, as one types', q: 'photogr', first: [6] },
  { why: 'accents and case make no difference', q: 'CAFE ubersicht', first: [3] },
  { why: 'words in a script without spaces', q: '議事録', first: [4] },
  { why: 'signs that belong to a word', q: 'c++', first: [5] },
  { why: 'all words before some of them', q: 'invoice billing', first: [0] },
  { why: 'one kind only', q: 'cafés', kind: 'ai-agent', first: [3] },
];
