/**
 * The ways in which hosts that speak OpenAI's wire format differ from it, by name. The path of a request names those of
 * its host: `/hosts/no-store,no-done/v1/chat/completions`; `none` is a host without any.
 */
import { RequestError } from '../exchange/request-error.ts';
import { RESPONSES } from './answer-quirks.ts';
import { STRICT } from './strict-quirks.ts';
import { THINKING } from './thinking.ts';

export type StrictQuirk = keyof typeof STRICT;
export type ResponseQuirk = keyof typeof RESPONSES;
export type Quirk = StrictQuirk | keyof typeof THINKING | ResponseQuirk;

export const STRICT_QUIRKS = Object.keys(STRICT) as StrictQuirk[];
export const RESPONSE_QUIRKS = Object.keys(RESPONSES) as ResponseQuirk[];
export const QUIRKS: readonly Quirk[] = [
  ...STRICT_QUIRKS,
  ...(Object.keys(THINKING) as (keyof typeof THINKING)[]),
  ...RESPONSE_QUIRKS,
];

/** The name of a host that does as the format says. */
const NONE = 'none';

const isQuirk = (name: string): name is Quirk => QUIRKS.some((quirk) => quirk === name);

/** The quirks that a segment of the path names. Throws `RequestError` for a name that is not one. */
export function quirksOf(segment: string): ReadonlySet<Quirk> {
  const names = segment === NONE ? [] : segment.split(',');
  const unknown = names.find((name) => !isQuirk(name));
  if (unknown !== undefined)
    throw new RequestError(`There is no quirk '${unknown}'; there are: ${QUIRKS.join(', ')}.`, [], {
      status: 404,
      body: { error: { message: `There is no quirk '${unknown}'.`, quirks: QUIRKS } },
    });
  return new Set(names.filter(isQuirk));
}
