/**
 * The allowed values of a listing's fields. The endpoints validate with them, and the API's description is generated
 * from them.
 */
import * as z from 'zod';
import { storedText } from '../../../platform/core/json/stored-text.ts';

/** Long enough for any product's description, short enough that a page of 100 listings stays below Lambda's 6 MB. */
const MAX_DESCRIPTION = 10_000;

/** Each tag is searched; more of them describe nothing better. */
const MAX_TAGS = 20;

/** About 10 million in any currency: more is a mistake in units. */
const MAX_PRICE = 1_000_000_000;

/**
 * Characters that are invisible or change the order of the text. These are control and format characters (including
 * bidirectional overrides and zero-width ones), private ones, halves of pairs, line breaks, and blank letters.
 */
const UNSEEN = '\\p{Cc}\\p{Cf}\\p{Co}\\p{Cs}\\p{Zl}\\p{Zp}\u034f\u115f\u1160\u3164\uffa0';

/**
 * Patterns of the API's description, for readers without Unicode properties as well (Python's `re`, RE2). Each allows
 * everything that is accepted, and slightly more that is rejected, as its description states.
 */
const LINE = '^[^\\x00-\\x1f\\x7f-\\x9f\u2028\u2029]*$';
const LETTER = '[^\\x00-\\x2f:-@\\[-`{-\\xa0\u2028\u2029]';

/** Letters, digits and punctuation of any script, on one line. */
const line = (maxLength: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(maxLength)
    .regex(new RegExp(`^[^${UNSEEN}]*$`, 'u'), 'must be one line of text, without invisible characters')
    .meta({ pattern: LINE, description: 'One line of text, without invisible characters.' });

const MIN_SLUG = 2;

const slug = z
  .string()
  .min(MIN_SLUG)
  .max(64)
  .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'must be lower-case letters and digits, in words joined by hyphens');

/** The category, compared exactly. */
export const category = z
  .string()
  .trim()
  .min(1)
  .max(40)
  .regex(
    new RegExp(`^(?!.*[${UNSEEN}])[\\p{L}\\p{N}]+([ &/+-]{1,3}[\\p{L}\\p{N}]+)*$`, 'u'),
    'must be words of letters and digits',
  )
  .meta({
    pattern: `^${LETTER}+([ &/+-]{1,3}${LETTER}+)*$`,
    description: 'Words of letters and digits of any script, between them up to three of: space, &, /, +, -.',
  });

const tag = z
  .string()
  .trim()
  .min(1)
  .max(32)
  .regex(/^[\p{L}\p{N}]+([ ._+#-]{1,2}[\p{L}\p{N}]+)*[+#]*$/u, 'must be words of letters and digits')
  .meta({
    pattern: `^${LETTER}+([ ._+#-]{1,2}${LETTER}+)*[+#]*$`,
    description:
      'Words of letters and digits of any script, between them one or two of: space, ., _, +, #, -.',
  });

/** Semantic Versioning 2.0.0, section 2 and 9 (semver.org), without build metadata, which does not order. */
export const version = z
  .string()
  .max(64)
  .regex(
    /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?$/,
    'must be a semantic version, for example 1.4.0',
  );

/** A URL that browsers follow. A listing is shown to strangers, so its URL has no credentials and no other scheme. */
const webUrl = z
  .string()
  .max(2048)
  .refine(isWebUrl, 'must be an https URL without credentials')
  .meta({ format: 'uri' });

function isWebUrl(value: string): boolean {
  const url = value.isWellFormed() && URL.canParse(value) ? new URL(value) : undefined;
  return url?.protocol === 'https:' && url.username === '' && url.password === '' && url.hostname !== '';
}

const EMAIL = /^[A-Za-z0-9_.+-]{1,64}@[A-Za-z0-9-]+([.][A-Za-z0-9-]+)+$/;

/** The address at which buyers reach the seller: only what the seller enters here, never that of its identity. */
const contact = z
  .string()
  .max(254)
  .refine(
    (value) => EMAIL.test(value) || isWebUrl(value),
    'must be an e-mail address, or an https URL without credentials',
  )
  .meta({
    pattern: `^(https://.+|${EMAIL.source.slice(1, -1)})$`,
    description: 'An e-mail address or an https URL, which everybody sees.',
  });

const CURRENCIES: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'));

export const price = z.object({
  amount: z
    .int()
    .min(0)
    .max(MAX_PRICE)
    .describe("In the currency's minor unit: 1999 is 19.99 USD; 0 is free."),
  currency: z
    .string()
    .refine((code) => CURRENCIES.has(code), 'must be an ISO 4217 currency code, for example USD')
    .meta({ pattern: '^[A-Z]{3}$', description: 'ISO 4217 code.' }),
});

/** Returns a name as a slug. A name with less than two Latin letters or digits gets the end of the listing's id as well. */
export function slugOf(name: string, id: string): string {
  const words = latinWords(name);
  return words.length >= MIN_SLUG ? words : `${words}-${id.slice(-8).toLowerCase()}`.replace(/^-/, '');
}

const latinWords = (name: string): string =>
  name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 64)
    .replace(/^-+|-+$/g, '');

/** The interval of a plan's charges. */
export const INTERVALS = ['month', 'year'] as const;
export type Interval = (typeof INTERVALS)[number];

/** A page shows them next to one another. */
const MAX_PLANS = 10;

/** A plan of a subscription. Credit is in dollars, so a plan is. */
export const plan = z.object({
  id: z
    .string()
    .min(1)
    .max(32)
    .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'must be lower-case letters and digits, in words joined by hyphens'),
  name: line(80),
  interval: z.enum(INTERVALS),
  amount: z.int().min(1).max(MAX_PRICE).describe('In cents, for each interval.'),
  currency: z.literal('USD'),
  trial_days: z.int().min(0).max(90).default(0).describe('Days before the first charge.'),
});

const fields = {
  name: line(80),
  slug: slug.describe('Unique among the listings of its kind.'),
  summary: line(160),
  description: storedText().max(MAX_DESCRIPTION),
  category,
  tags: z
    .array(tag)
    .max(MAX_TAGS)
    .refine((tags) => new Set(tags).size === tags.length, 'must not name a tag twice')
    .meta({ uniqueItems: true }),
  version,
  price: price
    .nullable()
    .describe(
      'The price of a purchase, which entitles for ever. `null` without plans: the listing is free. `null` with plans: it is sold by subscription only. 0 with plans is rejected.',
    ),
  plans: z
    .array(plan)
    .max(MAX_PLANS)
    .refine((plans) => new Set(plans.map(({ id }) => id)).size === plans.length, 'must not name a plan twice')
    .describe('The plans of a subscription. A change affects new subscriptions only.'),
  url: webUrl.nullable(),
  icon_url: webUrl.nullable(),
  seller: line(80).nullable().describe('The name of the seller, which everybody sees.'),
  contact: contact.nullable(),
};

/** The body that creates a listing. Response fields that are missing here are set by the service and ignored. */
export const newListing = z.object({
  ...fields,
  slug: fields.slug.optional().describe('Made from the name when it is left out.'),
  description: fields.description.default(''),
  tags: fields.tags.default([]),
  version: fields.version.default('1.0.0'),
  price: fields.price.default(null),
  plans: fields.plans.default([]),
  url: fields.url.default(null),
  icon_url: fields.icon_url.default(null),
  seller: fields.seller.default(null),
  contact: fields.contact.default(null),
});

/** The body that changes a listing: omitted fields stay unchanged. */
export const listingChange = z.object(fields).partial();
