/** The account at the payment provider: its state, and the provider's page that asks for what is missing. */
import { useState } from 'react';
import { call } from '../../api/client.ts';
import { centsField, centsOf } from '../../api/money.ts';
import { refreshSales } from '../../api/sales.ts';
import type { EarningsBody, PayoutAccountBody } from '../../api/types.ts';
import { MIN_PAYOUT_USD, PAYOUT_COUNTRIES } from '../../api/values.ts';
import { webAddress } from '../../api/web-address.ts';
import { Badge } from '../basics.tsx';
import { Form, Input, Select, useAction } from '../form.tsx';
import { Problem } from '../problem.tsx';

type PayoutSettings = EarningsBody['payouts'];

const connect = (body: object): Promise<PayoutAccountBody> =>
  call<PayoutAccountBody>('/api/v1/payout-account', { method: 'POST', body });

/** Leaves for the provider's page, which is for one visit. */
async function onboard(body: object): Promise<void> {
  const address = webAddress((await connect(body)).onboarding_url);
  if (address === undefined) throw new Error('The payment provider has no page to continue at.');
  location.assign(address);
}

const STATES = {
  onboarding: ['warn', 'The payment provider needs to know more before it can pay you.', 'Continue there'],
  restricted: ['bad', 'The payment provider has restricted the account.', 'See what it asks for'],
  active: ['good', 'The payment provider can pay you.', 'Change your details there'],
  unknown: ['', 'The payment provider does not respond. Try again later.', 'Open its page'],
} as const;

export function PayoutAccount({ of: settings }: { readonly of: PayoutSettings }) {
  const { status, country } = settings;
  if (status === 'disabled')
    return <p className="quiet">This service does not pay sellers: earnings can become credit only.</p>;
  if (status === 'none' || country === null) return <PayoutSetup of={settings} />;
  const [tone, text, action] = STATES[status];
  return (
    <div className="stack">
      <p>
        <Badge tone={tone}>{status}</Badge> {text} Country: {countryName(country)}.
      </p>
      <Onboarding country={country} text={action} />
      <PayoutSchedule of={settings} country={country} />
    </div>
  );
}

function Onboarding({ country, text }: { readonly country: string; readonly text: string }) {
  const { run, busy, error } = useAction(() => onboard({ country }));
  return (
    <>
      <Problem error={error} />
      <div className="row">
        <button type="button" className="button" disabled={busy} onClick={() => run()}>
          {text}
        </button>
      </div>
    </>
  );
}

const NAMES = new Intl.DisplayNames('en', { type: 'region' });

const countryName = (code: string): string => NAMES.of(code) ?? code;

const COUNTRIES = PAYOUT_COUNTRIES.map((code) => [code, countryName(code)] as const).sort(
  ([, one], [, other]) => one.localeCompare(other),
);

function PayoutSetup({ of: { schedule: first } }: { readonly of: PayoutSettings }) {
  const [country, setCountry] = useState('');
  const [schedule, setSchedule] = useState<string>(first);
  return (
    <Form submit="Continue at the payment provider" onSubmit={() => onboard({ country, schedule })}>
      <div className="columns">
        <Select
          label="Country"
          value={country}
          onChange={setCountry}
          options={[['', 'Choose your country'], ...COUNTRIES]}
          required
          hint="It cannot be changed later."
        />
        <ScheduleSelect value={schedule} onChange={setSchedule} />
      </div>
    </Form>
  );
}

const SCHEDULES = [
  ['manual', 'When I request them'],
  ['weekly', 'Each Monday'],
  ['monthly', 'Each month'],
] as const satisfies readonly (readonly [PayoutSettings['schedule'], string])[];

interface ScheduleOptions {
  readonly value: string;
  readonly onChange: (value: string) => void;
}

const ScheduleSelect = (options: ScheduleOptions) => (
  <Select label="Schedule" {...options} options={SCHEDULES} />
);

function PayoutSchedule({
  of: settings,
  country,
}: {
  readonly of: PayoutSettings;
  readonly country: string;
}) {
  const [schedule, setSchedule] = useState<string>(settings.schedule);
  const [minimum, setMinimum] = useState(centsField(settings.minimum));
  const save = async () => {
    await connect({ country, schedule, minimum: centsOf(minimum) });
    await refreshSales();
  };
  return (
    <Form submit="Save the schedule" onSubmit={save} labels={{ minimum: 'Minimum, USD' }}>
      <div className="columns">
        <ScheduleSelect value={schedule} onChange={setSchedule} />
        <Input
          label="Minimum, USD"
          type="number"
          min={MIN_PAYOUT_USD}
          step="0.01"
          value={minimum}
          onChange={setMinimum}
          required
          hint="Scheduled payouts of less wait for the next date."
        />
      </div>
    </Form>
  );
}
