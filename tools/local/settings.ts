/** The environment variables of `npm start`, checked before anything starts. */
import { join, resolve } from 'node:path';
import {
  ALLOW_LOOPBACK_VARIABLE,
  MATURITY_VARIABLE,
  PERIOD_VARIABLE,
  VARIABLES,
} from '../../lambdas/platform/contract/environment.ts';

export interface Settings {
  readonly port: number;
  readonly stateDir: string;
  /** The catalog to store at the start; undefined leaves the one in force, and begins with the simulated one. */
  readonly catalogFile: string | undefined;
  readonly dynamodbEndpoint: string | undefined;
  readonly ipRequestsPerMinute: number | undefined;
  readonly enforceIam: boolean;
  /** `none`: uploads go through API Gateway, with its limits. */
  readonly ingress: 'host' | 'none';
  /** The server of the inference API: a function for each route, or one host for all. */
  readonly compute: 'functions' | 'host';
  readonly queueVisibilityMs: number | undefined;
  /** The socket of ClamAV's daemon, where Debian's package does not put it. */
  readonly clamdSocket: string | undefined;
  /** A new state folder begins with the newest layouts, or as a stage that was upgraded and is not finished. */
  readonly layouts: 'newest' | 'first';
  /** For how many days the demo account of a new state folder has made calls before. */
  readonly historyDays: number;
  /** Variables that win over the templates in every function. */
  readonly overrides: Readonly<Record<string, string>>;
}

/** The models of the simulated vendors. `CATALOG=simulated` names it. */
export const SIMULATED_CATALOG = join(import.meta.dirname, 'seed', 'catalog.json');

type Shell = Readonly<Record<string, string | undefined>>;

const DEFAULT_PORT = 8787;

/** Throws an error that names the variable and what it may be. An empty variable counts as not set. */
export function readSettings(shell: Shell): Settings {
  const text = (name: string) => (shell[name] === '' ? undefined : shell[name]);
  const path = (name: string) => (text(name) === undefined ? undefined : resolve(text(name) ?? ''));
  const holdTtl = integer(shell, 'HOLD_TTL_SECONDS', { min: 1 });
  const claim = integer(shell, 'DELIVERY_CLAIM_SECONDS', { min: 1 });
  const visibility = integer(shell, 'QUEUE_VISIBILITY_SECONDS', { min: 1, max: 43_200 });
  const maturity = integer(shell, MATURITY_VARIABLE, { min: 1 });
  const period = integer(shell, PERIOD_VARIABLE, { min: 1 });
  const loopback = choice(text(ALLOW_LOOPBACK_VARIABLE) ?? '0', ALLOW_LOOPBACK_VARIABLE, ['0', '1']);
  const logLevel = text('LOG_LEVEL');
  const identityProviders = text('IDENTITY_PROVIDERS');
  return {
    port: integer(shell, 'PORT', { min: 0, max: 65_535 }) ?? DEFAULT_PORT,
    stateDir: path('LOCAL_DIR') ?? resolve('.local'),
    catalogFile: text('CATALOG') === 'simulated' ? SIMULATED_CATALOG : path('CATALOG'),
    dynamodbEndpoint: endpoint(text('DYNAMODB_ENDPOINT')),
    ipRequestsPerMinute: integer(shell, 'IP_RPM', { min: 0 }),
    enforceIam: choice(text('IAM') ?? 'on', 'IAM', ['on', 'off']) === 'on',
    ingress: choice(text('INGRESS') ?? 'host', 'INGRESS', ['host', 'none']) as Settings['ingress'],
    compute: choice(text('COMPUTE') ?? 'functions', 'COMPUTE', ['functions', 'host']) as Settings['compute'],
    clamdSocket: path('CLAMD_SOCKET'),
    queueVisibilityMs: visibility === undefined ? undefined : visibility * 1000,
    layouts: choice(text('LAYOUTS') ?? 'newest', 'LAYOUTS', ['newest', 'first']) as Settings['layouts'],
    historyDays: integer(shell, 'DEMO_HISTORY_DAYS', { min: 0, max: 90 }) ?? 30,
    overrides: {
      ...(loopback === '1' ? { [ALLOW_LOOPBACK_VARIABLE]: loopback } : {}),
      ...(claim === undefined ? {} : { [VARIABLES.deliveryClaimSeconds]: String(claim) }),
      ...(maturity === undefined ? {} : { [MATURITY_VARIABLE]: String(maturity) }),
      ...(period === undefined ? {} : { [PERIOD_VARIABLE]: String(period) }),
      ...(holdTtl === undefined ? {} : { HOLD_TTL_SECONDS: String(holdTtl) }),
      ...(logLevel === undefined ? {} : { LOG_LEVEL: logLevel }),
      ...(identityProviders === undefined ? {} : { IDENTITY_PROVIDERS: identityProviders }),
    },
  };
}

function integer(shell: Shell, name: string, range: { min: number; max?: number }): number | undefined {
  const text = shell[name];
  if (text === undefined || text === '') return undefined;
  const value = Number(text);
  const { min, max = Number.MAX_SAFE_INTEGER } = range;
  if (/^\d+$/.test(text) && value >= min && value <= max) return value;
  const allowedRange = range.max === undefined ? `of at least ${min}` : `from ${min} to ${max}`;
  throw new Error(`${name} must be a whole number ${allowedRange}, got ${JSON.stringify(text)}`);
}

function choice(text: string, name: string, values: readonly string[]): string {
  if (values.includes(text)) return text;
  throw new Error(`${name} must be ${values.join(' or ')}, got ${JSON.stringify(text)}`);
}

function endpoint(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const url = URL.parse(text);
  if (url !== null && /^https?:$/.test(url.protocol)) return text;
  throw new Error(`DYNAMODB_ENDPOINT must be an http or https address, got ${JSON.stringify(text)}`);
}
