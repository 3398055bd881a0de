/** Fields, dialogs and buttons that act. */
import { type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { Problem } from './basics.tsx';

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
  readonly type?: 'text' | 'number' | 'url' | 'search';
  readonly placeholder?: string;
  readonly required?: boolean;
  readonly step?: string;
  readonly min?: string;
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
}

export const Select = ({ label, value, onChange, options, hint }: SelectOptions) => (
  <Field label={label} {...(hint === undefined ? {} : { hint })}>
    {(id) => (
      <select id={id} value={value} onChange={({ target }) => onChange(target.value)}>
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
  rows = 4,
}: Pick<InputOptions, 'label' | 'value' | 'onChange' | 'hint'> & { readonly rows?: number }) => (
  <Field label={label} {...(hint === undefined ? {} : { hint })}>
    {(id) => <textarea id={id} rows={rows} value={value} onChange={({ target }) => onChange(target.value)} />}
  </Field>
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
  onCancel,
  children,
}: {
  readonly onSubmit: () => Promise<unknown>;
  /** The text of its button. */
  readonly submit: string;
  readonly onCancel?: () => void;
  readonly children: ReactNode;
}) {
  const { run, busy, error } = useAction(onSubmit);
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        if (!busy) run();
      }}
    >
      {children}
      <Problem error={error} />
      <div className="row end">
        {onCancel === undefined ? null : (
          <button type="button" className="button" onClick={onCancel}>
            Cancel
          </button>
        )}
        <button type="submit" className="button main" disabled={busy}>
          {submit}
        </button>
      </div>
    </form>
  );
}

/** Renders a dialog while it is open; the browser traps the focus in it and closes it with Escape. */
function Dialog({
  title,
  onClose,
  children,
}: {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => element?.close();
  }, []);
  return (
    <dialog ref={dialog} aria-labelledby={id} onCancel={onClose}>
      <div className="stack">
        <h2 id={id}>{title}</h2>
        {children}
      </div>
    </dialog>
  );
}

/** A button that opens a dialog, whose content is new each time. */
export function DialogButton({
  text,
  title = text,
  className = 'button',
  children,
}: {
  readonly text: string;
  readonly title?: string;
  readonly className?: string;
  readonly children: (close: () => void) => ReactNode;
}) {
  const [open, setOpen] = useState(false);
  const close = () => setOpen(false);
  return (
    <>
      <button type="button" className={className} onClick={() => setOpen(true)}>
        {text}
      </button>
      {open ? (
        <Dialog title={title} onClose={close}>
          {children(close)}
        </Dialog>
      ) : null}
    </>
  );
}

/** Renders a button that requires a confirmation before its action. */
export const Confirmed = ({
  text,
  question,
  action,
  className = 'button bad small',
}: {
  readonly text: string;
  readonly question: string;
  readonly action: () => Promise<unknown>;
  readonly className?: string;
}) => (
  <DialogButton text={text} className={className}>
    {(close) => (
      <Form onSubmit={() => action().then(close)} submit={text} onCancel={close}>
        <p>{question}</p>
      </Form>
    )}
  </DialogButton>
);

/** Boxes to check, of which any number may be chosen. */
export const Choices = <T extends string>({
  options,
  chosen,
  onChange,
}: {
  readonly options: readonly (readonly [value: T, text: string])[];
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
