/** A conversation, streamed; with tools and an output schema if they are specified. */
import { type KeyboardEvent, useState } from 'react';
import type { PriceBody } from '../../api/types.ts';
import { countText } from '../basics.tsx';
import { Field, Input, TextArea } from '../form.tsx';
import { Problem } from '../problem.tsx';
import { AsCode } from '../snippets/tabs.tsx';
import { chatBody, type Draft, turnsToShow } from './chat-body.ts';
import { useConversation } from './conversation.ts';
import { Talk } from './talk.tsx';

/** The model of a trial, with what the catalog says of it. */
export interface TrialModel {
  readonly model: string;
  readonly maxOutputTokens?: number | undefined;
  readonly capabilities?: PriceBody['capabilities'];
  readonly voices?: PriceBody['voices'];
}

/** The largest picture, in bytes: as base64, it leaves room in a body of 6 MB. */
const MAX_PICTURE_BYTES = 3_000_000;

/** The output limit that a conversation begins with, unless the model writes less. */
const OUTPUT_LIMIT = 1024;

export function ChatTrial({ model, maxOutputTokens = 1_000_000, capabilities = [] }: TrialModel) {
  const [text, setText] = useState('');
  const [picture, setPicture] = useState('');
  const [draft, setDraft] = useState<Draft>({
    system: '',
    tools: '',
    schema: '',
    maxTokens: String(Math.min(OUTPUT_LIMIT, maxOutputTokens)),
  });
  const { turns, coming, ended, metrics, send, stop, clear, busy, error } = useConversation(
    model,
    (unanswered, itsPicture) => {
      setText((written) => (written === '' ? unanswered : written));
      setPicture((chosen) => (chosen === '' ? itsPicture : chosen));
    },
  );
  const submit = () => {
    if (text.trim() !== '') {
      setText('');
      setPicture('');
    }
    send(text, picture, draft);
  };
  return (
    <>
      <div className="panel stack">
        <Talk turns={turns} metrics={metrics} coming={coming} />
        {ended?.isCut ? (
          <p className="note warn">
            Cut at the output limit of {countText(Number(ended.maxTokens))} tokens: raise it below for longer
            answers.
          </p>
        ) : null}
        <Problem error={error} labels={{ max_tokens: 'Output limit, tokens' }} />
        <form
          className="stack"
          onSubmit={(event) => {
            event.preventDefault();
            if (!busy) submit();
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
          {capabilities.includes('vision') ? <Picture of={picture} onChange={setPicture} /> : null}
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
      <AsCode
        of={() => ({ kind: 'chat', body: chatBody(model, turnsToShow(turns, text, picture), draft) })}
      />
    </>
  );
}

/** A picture that goes with the message, as a data URL; empty for none. */
function Picture({
  of: picture,
  onChange,
}: {
  readonly of: string;
  readonly onChange: (url: string) => void;
}) {
  const choose = (field: HTMLInputElement) => {
    const [file] = field.files ?? [];
    const isTooLarge = (file?.size ?? 0) > MAX_PICTURE_BYTES;
    field.setCustomValidity(isTooLarge ? 'Choose a picture of at most 3 MB.' : '');
    field.reportValidity();
    if (file === undefined || isTooLarge) return;
    const reader = new FileReader();
    reader.onload = () => onChange(String(reader.result));
    reader.readAsDataURL(file);
  };
  return (
    <Field label="Picture (optional)">
      {(id) =>
        picture === '' ? (
          <input
            id={id}
            type="file"
            accept="image/png,image/jpeg,image/gif,image/webp"
            onChange={({ target }) => choose(target)}
          />
        ) : (
          <div className="row">
            <img className="picture thumbnail" src={picture} alt="Attached to the message" />
            <button id={id} type="button" className="button small" onClick={() => onChange('')}>
              Remove
            </button>
          </div>
        )
      }
    </Field>
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
