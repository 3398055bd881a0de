/** A conversation, streamed; with tools and an output schema if they are specified. */
import { type KeyboardEvent, useState } from 'react';
import { countText } from '../basics.tsx';
import { Input, TextArea } from '../form.tsx';
import { Problem } from '../problem.tsx';
import { AsCode } from '../snippets/tabs.tsx';
import { chatBody, type Draft, turnsToShow } from './chat-body.ts';
import { useConversation } from './conversation.ts';
import { MetricsLine } from './metrics-line.tsx';
import { Talk } from './talk.tsx';

/** The model of a trial, and the most that it writes. */
export interface TrialModel {
  readonly model: string;
  readonly maxOutputTokens?: number | undefined;
}

/** The output limit that a conversation begins with, unless the model writes less. */
const OUTPUT_LIMIT = 1024;

export function ChatTrial({ model, maxOutputTokens = 1_000_000 }: TrialModel) {
  const [text, setText] = useState('');
  const [draft, setDraft] = useState<Draft>({
    system: '',
    tools: '',
    schema: '',
    maxTokens: String(Math.min(OUTPUT_LIMIT, maxOutputTokens)),
  });
  const { turns, coming, ended, send, stop, clear, busy, error } = useConversation(model, (unanswered) =>
    setText((written) => (written === '' ? unanswered : written)),
  );
  const submit = () => {
    setText('');
    send(text, draft);
  };
  return (
    <>
      <div className="panel stack">
        <Talk turns={turns} coming={coming} />
        {ended?.metrics.cut ? (
          <p className="note warn">
            Cut at the output limit of {countText(Number(ended.maxTokens))} tokens: raise it below for longer
            answers.
          </p>
        ) : null}
        {ended === undefined ? null : <MetricsLine metrics={ended.metrics} />}
        <Problem error={error} labels={{ max_tokens: 'Output limit, tokens' }} />
        <form
          className="stack"
          onSubmit={(event) => {
            event.preventDefault();
            if (!busy && text.trim() !== '') submit();
          }}
        >
          <TextArea
            label="Message"
            value={text}
            onChange={setText}
            rows={3}
            onKeyDown={sendOnEnter}
            hint="Enter sends; Shift+Enter begins a line."
          />
          <div className="row apart">
            <Input
              label="Output limit, tokens"
              type="number"
              min="1"
              max={String(maxOutputTokens)}
              required
              value={draft.maxTokens}
              onChange={(maxTokens) => setDraft({ ...draft, maxTokens })}
            />
            <div className="row end">
              {turns.length === 0 || busy ? null : (
                <button type="button" className="button" onClick={clear}>
                  Clear
                </button>
              )}
              {busy ? (
                <button type="button" className="button" onClick={stop}>
                  Stop
                </button>
              ) : null}
              <button type="submit" className="button main" disabled={busy}>
                Send
              </button>
            </div>
          </div>
        </form>
        <Extras draft={draft} onChange={setDraft} />
      </div>
      <AsCode of={() => ({ kind: 'chat', body: chatBody(model, turnsToShow(turns, text), draft) })} />
    </>
  );
}

/** Sends at Enter, unless it ends a composition (of Japanese, for example) or begins a line. */
function sendOnEnter(event: KeyboardEvent<HTMLTextAreaElement>): void {
  if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
  event.preventDefault();
  event.currentTarget.form?.requestSubmit();
}

const Extras = ({
  draft,
  onChange,
}: {
  readonly draft: Draft;
  readonly onChange: (draft: Draft) => void;
}) => (
  <details>
    <summary>System prompt, tools, schema of the answer</summary>
    <div className="stack">
      <TextArea
        label="System prompt"
        value={draft.system}
        onChange={(system) => onChange({ ...draft, system })}
        rows={2}
      />
      <TextArea
        label="Tools (JSON, as OpenAI's API takes them)"
        value={draft.tools}
        onChange={(tools) => onChange({ ...draft, tools })}
      />
      <TextArea
        label="Schema of the response (JSON Schema)"
        value={draft.schema}
        onChange={(schema) => onChange({ ...draft, schema })}
      />
    </div>
  </details>
);
