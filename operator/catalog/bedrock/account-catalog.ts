/** The catalog of an account: what Bedrock offers to it in the region of the stage, and in one more of its geography. */
import type { RouteAccess } from '../../calls/route-access.ts';
import { type Markup, markupOf } from '../import/imported-model.ts';
import { readAudioModels } from './audio-models.ts';
import { type RegionOffer, readRegionOffer } from './control-plane.ts';
import { type Discovery, defaultResidency, discoverCatalog, type Residency } from './discover.ts';
import { geographiesOf, isSameGeography } from './ids.ts';
import { BedrockPrices } from './prices.ts';

export interface AccountCatalogOptions {
  /** Further regions; by default one of the same geography. */
  readonly regions?: readonly string[];
  readonly residency?: Residency | undefined;
  readonly markup?: Markup;
  /** The table of prices; by default the committed one. */
  readonly pricesFile?: string | undefined;
  readonly now: Date;
}

interface AccountCatalog extends Omit<Discovery, 'document'> {
  readonly json: string;
  readonly residency: Residency;
  /** The regions that were read. */
  readonly regions: readonly string[];
  /** The regions that were not, each with the reason. */
  readonly unread: readonly string[];
}

/** The second region of a geography; it has Bedrock, and no account must enable it. */
const SECOND_REGIONS: Readonly<Record<string, string>> = {
  'us-east-1': 'us-west-2',
  'us-west-2': 'us-east-1',
  'us-east-2': 'us-west-2',
  'eu-west-1': 'eu-central-1',
  'eu-central-1': 'eu-west-1',
  'ap-northeast-1': 'ap-northeast-3',
};

/**
 * Reads the lists of the account and makes the catalog. Throws if those of the stage's region cannot be read, or if no
 * model is left.
 */
export async function readAccountCatalog(
  routes: RouteAccess,
  { regions, residency: requested, markup = markupOf('0%'), pricesFile, now }: AccountCatalogOptions,
): Promise<AccountCatalog> {
  const own = await routes.region();
  const residency = requested ?? defaultResidency(own);
  const further = residency === 'region' ? [] : (regions ?? [SECOND_REGIONS[own] ?? []].flat());
  for (const region of further)
    if (residency === 'geography' && !isSameGeography(own, region))
      throw new Error(
        `--region ${region} is not in the geography of ${own} (${geographiesOf(own).join(', ')}): add --residency global, or leave it out`,
      );
  const offers: [RegionOffer, ...RegionOffer[]] = [await readRegionOffer(routes, own)];
  const unread: string[] = [];
  for (const region of further.filter((name) => name !== own)) {
    try {
      offers.push(await readRegionOffer(routes, region));
    } catch (failure) {
      unread.push(`${region}: ${(failure as Error).message}`);
    }
  }
  const prices = new BedrockPrices(pricesFile);
  const audio = await readAudioModels(routes, prices.ofOtherServices);
  const others = audio.models;
  const { document, leftOut } = discoverCatalog({ offers, residency, markup, prices, others, now });
  if (document.models.length === 0)
    throw new Error(`Bedrock in ${own} offers no model that has a price and stays in the ${residency}`);
  const json = `${JSON.stringify(document, null, 2)}\n`;
  return {
    json,
    leftOut: [...leftOut, ...audio.leftOut],
    residency,
    regions: offers.map(({ region }) => region),
    unread,
  };
}
