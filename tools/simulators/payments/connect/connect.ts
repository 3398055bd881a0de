/**
 * Connected accounts, and the money that goes to them: transfers, payouts and reversals (Stripe API reference, Accounts v2,
 * Transfers, Payouts, Transfer reversals). A payout arrives after two seconds.
 */
import type * as z from 'zod';
import { escapeHtml, page } from '../../pages.ts';
import { newId, type PaymentLedger } from '../books.ts';
import type { Courier } from '../courier.ts';
import { SandboxError } from '../errors.ts';
import { readForm } from '../form.ts';
import {
  accountBody,
  type ConnectedAccount,
  type noConnectRecords,
  type PayoutRecord,
  type TransferRecord,
} from './records.ts';
import {
  accountRequest,
  asObject,
  linkRequest,
  listRequest,
  missing,
  parse,
  parseJson,
  payoutRequest,
  settingsRequest,
  transferRequest,
} from './requests.ts';

const ARRIVAL_MS = 2_000;
const LINK_SECONDS = 300;

type Ledger = PaymentLedger<ReturnType<typeof noConnectRecords>>;

export interface ConnectCall {
  readonly target: string;
  readonly query: string;
  readonly body: string;
  readonly origin: string;
  /** The header `Stripe-Account`. */
  readonly account: string | undefined;
}

export class Connect {
  readonly #ledger: Ledger;
  readonly #courier: Courier;
  readonly #arrivals = new Set<() => void>();

  constructor(ledger: Ledger, courier: Courier) {
    this.#ledger = ledger;
    this.#courier = courier;
    // Those that a restart has overtaken.
    for (const payout of this.payouts) if (payout.status === 'pending') this.#arrive(payout);
  }

  /** Returns undefined for a call of another part of the API. */
  call({ target, query, body, origin, account }: ConnectCall): object | undefined {
    const [, kind = '', id = '', rest = ''] =
      /^(?:GET|POST) \/v[12]\/(core\/accounts|transfers|payouts)\/(\w+)(\/reversals)?$/.exec(target) ?? [];
    switch (kind === '' ? target : `${target.split(' ')[0]} ${kind}${rest}`) {
      case 'POST /v2/core/accounts':
        return this.#createAccount(parse(accountRequest, parseJson(body)));
      case 'GET core/accounts':
        return accountBody(this.account(id));
      case 'POST /v2/core/account_links':
        return this.#createLink(parse(linkRequest, parseJson(body)), origin);
      case 'POST /v1/balance_settings':
        return this.#updateSettings(parse(settingsRequest, asObject(readForm(body))), account);
      case 'POST /v1/transfers':
        return this.#transfer(parse(transferRequest, asObject(readForm(body))));
      case 'GET /v1/transfers':
        return this.#list('/v1/transfers', Object.values(this.#records.transfers), query);
      case 'GET transfers':
        return this.#found(this.#records.transfers, 'transfer', id);
      case 'POST transfers/reversals':
        return this.#reverse(id, body);
      case 'POST /v1/payouts':
        return this.#payOut(parse(payoutRequest, asObject(readForm(body))), this.#connected(account));
      case 'GET /v1/payouts': {
        const { id: owner } = this.#connected(account);
        const own = Object.values(this.#records.payouts).filter((each) => each.account === owner);
        return this.#list('/v1/payouts', own, query);
      }
      case 'GET payouts': {
        const payout = this.#found(this.#records.payouts, 'payout', id);
        if (payout.account !== this.#connected(account).id) throw missing('payout', id);
        return payout;
      }
    }
    return undefined;
  }

  account(id: string): ConnectedAccount {
    return this.#found(this.#records.accounts, 'v2.core.account', id);
  }

  get platform(): { balance: number } {
    return this.#records.platform;
  }

  get payouts(): readonly PayoutRecord[] {
    return Object.values(this.#records.payouts);
  }

  get transfers(): readonly TransferRecord[] {
    return Object.values(this.#records.transfers);
  }

  /** Has a bank pay a payout, or return it: then it was paid, and fails. */
  async settle(id: string, outcome: 'pay' | 'fail' | 'return'): Promise<void> {
    const payout = this.#found(this.#records.payouts, 'payout', id);
    if (payout.status === 'failed' || (payout.status === 'paid' && outcome !== 'return')) return;
    if (outcome !== 'fail' && payout.status !== 'paid') {
      payout.status = 'paid';
      await this.#courier.send('payout.paid', payout, payout.account);
    }
    if (outcome === 'pay') return;
    Object.assign(payout, { status: 'failed', failure_code: 'account_closed' });
    this.account(payout.account).balance += payout.amount;
    await this.#courier.send('payout.failed', payout, payout.account);
  }

  stop(): void {
    for (const cancel of this.#arrivals) cancel();
  }

  onboardingPage(id: string): string {
    const { account } = this.#found(this.#records.links, 'link', id);
    const { country } = this.account(account);
    const form = (choice: string, label: string) =>
      `<form method="post" action="/connect/${escapeHtml(id)}/${choice}"><button>${label}</button></form>`;
    return page(
      'Get paid',
      `<p>A sandbox: no money moves. Account in ${escapeHtml(country)}.</p>${form('finish', 'Finish')}${form('leave', 'Leave')}${form('reject', 'Be rejected')}`,
    );
  }

  /** Returns the page to go back to. A link is used once. */
  finishOnboarding(id: string, choice: string): string {
    const { account, returnUrl } = this.#found(this.#records.links, 'link', id);
    if (choice === 'finish') this.account(account).state = 'active';
    if (choice === 'reject') this.account(account).state = 'rejected';
    delete this.#records.links[id];
    this.#ledger.save();
    return returnUrl;
  }

  get #records() {
    return this.#ledger.records;
  }

  #found<T>(records: Readonly<Record<string, T>>, what: string, id: string): T {
    const record = records[id];
    if (record === undefined) throw missing(what, id);
    return record;
  }

  #connected(id: string | undefined): ConnectedAccount {
    if (id === undefined) throw new SandboxError(400, 'This needs the header Stripe-Account.');
    return this.account(id);
  }

  #createAccount({ identity: { country }, metadata: of }: z.infer<typeof accountRequest>): object {
    const id = newId('acct');
    const state = { state: 'new', manual: false, hasBank: true, balance: 0 } as const;
    const account: ConnectedAccount = {
      id,
      country,
      metadata: of,
      created: this.#ledger.nowSeconds,
      ...state,
    };
    this.#records.accounts[id] = account;
    return accountBody(account);
  }

  #createLink({ account, use_case: use }: z.infer<typeof linkRequest>, origin: string): object {
    this.account(account);
    const id = newId('link');
    this.#records.links[id] = { account, returnUrl: use.account_onboarding.return_url };
    this.#ledger.save();
    const expires = new Date((this.#ledger.nowSeconds + LINK_SECONDS) * 1000).toISOString();
    const url = `${origin}/connect/${id}`;
    return { object: 'v2.core.account_link', account, url, expires_at: expires, use_case: use };
  }

  #updateSettings(request: z.infer<typeof settingsRequest>, account: string | undefined): object {
    this.#connected(account).manual = true;
    return { object: 'balance_settings', payments: request.payments };
  }

  #transfer(request: z.infer<typeof transferRequest>): object {
    const account = this.account(request.destination);
    if (account.state !== 'active')
      throw new SandboxError(
        400,
        'Your destination account needs the capability.',
        'insufficient_capabilities_for_transfer',
      );
    if (this.platform.balance < request.amount)
      throw new SandboxError(400, 'You have insufficient available funds.', 'balance_insufficient');
    this.platform.balance -= request.amount;
    account.balance += request.amount;
    const transfer: TransferRecord = {
      id: newId('tr'),
      object: 'transfer',
      amount: request.amount,
      amount_reversed: 0,
      currency: 'usd',
      destination: account.id,
      transfer_group: request.transfer_group ?? null,
      metadata: request.metadata,
      reversed: false,
      created: this.#ledger.nowSeconds,
    };
    this.#records.transfers[transfer.id] = transfer;
    return transfer;
  }

