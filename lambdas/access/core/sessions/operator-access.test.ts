import { describe, expect, it } from '@jest/globals';
import type { CallContext, TextResponse } from '../../../platform/core/ports.ts';
import type { Account } from '../accounts/accounts.ts';
import { withOperator } from './operator-access.ts';
import { SESSION_SECONDS, type Session, type SessionEndpoint, Sessions, withSession } from './session.ts';
import { SESSION_COOKIES } from './session-cookie.ts';
import { signIn } from './sign-in.ts';

const ACCOUNT: Account = { id: 'acc_1', created: 1, operatorSince: 2 };
const OWNER: Session = { id: 'ses_1', accountId: 'acc_1', expires: 9, authTime: 1, role: 'owner' };
const OPERATOR: Session = { ...OWNER, id: 'ses_2', role: 'operator' };
const TOKENS: Readonly<Record<string, Session>> = { 'a.b.owner': OWNER, 'a.b.operator': OPERATOR };
const PAGE = { 'x-requested-with': 'console' };
const CONTEXT = { pathParameters: {} } as unknown as CallContext;

const sessions = { verify: async (token: string) => TOKENS[token] };
const echo: SessionEndpoint = async (_request, { session }) => ({ headers: {}, text: session.id });

const outcome = async (responsePromise: Promise<TextResponse>) =>
  responsePromise.then(
    ({ text }) => text,
    (failure: { status: number; code: string }) => `${failure.status} ${failure.code}`,
  );

const operatorEndpoint = (headers: Record<string, string>, account: Account | undefined) =>
  withOperator({ sessions, findAccount: async () => account }, echo)(
    new Request('http://x/', { headers }),
    CONTEXT,
  );
const asOperator = (headers: Record<string, string>) => outcome(operatorEndpoint(headers, ACCOUNT));
const asOwner = (headers: Record<string, string>) =>
  outcome(withSession(sessions, echo)(new Request('http://x/', { headers }), CONTEXT));

const bearer = (role: string) => ({ authorization: `Bearer a.b.${role}` });
const cookie = (name: string, role: string) => ({ ...PAGE, cookie: `${name}=a.b.${role}` });

describe('a session of one role', () => {
  it('receives 401 from an endpoint of the other role, in a header and in a cookie', async () => {
    expect(await asOperator(bearer('operator'))).toBe('ses_2');
    expect(await asOwner(bearer('owner'))).toBe('ses_1');
    expect(await asOperator(bearer('owner'))).toBe('401 invalid_session');
    expect(await asOwner(bearer('operator'))).toBe('401 invalid_session');
    expect(await asOperator(cookie(SESSION_COOKIES.operator, 'owner'))).toBe('401 invalid_session');
    expect(await asOwner(cookie(SESSION_COOKIES.owner, 'operator'))).toBe('401 invalid_session');
  });

  it('counts as missing in the cookie of the other role, and each endpoint reads its own cookie if the request has both', async () => {
    expect(await asOperator(cookie(SESSION_COOKIES.owner, 'operator'))).toBe('401 missing_session');
    expect(await asOwner(cookie(SESSION_COOKIES.operator, 'owner'))).toBe('401 missing_session');
    const both = `${SESSION_COOKIES.owner}=a.b.owner; ${SESSION_COOKIES.operator}=a.b.operator`;
    expect(await asOperator({ ...PAGE, cookie: both })).toBe('ses_2');
    expect(await asOwner({ ...PAGE, cookie: both })).toBe('ses_1');
    expect(await asOperator({ cookie: both })).toBe('401 missing_session');
  });
});

describe('an operator’s session', () => {
  it('grants no access after its account loses the operator flag or is deleted', async () => {
    const { operatorSince: _mark, ...unmarked } = ACCOUNT;
    for (const account of [unmarked, undefined])
      expect(await outcome(operatorEndpoint(bearer('operator'), account))).toBe('403 operator_only');
  });

  it('receives a response with cache-control no-store', async () => {
    const response = await operatorEndpoint(bearer('operator'), ACCOUNT);
    expect(response.headers['cache-control']).toBe('no-store');
  });

  it('lasts an hour at most, and is never renewed', async () => {
    const signed: Session[] = [];
    const deps = new Sessions({
      tokens: { sign: async (session) => `${signed.push(session)}`, read: async () => undefined },
      store: {
        start: async () => 'started',
        isLive: async () => true,
        end: async () => {},
        endAll: async () => {},
      },
      clock: () => 1_000_000,
      ulid: () => '1',
      maxSessions: 9,
    });
    await deps.start('acc_1', SESSION_SECONDS, 'operator');
    expect(signed).toEqual([
      { id: 'ses_1', accountId: 'acc_1', expires: 1000 + 3600, authTime: 1000, role: 'operator' },
    ]);
    await expect(deps.start('acc_1', SESSION_SECONDS + 1, 'operator')).rejects.toThrow();
    await expect(deps.renew(OPERATOR)).rejects.toMatchObject({ status: 401, code: 'invalid_session' });
  });
});

describe('signing in as an operator', () => {
  const dependencies = (account: Account | undefined) => {
    const started: unknown[] = [];
    const opened: string[] = [];
    return {
      begun: started,
      opened,
      verifier: { verify: async () => ({ issuer: 'i', subject: 's' }) },
      accounts: {
        findByIdentity: async () => account,
        openFor: async (identity: string) => {
          opened.push(identity);
          return ACCOUNT;
        },
      },
      sessions: {
        start: async (...args: unknown[]) => {
          started.push(args);
          return 'token';
        },
      },
    };
  };
  const request = { provider: 'p', credential: { token: 't' }, role: 'operator' } as const;

  it('accepts an account with the operator flag', async () => {
    const deps = dependencies(ACCOUNT);
    expect(await signIn(deps, request)).toMatchObject({ expiresInSeconds: SESSION_SECONDS });
    expect(deps.begun).toEqual([['acc_1', SESSION_SECONDS, 'operator']]);
  });

  it.each([
    ['whose account is not marked', { id: 'acc_1', created: 1 }],
    ['who has no account', undefined],
  ])('starts no session and creates no account for a person %s', async (_who, account) => {
    const deps = dependencies(account);
    await expect(signIn(deps, request)).rejects.toMatchObject({ status: 403, code: 'operator_only' });
    expect([deps.begun, deps.opened]).toEqual([[], []]);
  });
});
