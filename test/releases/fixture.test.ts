/**
 * The code of this tree on the state that a release has written: first in the minute in which its processes were killed,
 * then 90 minutes later, when everything that was open is due.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type DynamoDBClient, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { ROUTES } from '../../lambdas/app/routes.ts';
import { LAYOUTS } from '../../lambdas/platform/contract/layouts.ts';
import type { Route } from '../../lambdas/platform/contract/route.ts';
import { TABLES } from '../../lambdas/platform/contract/tables.ts';
import { createEngineClient } from '../../tools/local/dynamodb/client.ts';
import type { RuntimeRecord } from '../../tools/local/process/state-folder.ts';
import { until } from '../../tools/test-kit/waiting.ts';
import { Owner } from '../system/owner.ts';
import { ISOLATION_CASES } from '../system/platform/reaches.ts';
import { idTokenOf } from '../system/sign-in.ts';
import { CALLS, CountedCalls } from './fixture/calls.ts';
import { idsOf } from './fixture/open-trades.ts';
import { openReceiver, type Receiver } from './fixture/receiver.ts';
import { statesToTest } from './releases.ts';
import { RestoredService } from './restored-service.ts';
import { storedKinds } from './stored-kinds.ts';

const LATER_MS = 90 * 60_000;
const USD = 1e9;

interface AuditResult {
  readonly exact: boolean;
  readonly top_ups: number;
  readonly usage: number;
  readonly held: number;
}

interface WalletAmounts {
  readonly balance: number;
  readonly held: number;
}

/**
 * Kinds of alerts, which 1.1.0 does not write, of the audit of each night, of the price watch, and of routes that fail or
 * report more than they may.
 */
const RARE_KINDS = [
  'accounts/alerts#',
  'accounts/audit#',
  'webhooks/telemetry#',
  'events/telemetry#',
  'deliveries/tel_',
  'catalog/reference-prices',
  'circuits',
  'circuits/unbilled#',
];

/** These show what an account has only once the upgrade is finished. */
const SHOW_LATER_KINDS: ReadonlySet<string> = new Set(['get-alerts', 'get-telemetry']);

const isStreamed = (path: string, body: object): boolean => 'stream' in body || path === '/v1/audio/speech';

const states = statesToTest();
const routes: readonly Route[] = ROUTES;

/** Linux has the address of the receiver. */
const describeOnLinux = process.platform === 'linux' ? describe : describe.skip;

if (states.length === 0) it.skip('finds no release: `npm run release` writes the first', () => {});

