/**
 * The grants of each function: those of its context, and those by which it recognizes its callers. The stacks turn a
 * row into IAM statements and into the variables that the function needs. A function therefore does not have the name
 * of a table that it cannot access.
 */
import { ACCESS_GRANTS } from '../../lambdas/access/grants.ts';
import { type EndpointName, ROUTES } from '../../lambdas/app/routes.ts';
import { INFERENCE_GRANTS } from '../../lambdas/inference/grants.ts';
import { LEDGER_GRANTS } from '../../lambdas/ledger/grants.ts';
import { MARKETPLACE_GRANTS } from '../../lambdas/marketplace/grants.ts';
import { OPERATIONS_GRANTS } from '../../lambdas/operations/grants.ts';
import { PAYMENT_GRANTS } from '../../lambdas/payments/grants.ts';
import type { ConsumerName } from '../../lambdas/platform/contract/consumers.ts';
import type { Grants } from '../../lambdas/platform/contract/grants.ts';
import type { Authentication } from '../../lambdas/platform/contract/route.ts';
import { TELEMETRY_GRANTS } from '../../lambdas/telemetry/grants.ts';
import { WEBHOOK_GRANTS } from '../../lambdas/webhooks/grants.ts';
import { unionOf } from './union-of-grants.ts';

export type FunctionName = EndpointName | ConsumerName;

const ROWS: Readonly<Record<FunctionName, Grants>> = {
  ...ACCESS_GRANTS,
  ...INFERENCE_GRANTS,
  ...LEDGER_GRANTS,
  ...MARKETPLACE_GRANTS,
  ...OPERATIONS_GRANTS,
  ...PAYMENT_GRANTS,
  ...WEBHOOK_GRANTS,
  ...TELEMETRY_GRANTS,
  'get-index': { serviceName: true },
  'get-openapi': { tables: { catalog: ['GetItem'] }, serviceName: true },
  'unknown-route': {},
};

const SESSION: Grants = { tables: { sessions: ['GetItem'] }, sessionKey: true };

/** A request with a key counts against it. */
const API_KEY: Grants = { tables: { keys: ['UpdateItem'] }, keyPepper: true };

/** The grants by which a function recognizes each kind of caller. */
const CALLERS: Readonly<Record<Authentication, readonly Grants[]>> = {
  none: [],
  session: [SESSION],
  'api-key': [API_KEY],
  'api-key-or-session': [API_KEY, SESSION],
  // Every request reads whether its account is still an operator's.
  operator: [SESSION, { tables: { accounts: ['GetItem'] } }],
};

/** A function that uses the database checks whether it may serve the stage. */
const CHECKED: Grants = { tables: { catalog: ['GetItem'] } };

function grantsOf(name: string, own: Grants): Grants {
  const route = ROUTES.find(({ endpoint }) => endpoint === name);
  const isStatic = own.tables === undefined && (route?.authentication ?? 'none') === 'none';
  if (isStatic) return own;
  const { follows, ...served } = own;
  const callers = route === undefined ? [] : CALLERS[route.authentication];
  return { ...unionOf([CHECKED, ...callers, served]), ...(follows === undefined ? {} : { follows }) };
}

export const GRANTS = Object.fromEntries(
  Object.entries(ROWS).map(([name, own]) => [name, grantsOf(name, own)]),
) as Readonly<Record<FunctionName, Grants>>;