  #reverse(id: string, body: string): object {
    const transfer = this.#found(this.#records.transfers, 'transfer', id);
    if (body !== '') throw new SandboxError(400, 'The sandbox reverses whole transfers.');
    if (transfer.reversed) throw new SandboxError(400, `Transfer ${id} is already fully reversed.`);
    const account = this.account(transfer.destination);
    if (account.balance < transfer.amount)
      throw new SandboxError(400, 'Insufficient funds in your Stripe balance.', 'balance_insufficient');
    account.balance -= transfer.amount;
    this.platform.balance += transfer.amount;
    Object.assign(transfer, { reversed: true, amount_reversed: transfer.amount });
    return { id: newId('trr'), object: 'transfer_reversal', amount: transfer.amount, transfer: id };
  }

  #payOut({ amount, metadata: of }: z.infer<typeof payoutRequest>, account: ConnectedAccount): object {
    if (!account.hasBank) throw new SandboxError(400, 'There is no external account.', 'no_account');
    if (account.balance < amount)
      throw new SandboxError(400, 'You have insufficient funds.', 'balance_insufficient');
    account.balance -= amount;
    const payout: PayoutRecord = {
      id: newId('po'),
      object: 'payout',
      account: account.id,
      amount,
      currency: 'usd',
      metadata: of,
      status: 'pending',
      failure_code: null,
      arrival_date: this.#ledger.nowSeconds + ARRIVAL_MS / 1000,
      created: this.#ledger.nowSeconds,
    };
    this.#records.payouts[payout.id] = payout;
    this.#arrive(payout);
    return payout;
  }

  #arrive({ id }: PayoutRecord): void {
    const cancel = this.#ledger.time.after(ARRIVAL_MS, () => {
      this.#arrivals.delete(cancel);
      void this.settle(id, 'pay');
    });
    this.#arrivals.add(cancel);
  }

  #list<T extends { readonly id: string; readonly created: number; readonly transfer_group?: string | null }>(
    url: string,
    records: readonly T[],
    query: string,
  ): object {
    const request = parse(listRequest, asObject(readForm(query)));
    const { limit, starting_after: after, transfer_group: group, created } = request;
    if (group !== undefined && url !== '/v1/transfers')
      throw new SandboxError(400, 'Received unknown parameter: transfer_group', 'parameter_unknown');
    const newest = records
      .toReversed()
      .filter((each) => group === undefined || each.transfer_group === group)
      .filter((each) => created === undefined || each.created >= created.gte);
    const cursor = newest.findIndex(({ id }) => id === after);
    if (after !== undefined && cursor === -1) throw missing('object', after);
    const rest = newest.slice(cursor + 1);
    return { object: 'list', url, has_more: rest.length > limit, data: rest.slice(0, limit) };
  }
}
