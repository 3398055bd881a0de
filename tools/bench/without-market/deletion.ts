/** The deletion of the market from the tree: what goes, and the registrations that go with it. */

/** The files and folders of the market. */
export const REMOVED: readonly string[] = [
  'lambdas/marketplace',
  'lambdas/platform/contract/market-consumers.ts',
  'lib/constructs/market.ts',
  'lib/constructs/market.test.ts',
  'operator/service/market.ts',
  'operator/commands/market.ts',
  'operator/commands/market.test.ts',
  'operator/restore/builds.ts',
  'operator/restore/builds.test.ts',
  'operator/up/market.ts',
  'operator/up/market.test.ts',
  'console/src/api/build-upload.ts',
  'console/src/api/earnings-statement.ts',
  'console/src/api/market.ts',
  'console/src/api/market-values.test.ts',
  'console/src/api/offers.ts',
  'console/src/api/offers.test.ts',
  'console/src/api/plans.ts',
  'console/src/api/plans.test.ts',
  'console/src/api/sales.ts',
  'console/src/pages/earnings.tsx',
  'console/src/pages/installed.tsx',
  'console/src/pages/listing.tsx',
  'console/src/pages/market.tsx',
  'console/src/parts/earnings',
  'console/src/parts/listing',
  'console/src/parts/operator/sellers.tsx',
  'tools/bench/market',
  'tools/bench/without-market',
  'tools/local/aws/builds/build-services.ts',
  'tools/local/aws/builds/builds.test.ts',
  'tools/local/aws/builds/malware-protection.ts',
  'tools/local/aws/builds/scan-engine.ts',
  'tools/simulators/payments/connect',
  'examples/listing-to-payout',
  'examples/marketplace-app',
  'test/architecture/events.ts',
  'test/browser/sales.test.ts',
  'test/browser/without-market.test.ts',
  'test/clamav',
  'test/deploy/removed-build.ts',
  'test/extractors',
  'test/market',
  // The documentation describes the market.
  'test/docs/architecture.test.ts',
  'test/docs/fields.test.ts',
  'test/docs/pages.test.ts',
  'test/docs/tables.test.ts',
  'test/docs/unreported-usage.test.ts',
  'test/docs/webhooks.test.ts',
  // The state of a release has sales.
  'test/releases/fixture',
  'test/releases/fixture.test.ts',
  'test/releases/restored-service.ts',
  'test/system/market-examples.test.ts',
  'test/system/platform/builds.ts',
  'test/system/platform/earnings.ts',
  'test/system/platform/listings.ts',
  'test/system/platform/payouts.ts',
  'test/system/platform/subscriptions.ts',
  'test/system/without-market.test.ts',
  'test/template/payouts.test.ts',
  'test/template/uploads.test.ts',
  'test/template/without-market.test.ts',
];

/** A registration, or an example in a test of another context: the text that goes, and the text in its place. */
export type Edit = readonly [path: string, pattern: RegExp, replacement?: string];

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** Returns a pattern of whole lines that contain one of these texts. */
const lines = (...texts: readonly string[]): RegExp =>
  new RegExp(`^.*(?:${texts.map((text) => escaped(text)).join('|')}).*\n`, 'gm');

/** Returns a pattern of the lines from one that begins so to the next that is only this, both included. */
const block = (from: string, to: string): RegExp =>
  new RegExp(`^${escaped(from)}[\\s\\S]*?\n${escaped(to)}\n`, 'm');

/** The descriptions of responses of the market, in the types of the console. */
const CONSOLE_TYPES =
  /^.*\b(?:sellerSummarySchema|Earnings\w*|\w*Subscription\w*|Entitlement\w*|Build\w*|Artifact\w*|Payout\w*|Listing\w*|Acquisition\w*|Review\w*|Release\w*|Category|charges)\b.*\n/gm;

