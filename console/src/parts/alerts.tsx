/** The thresholds of credit below which the account is alerted. */
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { call } from '../api/client.ts';
import { usdField } from '../api/money.ts';
import { ALERTS, queryClient, useAlerts } from '../api/queries.ts';
import type { AlertsBody } from '../api/types.ts';
import { Loaded, Panel } from './basics.tsx';
import { Form, Input } from './form.tsx';

const LABELS = { balance_low_usd: 'Below USD', balance_low_days: 'Below days at the recent pace' };

export function Alerts() {
  const alerts = useAlerts();
  return (
    <Panel title="Alerts">
      <Loaded query={alerts}>{(data) => <Thresholds of={data} />}</Loaded>
    </Panel>
  );
}

function Thresholds({
  of: { balance_low_usd: usd, balance_low_days: days, low },
}: {
  readonly of: AlertsBody;
}) {
  const [amount, setAmount] = useState(usd === null ? '' : usdField(usd));
  const [span, setSpan] = useState(days?.toString() ?? '');
  const save = async () => {
    const body = {
      balance_low_usd: amount === '' ? null : amount,
      balance_low_days: span === '' ? null : Number(span),
    };
    queryClient.setQueryData(ALERTS, await call<AlertsBody>('/api/v1/alerts', { method: 'PUT', body }));
  };
  return (
    <>
      {low ? (
        <p className="note warn" role="status">
          Your credit is low: it is below a threshold.
        </p>
      ) : null}
      <Form submit="Save alerts" onSubmit={save} done="Saved." labels={LABELS}>
        <div className="row">
          <Input
            label={LABELS.balance_low_usd}
            type="number"
            min="0"
            step="any"
            value={amount}
            onChange={setAmount}
          />
          <Input
            label={LABELS.balance_low_days}
            type="number"
            min="1"
            max="365"
            value={span}
            onChange={setSpan}
          />
        </div>
        <p className="small quiet">
          Sent once as <code>balance.low</code>, within 5 minutes, to the <Link to="/webhooks">webhooks</Link>{' '}
          that name it. Empty: off.
        </p>
      </Form>
    </>
  );
}
