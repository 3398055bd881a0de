/** Telemetry: the receiver that gets the calls of the account as OpenTelemetry. */
import { useState } from 'react';
import { call } from '../api/client.ts';
import { queryClient, useTelemetry } from '../api/queries.ts';
import type { TelemetryBody } from '../api/types.ts';
import { headersOf } from '../api/values.ts';
import { Badge, countText, Facts, Loaded, Panel, Time } from './basics.tsx';
import { Confirmed, DialogButton } from './dialog.tsx';
import { Form, Input, Select, TextArea } from './form.tsx';

const PATH = '/api/v1/telemetry';

const refresh = () => queryClient.invalidateQueries({ queryKey: ['telemetry'] });

export function Telemetry() {
  const telemetry = useTelemetry();
  return (
    <Panel title="Telemetry">
      <div className="stack">
        <p className="quiet">
          Spans and metrics of your calls for a receiver of OpenTelemetry, with cost and tokens and never with
          content.
        </p>
        <Loaded query={telemetry}>{(data) => (data === null ? null : <Receiver of={data} />)}</Loaded>
        <div className="row">
          <DialogButton text={telemetry.data ? 'Replace the receiver' : 'Add a receiver'}>
            {(close) => <SetReceiver onClose={close} />}
          </DialogButton>
          {telemetry.data ? (
            <Confirmed
              text="Remove the receiver"
              question="No call is sent there any more, and what waits is dropped."
              action={() => call(PATH, { method: 'DELETE' }).then(refresh)}
              className="button bad"
            />
          ) : null}
        </div>
      </div>
    </Panel>
  );
}

const TONES = { active: 'good', failing: 'warn', disabled: 'bad' } as const;

const Receiver = ({ of: receiver }: { readonly of: TelemetryBody }) => {
  const { url, status, disabled_reason: reason, last_success: success, last_error: error } = receiver;
  const { delivered, pending, dropped } = receiver.batches;
  return (
    <Facts
      of={{
        Receiver: <span className="break">{url}</span>,
        State: <Badge tone={TONES[status]}>{reason === undefined ? status : `${status}: ${reason}`}</Badge>,
        Headers: receiver.header_names.join(', ') || 'none',
        'Last success': success === null ? 'none' : <Time at={success} />,
        'Last failure':
          error === null ? (
            'none'
          ) : (
            <>
              <Time at={error.at} /> {error.outcome} {error.response_status}
            </>
          ),
        'Last batches': `${countText(delivered)} delivered, ${countText(pending)} waiting, ${countText(dropped)} given up`,
      }}
    />
  );
};

function SetReceiver({ onClose }: { readonly onClose: () => void }) {
  const [url, setUrl] = useState('');
  const [headers, setHeaders] = useState('');
  const [names, setNames] = useState('stable');
  const set = async () => {
    const body = { url, headers: headersOf(headers), attribute_names: names };
    await call(PATH, { method: 'PUT', body });
    await refresh();
    onClose();
  };
  return (
    <Form
      submit="Save"
      onSubmit={set}
      onCancel={onClose}
      labels={{ url: 'Address', headers: 'Headers', attribute_names: 'Names of attributes' }}
    >
      <Input
        label="Address"
        type="url"
        value={url}
        onChange={setUrl}
        required
        placeholder="https://otlp.example.com"
        hint="The base of OTLP over HTTP: /v1/traces and /v1/metrics follow it."
      />
      <TextArea
        label="Headers"
        value={headers}
        onChange={setHeaders}
        hint="One a line, such as authorization: Bearer abc. Their values are not shown again."
      />
      <Select
        label="Names of attributes"
        value={names}
        onChange={setNames}
        options={[
          ['stable', 'The current names'],
          ['both', 'The current and the older names'],
        ]}
      />
    </Form>
  );
}
