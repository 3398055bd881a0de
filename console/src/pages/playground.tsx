/** Playground: every kind of call, at its real price, with a throw-away key. */
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect } from 'react';
import { endPlaygroundKey, PLAYGROUND_CAP_USD } from '../api/playground.ts';
import { listKeysAgain, modelOption, usePrices } from '../api/queries.ts';
import type { PriceBody } from '../api/types.ts';
import { KINDS } from '../api/values.ts';
import { Empty, Loaded, PageHead } from '../parts/basics.tsx';
import { Select, Tabs } from '../parts/form.tsx';
import { ChatTrial } from '../parts/playground/chat.tsx';
import { ImageTrial, SpeechTrial, TranscriptionTrial } from '../parts/playground/media.tsx';

const TRIAL = { chat: ChatTrial, image: ImageTrial, tts: SpeechTrial, audio: TranscriptionTrial } as const;

type TrialKind = keyof typeof TRIAL;

const isTrial = (kind: string | undefined): kind is TrialKind =>
  kind !== undefined && Object.hasOwn(TRIAL, kind);

const TRIALS = KINDS.flatMap(([kind, name]) => (isTrial(kind) ? [[kind, name] as const] : []));

export function Playground() {
  const prices = usePrices();
  // The key can spend nothing after the page is left; a visible list of keys is refreshed.
  useEffect(() => () => void endPlaygroundKey().then(listKeysAgain), []);
  return (
    <div className="page">
      <PageHead
        title="Playground"
        about={`Real calls at real prices, with a key of its own that may spend $${PLAYGROUND_CAP_USD} and ends when you leave.`}
      />
      <Loaded query={prices}>{(all) => <Trials prices={all} />}</Loaded>
    </div>
  );
}

function Trials({ prices }: { readonly prices: readonly PriceBody[] }) {
  const { model: chosen, kind: chosenKind } = useSearch({ from: '/playground' });
  const navigate = useNavigate({ from: '/playground' });
  const named = chosenKind ?? prices.find(({ model_id: id }) => id === chosen)?.type;
  const kind: TrialKind = isTrial(named) ? named : 'chat';
  const ofKind = prices.filter(({ type }) => type === kind);
  const model = ofKind.find(({ model_id: id }) => id === chosen) ?? ofKind[0];
  const Trial = TRIAL[kind];
  return (
    <>
      <Tabs
        label="Kind of call"
        tabs={TRIALS}
        current={kind}
        onChange={(to) => navigate({ search: { kind: to } })}
      />
      {model === undefined ? (
        <Empty>The catalog has no model of this kind.</Empty>
      ) : (
        <>
          <div className="filters">
            <Select
              label="Model"
              value={model.model_id}
              onChange={(to) => navigate({ search: { kind, model: to }, replace: true })}
              options={ofKind.map(modelOption)}
            />
          </div>
          <Trial
            key={`${kind} ${model.model_id}`}
            model={model.model_id}
            maxOutputTokens={model.max_output_tokens}
            capabilities={model.capabilities}
            voices={model.voices}
          />
        </>
      )}
    </>
  );
}
