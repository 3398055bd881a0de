/** Fields, forms and tabs. */
import { type KeyboardEventHandler, type ReactNode, useId, useState } from 'react';
import { Problem } from './problem.tsx';
import type { FieldLabels } from './problem-text.ts';

export function Field({
  label,
  hint,
  children,
}: {
  readonly label: string;
  readonly hint?: string;
  readonly children: (id: string) => ReactNode;
}) {
  const id = useId();
  return (
    <div className="field">
      <span>
        <label htmlFor={id}>{label}</label>
      </span>
      {children(id)}
      {hint === undefined ? null : <small>{hint}</small>}
    </div>
  );
}

interface InputOptions {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly hint?: string;
  readonly type?: 'text' | 'number' | 'url' | 'search' | 'date';
  readonly placeholder?: string;
  readonly required?: boolean;
  readonly step?: string;
  readonly min?: string;
  readonly max?: string;
}

export const Input = ({ label, hint, onChange, type = 'text', ...rest }: InputOptions) => (
  <Field label={label} {...(hint === undefined ? {} : { hint })}>
    {(id) => (
      <input
        id={id}
        type={type}
        autoComplete="off"
        onChange={({ target }) => onChange(target.value)}
        {...rest}
      />
    )}
  </Field>
);

interface SelectOptions {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** Values with the text that is shown. */
  readonly options: readonly (readonly [value: string, text: string])[];
  readonly hint?: string;
  readonly required?: boolean;
}

export const Select = ({ label, value, onChange, options, hint, required }: SelectOptions) => (
  <Field label={label} {...(hint === undefined ? {} : { hint })}>
    {(id) => (
      <select id={id} value={value} required={required} onChange={({ target }) => onChange(target.value)}>
        {options.map(([each, text]) => (
          <option key={each} value={each}>
            {text}
          </option>
        ))}
      </select>
    )}
  </Field>
);

export const TextArea = ({
  label,
  value,
  onChange,
  hint,
  onKeyDown,
  rows = 4,
}: Pick<InputOptions, 'label' | 'value' | 'onChange' | 'hint'> & {
  readonly rows?: number;
  readonly onKeyDown?: KeyboardEventHandler<HTMLTextAreaElement>;
}) => (
  <Field label={label} {...(hint === undefined ? {} : { hint })}>
    {(id) => (
      <textarea
        id={id}
        rows={rows}
        value={value}
        onChange={({ target }) => onChange(target.value)}
        onKeyDown={onKeyDown}
      />
    )}
  </Field>
);

/** The problem of a first and a last day that are no span. */
export const SpanProblem = () => (
  <p className="note">Choose a first day and a last day that is not before it.</p>
);

/** An action that may fail: whether it runs, and what the last run ended in. */
export function useAction<A extends readonly unknown[]>(action: (...args: A) => Promise<unknown>) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<Error>();
  const run = async (...args: A): Promise<boolean> => {
    setBusy(true);
    setError(undefined);
    try {
      await action(...args);
      return true;
    } catch (failure) {
      setError(failure as Error);
      return false;
    } finally {
      setBusy(false);
    }
  };
  return { run, busy, error };
}

/** A form that sends what it has once. */
export function Form({
  onSubmit,
  submit,
  done,
  onCancel,
  dismiss = 'Cancel',
  disabled = false,
  labels,
  children,
}: {
  readonly onSubmit: () => Promise<unknown>;
  /** The text of its button. */
  readonly submit: string;
  /** The text that a form which stays announces once it is sent, until something in it changes. */
  readonly done?: string;
  readonly onCancel?: () => void;
  /** The text of the button that closes it without sending. */
  readonly dismiss?: string;
  /** Prevents that it is sent. */
  readonly disabled?: boolean;
  /** The labels of its fields, by their names in the API, for errors that name one. */
  readonly labels?: FieldLabels;
  readonly children: ReactNode;
}) {
  const { run, busy, error } = useAction(onSubmit);
  const [isDone, setIsDone] = useState(false);
  return (
    <form
      className="stack"
      onChange={() => setIsDone(false)}
      onSubmit={async (event) => {
        event.preventDefault();
        if (!busy && !disabled) setIsDone(await run());
      }}
    >
      {children}
      <Problem error={error} {...(labels === undefined ? {} : { labels })} />
      <div className="row end">
        {done === undefined ? null : <span role="status">{isDone ? done : ''}</span>}
        {onCancel === undefined ? null : (
          <button type="button" className="button" onClick={onCancel}>
            {dismiss}
          </button>
        )}
        <button type="submit" className="button main" disabled={busy || disabled}>
          {submit}
        </button>
      </div>
    </form>
  );
}

/** Boxes to check, of which any number may be chosen. */
export const Choices = <T extends string>({
  options,
  chosen,
  onChange,
}: {
  readonly options: readonly (readonly [value: T, text: ReactNode])[];
  readonly chosen: readonly T[];
  readonly onChange: (chosen: readonly T[]) => void;
}) =>
  options.map(([value, text]) => (
    <label key={value} className="check break">
      <input
        type="checkbox"
        checked={chosen.includes(value)}
        onChange={({ target: { checked } }) =>
          onChange(checked ? [...chosen, value] : chosen.filter((each) => each !== value))
        }
      />
      <span>{text}</span>
    </label>
  ));

/** Tabs as the WAI-ARIA practices have them: arrow keys move, one panel shows. */
export function Tabs<T extends string>({
  label,
  tabs,
  current,
  onChange,
}: {
  readonly label: string;
  readonly tabs: readonly (readonly [id: T, text: string])[];
  readonly current: T;
  readonly onChange: (id: T) => void;
}) {
  const move = (step: number, list: EventTarget & HTMLDivElement) => {
    const at = tabs.findIndex(([id]) => id === current);
    const [next] = tabs[(at + step + tabs.length) % tabs.length] ?? [current];
    onChange(next);
    list.querySelectorAll('button')[(at + step + tabs.length) % tabs.length]?.focus();
  };
  return (
    <div
      className="tabs"
      role="tablist"
      tabIndex={-1}
      aria-label={label}
      onKeyDown={(event) => {
        if (event.key === 'ArrowRight') move(1, event.currentTarget);
        if (event.key === 'ArrowLeft') move(-1, event.currentTarget);
      }}
    >
      {tabs.map(([id, text]) => (
        <button
          key={id}
          type="button"
          role="tab"
          aria-selected={id === current}
          tabIndex={id === current ? 0 : -1}
          onClick={() => onChange(id)}
        >
          {text}
        </button>
      ))}
    </div>
  );
}
