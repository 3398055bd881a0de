/** Meanings of generated responses: the oracle of the laws, which no reader of the product has touched. */
import fc from 'fast-check';

/** The end of a response, in the words of no protocol. */
type MeantEnd = 'stop' | 'length' | 'calls' | 'filter';

export type Block =
  | { readonly type: 'text'; readonly pieces: readonly string[] }
  | { readonly type: 'reasoning'; readonly pieces: readonly string[] }
  | {
      readonly type: 'call';
      readonly id: string;
      readonly name: string;
      /** The text of the arguments, in the pieces of a stream. */
      readonly pieces: readonly string[];
    };

export interface Counts {
  /** With the cached ones. */
  readonly prompt: number;
  readonly cached: number;
  readonly output: number;
}

export interface Meaning {
  readonly blocks: readonly Block[];
  readonly end: MeantEnd;
  readonly counts: Counts;
}

export type CallBlock = Extract<Block, { type: 'call' }>;

const isCall = (block: Block): block is CallBlock => block.type === 'call';

export const textOf = ({ blocks }: Pick<Meaning, 'blocks'>): string =>
  blocks.flatMap((block) => (block.type === 'text' ? block.pieces : [])).join('');

export const callsOf = ({ blocks }: Pick<Meaning, 'blocks'>) =>
  blocks.filter(isCall).map(({ name, pieces }) => ({ name, input: JSON.parse(pieces.join('')) }));

/** A share of the counts: that of a response of which so much has arrived. The prompt is counted from the start. */
export const countsAt = ({ prompt, cached, output }: Counts, share: number): Counts => ({
  prompt,
  cached,
  output: Math.floor(output * share),
});

const word = fc.constantFrom(
  'Rain',
  ' at',
  ' noon.',
  '\n\n',
  ' {"a":1}',
  ' 世界',
  ' 👋🏽',
  '"',
  '\\',
  'data: x',
  ' ',
);
const pieces = fc.array(word, { minLength: 1, maxLength: 4 });

const ARGUMENTS = [
  '{}',
  '{"city":"Łódź"}',
  '{"n":1.5,"x":[true,null],"y":{"z":"}"}}',
  '{"text":"a\\n\\"b\\""}',
];

/** The text in pieces, cut at these places. */
function cut(text: string, places: readonly number[]): string[] {
  const characters = [...text];
  const ends = places.map((place) => place % characters.length).sort((a, b) => a - b);
  return [...ends, characters.length].map((end, index) =>
    characters.slice(ends[index - 1] ?? 0, end).join(''),
  );
}

const block: fc.Arbitrary<Block> = fc.oneof(
  pieces.map((parts): Block => ({ type: 'text', pieces: parts })),
  fc
    .tuple(fc.constantFrom(...ARGUMENTS), fc.array(fc.nat(99), { maxLength: 2 }))
    .map(
      ([text, places]): Block => ({ type: 'call', id: '', name: 'get_weather', pieces: cut(text, places) }),
    ),
);

const ENDS: Readonly<Record<'text' | 'calls', readonly MeantEnd[]>> = {
  text: ['stop', 'length', 'filter'],
  calls: ['calls', 'calls', 'length'],
};

/** Responses of text, reasoning and calls, each with at least one text or call. */
export const meanings: fc.Arbitrary<Meaning> = fc
  .record({
    reasoning: fc.option(pieces, { nil: undefined }),
    rest: fc.array(block, { minLength: 1, maxLength: 3 }),
    end: fc.nat(2),
    prompt: fc.integer({ min: 100, max: 600 }),
    cached: fc.nat(100),
    output: fc.integer({ min: 60, max: 900 }),
  })
  .map(({ reasoning, rest, end, ...counts }) => {
    const named = rest.map((each, index) =>
      isCall(each) ? { ...each, id: `call_${index}`, name: `${each.name}_${index}` } : each,
    );
    const thoughts: Block[] = reasoning === undefined ? [] : [{ type: 'reasoning', pieces: reasoning }];
    const ends = ENDS[named.some(isCall) ? 'calls' : 'text'];
    return { blocks: [...thoughts, ...named], end: ends[end] ?? 'stop', counts };
  });
