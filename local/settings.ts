/** The environment variables of `npm start`, checked before anything starts. */
import { resolve } from 'node:path';

export interface Settings {
  readonly port: number;
  readonly stateDir: string;
  readonly catalogFile: string | undefined;
  readonly dynamodbEndpoint: string | undefined;
  readonly ipRequestsPerMinute: number | undefined;
  readonly enforceIam: boolean;
  /** `none`: uploads go through API Gateway, with its limits. */
  readonly ingress: 'host' | 'none';
  /** Variables that win over the templates in every function. */
  readonly overrides: Readonly<Record<string, string>>;
}

type Shell = Readonly<Record<string, string | undefined>>;

const DEFAULT_PORT = 8787;

/** Throws an error that names the variable and what it may be. An empty variable counts as not set. */
export function readSettings(shell: Shell): Settings {
  const text = (name: string) => (shell[name] === '' ? undefined : shell[name]);
  const path = (name: string) => (text(name) === undefined ? undefined : resolve(text(name) ?? ''));
  const holdTtl = integer(shell, 'HOLD_TTL_SECONDS', { least: 1 });
  const logLevel = text('LOG_LEVEL');
  return {
    port: integer(shell, 'PORT', { least: 0, most: 65_535 }) ?? DEFAULT_PORT,
    stateDir: path('LOCAL_DIR') ?? resolve('.local'),
    catalogFile: path('CATALOG'),
    dynamodbEndpoint: endpoint(text('DYNAMODB_ENDPOINT')),
    ipRequestsPerMinute: integer(shell, 'IP_RPM', { least: 0 }),
    enforceIam: choice(text('IAM') ?? 'on', 'IAM', ['on', 'off']) === 'on',
    ingress: choice(text('INGRESS') ?? 'host', 'INGRESS', ['host', 'none']) as Settings['ingress'],
    overrides: {
      ...(holdTtl === undefined ? {} : { HOLD_TTL_SECONDS: String(holdTtl) }),
      ...(logLevel === undefined ? {} : { LOG_LEVEL: logLevel }),
    },
  };
}

function integer(shell: Shell, name: string, range: { least: number; most?: number }): number | undefined {
  const text = shell[name];
  if (text === undefined || text === '') return undefined;
  const value = Number(text);
  const { least, most = Number.MAX_SAFE_INTEGER } = range;
  if (/^\d+$/.test(text) && value >= least && value <= most) return value;
  const wanted = range.most === undefined ? `of at least ${least}` : `from ${least} to ${most}`;
  throw new Error(`${name} must be a whole number ${wanted}, got ${JSON.stringify(text)}`);
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