export const EDITS: readonly Edit[] = [
  ['lambdas/app/routes.ts', lines('MARKETPLACE', 'HAS_MARKET')],
  ['lambdas/app/operations.ts', lines('MARKETPLACE', 'HAS_MARKET')],
  ['lambdas/app/components.ts', lines('MARKETPLACE', 'HAS_MARKET')],
  ['lambdas/app/handlers/registered.ts', lines('/marketplace/')],
  ['lambdas/app/handlers/registered.ts', /\[create(EarningsCheck|PayoutHint)\]/g, '[]'],
  ['lambdas/platform/contract/consumers.ts', lines('MARKET_CONSUMERS')],
  ['lib/config/grants.ts', lines('MARKETPLACE')],
  ['lib/config/memory.ts', block('  // 50,000 listings:', "  'record-scans': 1024,")],
  ['lib/stacks/service-stack.ts', lines('/constructs/market.ts', 'new Market(')],
  ['operator/commands/commands.ts', lines('MARKET_COMMANDS')],
  ['operator/operator.ts', lines('/service/market.ts')],
  ['operator/operator.ts', block('    /** Throws an error if the deployment has no market. */', '    },')],
  [
    'operator/restore/restore.ts',
    lines('./builds.ts', 'restoreBuildsOf', 'readonly builds', 'Undefined without a'),
  ],
  ['operator/restore/restore.ts', /, builds \}/, ' }'],
  ['operator/up/run.ts', block('  if (await removesMarket(', '  }')],
  ['operator/up/run.ts', lines('removesMarket', 'stackNameOf', 'stacks that import', 'const SERVICE')],
  ['console/src/api/types.ts', CONSOLE_TYPES],
  ['console/src/app/pages.ts', lines("'/earnings'", "'/market", "'/installed'")],
  ['console/src/app/shell.tsx', lines("  ['/earnings'", "  ['/market'", "  ['/installed'")],
  [
    'console/src/parts/statement.tsx',
    lines('earnings-statement.ts', 'useEarningsStatement', 'const hasEarnings'),
  ],
  ['console/src/parts/statement.tsx', block('      {hasEarnings ? (', '      ) : null}')],
  ['console/src/parts/statement.tsx', /\{hasEarnings \? 'halves' : undefined\}/, '"flush"'],
  [
    'console/src/app/router.tsx',
    lines("page('/earnings'", "page('/market", "page('/installed'", 'sectionOf ='),
  ],
  [
    'console/src/app/router.tsx',
    /^ {2}createRoute\(\{\n {4}getParentRoute: \(\) => root,\n {4}path: '\/market',[\s\S]*?\n {2}\}\),\n/m,
  ],
  ['console/src/pages/operator.tsx', lines('Sellers')],
  ['console/src/pages/operator.tsx', /VIEWS\.filter\(.*\);/, 'VIEWS;'],
  ['tools/bench/run.ts', lines('measureMarket', 'measureWithoutMarket')],
  ['tools/bench/figures/measured-code.ts', block('  market: {', '  },')],
  ['tools/bench/mutants/areas.ts', lines('lambdas/marketplace/')],
  [
    'tools/local/runtime.ts',
    lines('createBuildServices', 'chooseEngine', 'const scans =', 'VARIABLES.buildScan'),
  ],
  ['tools/local/runtime.ts', / scanner: engine\.name,/, ''],
  ['tools/local/runtime.ts', /, scanner \}/, ' }'],
  ['tools/simulators/payments/checkout.ts', lines('oConnectRecords')],
  [
    'tools/simulators/payments/sandbox.ts',
    lines(
      './connect/connect.ts',
      'pageHeaders',
      'accounts: Connect',
      'new Connect(',
      '      connect,',
      'accounts: connect',
      'connect.stop()',
      'readonly connect: Connect',
      'connect.call(',
    ),
  ],
  [
    'tools/simulators/payments/sandbox.ts',
    /\} else if \(pathname\.startsWith\('\/connect\/'\)\)[\s\S]*?\} else \{/,
    '} else {',
  ],
  ['tools/simulators/payments/sandbox.ts', / checkouts, connect, faults,/, ' checkouts, faults,'],
  ['test/reach.ts', lines('  marketplace: [')],
  ['test/reach.ts', /, 'test\/system\/market-examples\.test\.ts'/],
  [
    'test/reach.test.ts',
    /\['test\/system\/examples\.test\.ts', 'test\/system\/market-examples\.test\.ts'\]/,
    "['test/system/examples.test.ts']",
  ],
  ['test/architecture/layers.ts', lines('  marketplace: [')],
  ['test/architecture.test.ts', lines('events.ts')],
  [
    'test/architecture/grants.ts',
    lines('list-operator-sellers', "listing: 'listings'", "review: 'listings'", "release: 'listings'"),
  ],
  ['test/architecture/grants.ts', block("  it('allow reading a key, listing or release", '  });')],
  ['test/architecture/grants.ts', block("  it('allow reading the listings", '  });')],
  ['test/architecture/grants.ts', / && name !== 'get-jwks'/],
  ['test/architecture/grants.ts', /(?<=const taking = functions\.filter\(\n\s*\(\{ )name, /],
  ['test/deploy/deploy.test.ts', lines('RemovedBuild', 'build.create(', 'build.read(', '.builds)')],
  ['tools/bench/mutants/areas.ts', / 'marketplace',/, ''],
  // Examples of the market in tests of the whole.
  ['lambdas/app/described-answers.test.ts', block("  it('rejects a page with an entry", '  });')],
  ['lambdas/app/described-values.test.ts', lines('/marketplace/')],
  ['lambdas/app/described-values.test.ts', block("  it('allow every name, category and tag", '  });')],
  [
    'lambdas/app/described-values.test.ts',
    /^ {2}it\('[^\n]*\n(?:(?! {2}\}\);)[^\n]*\n)*?[^\n]*'If-Match'[\s\S]*?\n {2}\}\);\n/m,
  ],
  ['lambdas/app/document.test.ts', lines('/marketplace/', 'import { COMPONENTS }')],
  ['lambdas/app/document.test.ts', block("    const listing = document.paths['/apps']", '    });')],
  ['lambdas/app/document.test.ts', block("  it('describes a listing as", '  });')],
  [
    'lib/constructs/service-function.test.ts',
    lines("'search-listings': 1536", "'build-search-index': 2048", "'record-scans': 1024"),
  ],
  [
    'test/endpoints/malformed-bodies.test.ts',
    lines(
      '/marketplace/',
      '  newListing,',
      '  listingChange,',
      '  newReview,',
      '  newRelease,',
      '  purchaseRequest,',
    ),
  ],
  ['test/endpoints/quotas.test.ts', /^import (?:type )?\{[^}]*\} from '[^']*\/marketplace\/[^']*';\n/gm],
  [
    'test/endpoints/quotas.test.ts',
    lines('let listings:', 'listings = new', 'const owned =', 'const newRelease =', 'const event ='),
  ],
  ['console/src/api/responses.test.ts', block("  it('depend on the response", '  });')],
  ['test/docs/amounts.test.ts', / 'sale\.refunded',/],
  [
    'test/system/interface/access.ts',
    lines(
      "'/apps/nothing'",
      ', LISTING,',
      'const LISTING =',
      'let listing:',
      'LISTING, slug',
      'listing = (await',
    ),
  ],
  ['test/system/interface/access.ts', block("  it.each(['/apps',", '  );')],
  ['test/system/interface/access.ts', block("  it('changes and deletes a listing", '  });')],
  [
    'test/system/interface/catalogs.ts',
    lines("  '/ai-agents': [", "  '/apps': [", "  '/categories': [", "  '/search': [", "  '/trending': ["),
  ],
  ['test/system/platform/operator-view.ts', lines("'../owner.ts'")],
  ['test/system/platform/operator-view.ts', block("  it('shows a seller with its sales", '  });')],
  ['test/system/maintenance.test.ts', / '\/apps',/],
  ['test/endpoints/quotas.test.ts', block('const tally =', '  );')],
  ['test/endpoints/quotas.test.ts', block('let createdCount = 0;', '}')],
  ['test/endpoints/quotas.test.ts', block('const LISTINGS: Kind = {', '};')],
  ['test/endpoints/quotas.test.ts', block("describe('the activity of an account on listings'", '});')],
  ['test/endpoints/quotas.test.ts', /\[LISTINGS, WEBHOOKS\]/, '[WEBHOOKS]'],
  [
    'test/system/platform.test.ts',
    lines('listings.ts', 'earnings.ts', 'subscriptions.ts', 'payouts.ts', 'builds.ts', 'isolation.ts'),
  ],
];
