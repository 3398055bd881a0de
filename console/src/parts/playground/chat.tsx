/** A conversation, streamed; with tools and an output schema if they are specified. */
import { useRef, useState } from 'react';
import { type PlaygroundMetrics, streamChat } from '../../api/playground.ts';
import { Problem } from '../basics.tsx';
import { TextArea, useAction } from '../form.tsx';
import type { SnippetTurn } from '../snippets/requests.ts';
import { AsCode } from '../snippets/tabs.tsx';
import { chatBody, type Draft, turnsToShow } from './chat-body.ts';
import { MetricsLine } from './metrics-line.tsx';

export function ChatTrial({ model }: { readonly model: string }) {
  const [turns, setTurns] = useState<readonly SnippetTurn[]>([]);
  const [coming, setComing] = useState<string>();
  const [metrics, setMetrics] = useState<PlaygroundMetrics>();
  const [text, setText] = useState('');
  const [draft, setDraft] = useState<Draft>({ system: '', tools: '', schema: '' });
  const stop = useRef<AbortController>(null);
  const { run, busy, error } = useAction(async () => {
    const requestTurns: readonly SnippetTurn[] = [...turns, { role: 'user', content: text }];
    const body = chatBody(model, requestTurns, draft);
    stop.current = new AbortController();
    setTurns(requestTurns);
    setText('');
    setMetrics(undefined);
    let output = '';
    try {
      const after = await streamChat(
        body,
        (delta) => {
          output += delta;
          setComing(output);
        },
        stop.current.signal,
      );
      setMetrics(after);
    } catch (failure) {
      if (!stop.current.signal.aborted) throw failure;
    } finally {
      if (output !== '') setTurns([...requestTurns, { role: 'assistant', content: output }]);
      setComing(undefined);
    }
  });
  return (
    <>
      <div className="panel stack">
        <Talk turns={turns} coming={coming} />
        {metrics === undefined ? null : <MetricsLine metrics={metrics} />}
        <Problem error={error} />
        <form
          className="stack"
          onSubmit={(event) => {
            event.preventDefault();
            if (!busy && text.trim() !== '') run();
          }}
        >
          <TextArea label="Message" value={text} onChange={setText} rows={3} />
          <div className="row end">
            {turns.length === 0 || busy ? null : (
              <button type="button" className="button" onClick={() => setTurns([])}>
                Clear
              </button>
            )}
            {busy ? (
              <button type="button" className="button" onClick={() => stop.current?.abort()}>
                Stop
              </button>
            ) : null}
            <button type="submit" className="button main" disabled={busy}>
              Send
            </button>
          </div>
        </form>
        <Extras draft={draft} onChange={setDraft} />
      </div>
      <AsCode of={() => ({ kind: 'chat', body: chatBody(model, turnsToShow(turns, text), draft) })} />
    </>
  );
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

const Talk = ({
  turns,
  coming,
}: {
  readonly turns: readonly SnippetTurn[];
  readonly coming: string | undefined;
}) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard.
  <div className="talk" tabIndex={0} role="log" aria-label="Conversation" aria-live="polite">
    {turns.length === 0 ? <p className="empty">Say something to the model.</p> : null}
    {turns.map(({ role, content }, at) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: turns are only ever added at the end.
      <div key={at} className={`turn ${role}`}>
        <span className="hidden">{role === 'user' ? 'You: ' : 'Model: '}</span>
        {content}
      </div>
    ))}
    {coming === undefined ? null : <div className="turn assistant">{coming}</div>}
  </div>
);
