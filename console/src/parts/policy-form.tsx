/** The permissions of a key: caps, rates, models, kinds and the usage that it reads. */
import { useState } from 'react';
import { usdField } from '../api/money.ts';
import { modelOption, usePrices } from '../api/queries.ts';
import type { ApiKey, PolicyBody } from '../api/types.ts';
import { type CallKindValue, DEFAULT_RPM, KINDS } from '../api/values.ts';
import { Choices, Form, Input } from './form.tsx';

/** A policy as the service takes it: amounts as decimal text. */
interface PolicyInput {
  readonly allowed_models?: readonly string[];
  readonly allowed_kinds?: readonly CallKindValue[];
  readonly daily_usd?: string;
  readonly monthly_usd?: string;
  readonly tpm?: number;
  readonly rpm?: number;
  readonly reads?: 'account';
}

export interface KeyInput {
  readonly name: string;
  readonly policy: PolicyInput;
}

interface Draft {
  readonly name: string;
  readonly daily: string;
  readonly monthly: string;
  readonly rpm: string;
  readonly tpm: string;
  readonly models: readonly string[];
  readonly kinds: readonly CallKindValue[];
  /** A key that was restricted to no kind stays so. */
  readonly callsNothing: boolean;
  readonly reads: readonly 'account'[];
}

const draftOf = (name: string, policy: PolicyBody): Draft => ({
  name,
  daily: policy.daily_usd === undefined ? '' : usdField(policy.daily_usd),
  monthly: policy.monthly_usd === undefined ? '' : usdField(policy.monthly_usd),
  rpm: policy.rpm?.toString() ?? '',
  tpm: policy.tpm?.toString() ?? '',
  models: policy.allowed_models ?? [],
  kinds: policy.allowed_kinds ?? [],
  callsNothing: policy.allowed_kinds?.length === 0,
  reads: policy.reads === undefined ? [] : [policy.reads],
});

/** Returns the values of a form as a request. Empty fields set no bound. */
function keyInput({ name, daily, monthly, rpm, tpm, models, kinds, callsNothing, reads }: Draft): KeyInput {
  return {
    name,
    policy: {
      ...(models.length === 0 ? {} : { allowed_models: models }),
      ...(kinds.length === 0 && !callsNothing ? {} : { allowed_kinds: kinds }),
      ...(daily === '' ? {} : { daily_usd: daily }),
      ...(monthly === '' ? {} : { monthly_usd: monthly }),
      ...(tpm === '' ? {} : { tpm: Number(tpm) }),
      ...(rpm === '' ? {} : { rpm: Number(rpm) }),
      ...(reads.length === 0 ? {} : { reads: 'account' }),
    },
  };
}

/** The bounds that the service sets. */
const CAP = { min: '0', max: '1000000000', step: '0.000000001' } as const;
const RATE = { min: '1', max: '1000000000' } as const;

const LABELS = {
  name: 'Name',
  'policy.daily_usd': 'Daily cap, USD',
  'policy.monthly_usd': 'Monthly cap, USD',
  'policy.rpm': 'Requests a minute',
  'policy.tpm': 'Tokens a minute',
  'policy.allowed_models': 'Models',
  'policy.reads': 'Reads the usage of the whole account',
} as const;

export function KeyForm({
  of,
  submit,
  onSubmit,
  onCancel,
}: {
  readonly of?: ApiKey;
  readonly submit: string;
  readonly onSubmit: (input: KeyInput) => Promise<unknown>;
  readonly onCancel?: () => void;
}) {
  const [draft, setDraft] = useState(() => draftOf(of?.name ?? '', of?.policy ?? {}));
  const set = (change: Partial<Draft>) => setDraft((before) => ({ ...before, ...change }));
  return (
    <Form
      submit={submit}
      labels={LABELS}
      onSubmit={() => onSubmit(keyInput(draft))}
      {...(onCancel === undefined ? {} : { onCancel })}
    >
      <Input label="Name" value={draft.name} onChange={(name) => set({ name })} required />
      <div className="columns">
        <Input
          label={LABELS['policy.daily_usd']}
          value={draft.daily}
          onChange={(daily) => set({ daily })}
          type="number"
          {...CAP}
          placeholder="no cap"
          hint="UTC days"
        />
        <Input
          label={LABELS['policy.monthly_usd']}
          value={draft.monthly}
          onChange={(monthly) => set({ monthly })}
          type="number"
          {...CAP}
          placeholder="no cap"
          hint="UTC months"
        />
        <Input
          label={LABELS['policy.rpm']}
          value={draft.rpm}
          onChange={(rpm) => set({ rpm })}
          type="number"
          {...RATE}
          placeholder={String(DEFAULT_RPM)}
          hint={`Empty: ${DEFAULT_RPM}, as for every key`}
        />
        <Input
          label={LABELS['policy.tpm']}
          value={draft.tpm}
          onChange={(tpm) => set({ tpm })}
          type="number"
          {...RATE}
          placeholder="no limit"
        />
      </div>
      <fieldset className="stack tight">
        <legend>{`Kinds of calls (none chosen: ${draft.callsNothing ? 'none' : 'all'})`}</legend>
        <div className="row">
          <Choices options={KINDS} chosen={draft.kinds} onChange={(kinds) => set({ kinds })} />
        </div>
      </fieldset>
      <Choices
        options={[['account', LABELS['policy.reads']]]}
        chosen={draft.reads}
        onChange={(reads) => set({ reads })}
      />
      <AllowedModels chosen={draft.models} onChange={(models) => set({ models })} />
    </Form>
  );
}

function AllowedModels({
  chosen,
  onChange,
}: {
  readonly chosen: readonly string[];
  readonly onChange: (chosen: readonly string[]) => void;
}) {
  const prices = usePrices();
  const all = new Map([...chosen.map((id) => [id, id] as const), ...(prices.data ?? []).map(modelOption)]);
  return (
    <details open={chosen.length > 0}>
      <summary>Models ({chosen.length === 0 ? 'all' : `${chosen.length} allowed`})</summary>
      <fieldset>
        <legend className="hidden">Allowed models</legend>
        <div className="columns tight">
          <Choices options={[...all]} chosen={chosen} onChange={onChange} />
        </div>
      </fieldset>
    </details>
  );
}