for (const [version, file] of states)
  describeOnLinux(`the state of release ${version}`, () => {
    const restored = new RestoredService(file);
    const { fixture } = restored;
    /** Nano-dollars that the calls of this test cost. */
    let answered = 0;

    const get = (path: string, key: string | null) => restored.service.fetch(path, { key });
    const json = async <T>(path: string, key: string) => (await (await get(path, key)).json()) as T;
    const walletOf = (id: string) => restored.service.admin<WalletAmounts>('wallet', 'show', '--account', id);
    const audit = (...words: readonly string[]) => restored.service.admin<AuditResult>('audit', ...words);

    async function withTables<T>(
      run: (client: DynamoDBClient, environment: RuntimeRecord['environment']) => Promise<T>,
    ): Promise<T> {
      const file = join(restored.service.directory, 'runtime.json');
      const runtime = JSON.parse(readFileSync(file, 'utf8')) as RuntimeRecord;
      const client = createEngineClient(runtime.dynamodb_endpoint);
      try {
        return await run(client, runtime.environment);
      } finally {
        client.destroy();
      }
    }

    async function call(path: string, body: object, key: string, headers: Record<string, string> = {}) {
      const calls = new CountedCalls(restored.service);
      const answer = await calls.send(path, body, key, headers);
      answered += calls.answered;
      return answer;
    }

    afterAll(() => restored.service.dispose());

    describe('when its processes have just been killed', () => {
      beforeAll(() => restored.start(0, { COMPUTE: 'host' }));

      it('rejects a call of a key whose requests of the minute are used up', async () => {
        const [path = '', content] = CALLS[0] ?? [];
        const { status } = await call(path, content?.('over the limit') ?? {}, fixture.limited.key);
        // On a slow machine the minute is over.
        if (restored.clock() < fixture.limited.endMs) expect(status).toBe(429);
      });

      it('balances with what was added to its wallets, and holds the calls that were in flight', async () => {
        expect(await audit()).toMatchObject({ exact: true, top_ups: fixture.topUps / USD });
        const held = await Promise.all(fixture.inFlight.map(({ account }) => walletOf(account)));
        expect(held.filter(({ held }) => held > 0)).toHaveLength(fixture.inFlight.length);
      });

      it('contains items of almost every kind, and of none that the contract does not number', async () => {
        const { kinds, unknown } = await withTables(storedKinds);
        expect(unknown).toEqual([]);
        const ofTables = Object.keys(LAYOUTS).filter((kind) => (kind.split('/')[0] ?? '') in TABLES);
        expect(ofTables.filter((kind) => !kinds.has(kind))).toEqual(RARE_KINDS);
      });

      it('replays each stored answer byte for byte, at no cost', async () => {
        for (const { path, body, credential, idempotencyKey, text } of fixture.replays)
          expect(await call(path, body, credential, { 'idempotency-key': idempotencyKey })).toEqual({
            status: 200,
            text,
            cost: 0,
            isReplayed: true,
          });
      });

      it('opens sealed tokens of conversations, by either API format', async () => {
        for (const { path, body, credential, text } of fixture.turns)
          expect(await call(path, body, credential)).toMatchObject({
            status: 200,
            text: expect.stringContaining(text),
          });
      });

      it('goes on with lists at their cursors', async () => {
        const pages = fixture.pages.map(async ({ path, credential }) => {
          const { data } = await json<{ readonly data: readonly object[] }>(path, credential);
          return { path, credential, ids: idsOf(data) };
        });
        expect(await Promise.all(pages)).toEqual(fixture.pages);
      });

      it('counts what a key has spent today, and rejects a call beyond its cap', async () => {
        const { key, spent } = fixture.capped;
        const { spend } = await json<{ readonly spend: { readonly today: number } }>(`/credits/${key}`, key);
        // What a killed host has leased of the cap counts until the repair of the night.
        expect(spend.today).toBeGreaterThanOrEqual(spent / USD);
        const [path = '', content] = CALLS[0] ?? [];
        const { status, text } = await call(path, content?.('beyond the cap') ?? {}, key);
        expect([status, text]).toEqual([402, expect.stringContaining('daily_usd_exceeded')]);
      });

      it('accepts both secrets of a rotated key, and none of a revoked one', async () => {
        const statuses = [...fixture.rotated, fixture.revoked].map((key) => get('/v1/usage', key));
        expect((await Promise.all(statuses)).map(({ status }) => status)).toEqual([200, 200, 401]);
      });

      it.each(CALLS.map(([path, content], at) => [path, at, content] as const))(
        'serves a call of %s (%i)',
        async (path, at, content) => {
          const { key } = fixture.owners[at % fixture.owners.length] ?? { key: '' };
          expect(await call(path, content(`a call ${at}`), key)).toMatchObject({
            status: 200,
            cost: expect.any(Number),
          });
        },
      );

      it('shows an owner what belongs to the account on every route that reads', async () => {
        const cases = fixture.owners.flatMap((of) =>
          routes
            .filter(({ method, endpoint }) => method === 'GET' && endpoint in ISOLATION_CASES)
            .filter(({ endpoint }) => !SHOW_LATER_KINDS.has(endpoint))
            .map((route) => ({ of, route, ...ISOLATION_CASES[route.endpoint] })),
        );
        const answers = await Promise.all(
          cases.map(async ({ of, route, path, listPath, shows, ownStatus }) => {
            const credential = route.authentication === 'api-key' ? of.key : of.session;
            const response = await get(path?.(of, route) ?? listPath?.(of) ?? route.path, credential);
            const isShown = (await response.text()).includes(shows?.(of, route) ?? '');
            return `${route.path} ${response.status === (ownStatus ?? 200) && isShown}`;
          }),
        );
        expect(answers).toEqual(cases.map(({ route }) => `${route.path} true`));
        expect(answers.length).toBeGreaterThan(50);
      });

      it('shows everybody and an operator what they may read', async () => {
        const [{ listingIds = {} } = {}] = fixture.owners;
        const token = await idTokenOf(restored.service, 'operator@example.com');
        const sign = async (fields: object) => {
          const signed = await restored.service.post(
            '/api/v1/auth/local',
            { token, ...fields },
            { key: null },
          );
          return (await signed.json()) as {
            readonly access_token: string;
            readonly account: { readonly id: string };
          };
        };
        await restored.service.admin('operators', 'add', (await sign({})).account.id);
        const { access_token: session } = await sign({ role: 'operator' });
        const shown = routes
          .filter(({ method, authentication }) => method === 'GET' && /none|operator/.test(authentication))
          .filter(({ path }) => !path.includes('{file}'))
          .map(({ path, authentication }) => {
            const id = listingIds[path.split('/')[1] ?? ''] ?? '';
            const named = path.replace('{id}', id).replace('{model+}', 'sim/chat');
            return { path: named, credential: authentication === 'none' ? null : session };
          });
        const answers = await Promise.all(
          shown.map(async ({ path, credential }) => `${path} ${(await get(path, credential)).status}`),
        );
        expect(answers).toEqual(shown.map(({ path }) => `${path} 200`));
      });
    });

    describe('when everything that was open is due', () => {
      let receiver: Receiver;

      beforeAll(async () => {
        receiver = await openReceiver(fixture.receiver, () => ({ status: 200 }));
        // Signatures are valid for minutes.
        const { now } = Date;
        await restored.start(LATER_MS, {});
        const behindMs = restored.clock() - now();
        jest.spyOn(Date, 'now').mockImplementation(() => now() + behindMs);
      });

      afterAll(() => {
        jest.restoreAllMocks();
        receiver.close();
      });

      it('ends every hold, with exact books, and each account keeps what its answers did not cost', async () => {
        await restored.service.admin('sweep');
        expect(await audit('--whole')).toMatchObject({
          exact: true,
          held: 0,
          top_ups: fixture.topUps / USD,
          usage: (fixture.answered + answered) / USD,
        });
        const wallets = await Promise.all(
          fixture.accounts.map(async ({ id }) => {
            return { id, remaining: Math.round((await walletOf(id)).balance * USD) };
          }),
        );
        expect(wallets).toEqual(fixture.accounts);
      });

      it('delivers each event that no receiver had accepted, signed with each secret', async () => {
        for (const { path, event, secrets } of fixture.deliveries) {
          const [delivery] = await until(
            () => receiver.received.filter(({ headers }) => headers['webhook-id'] === event),
            ({ length }) => length > 0,
          );
          expect(delivery).toMatchObject({ path });
          for (const secret of secrets)
            expect(new Webhook(secret).verify(delivery?.body ?? '', delivery?.headers ?? {})).toMatchObject({
              id: event,
            });
        }
      });

      it('renews a subscription, pays payouts and scans builds', async () => {
        const { subscription, payouts, builds } = fixture;
        // The schedule does so within minutes.
        for (const { path } of builds) {
          const [listing = '', , build = ''] = path.split('/').slice(2);
          await restored.service.admin('build', 'rescan', '--listing', listing, '--build', build);
        }
        const isDone = async () => {
          await restored.service.admin('market', 'run');
          const done = await Promise.all([
            json<{ readonly charges: readonly unknown[] }>(
              `/api/v1/subscriptions/${subscription.id}`,
              subscription.session,
            ).then(({ charges }) => charges.length === 2),
            ...payouts.map(async ({ id, session }) => {
              const { status } = await json<{ readonly status: string }>(`/api/v1/payouts/${id}`, session);
              return status === 'paid';
            }),
            ...builds.map(async ({ path, session }) => {
              const { status } = await json<{ readonly status: string }>(path, session);
              return status === 'clean';
            }),
          ]);
          return done.every(Boolean);
        };
        await until(isDone, Boolean);
        const { balance } = await restored.service.wallet(subscription.account);
        expect(Math.round(balance * USD)).toBe(subscription.remaining);
      });

      it('serves each call whose process was killed, once for its key', async () => {
        await Promise.all(
          fixture.inFlight.map(async ({ path, body, credential, idempotencyKey }) => {
            const headers = { 'idempotency-key': idempotencyKey };
            const { status, text, isReplayed } = await call(path, body, credential, headers);
            // A stream that has begun uses its key up.
            const isUsed = isStreamed(path, body) && text.includes('Idempotency-Key');
            expect([path, isUsed || status === 200, isReplayed]).toEqual([path, true, false]);
          }),
        );
      });

      it('accepts a payment, and has exact books after all that', async () => {
        const [{ accountId = '', session = '' } = {}] = fixture.owners;
        await new Owner(restored.service, session, accountId).buy(5);
        expect(await audit()).toMatchObject({
          exact: true,
          top_ups: fixture.topUps / USD + 5,
          usage: (fixture.answered + answered) / USD,
        });
      });

      it('fails the audit if one amount differs by a nano-dollar', async () => {
        const add = (amount: number) =>
          withTables((client, environment) =>
            client.send(
              new UpdateItemCommand({
                TableName: environment[TABLES.wallets.variable],
                Key: { wallet_id: { S: fixture.accounts[0]?.id ?? '' } },
                UpdateExpression: 'ADD balance :amount',
                ExpressionAttributeValues: { ':amount': { N: String(amount) } },
              }),
            ),
          );
        await add(1);
        await expect(audit()).rejects.toThrow('"exact":false');
        await add(-1);
        expect(await audit()).toMatchObject({ exact: true });
      });
    });
  });
