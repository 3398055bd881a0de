/** Dialogs, and buttons that open one. */
import {
  createContext,
  type ReactNode,
  type RefObject,
  useContext,
  useEffect,
  useId,
  useRef,
  useState,
} from 'react';
import { Form } from './form.tsx';

/** True while the content of the dialog would be lost with it. */
const Kept = createContext<RefObject<boolean> | undefined>(undefined);

/** Keeps the dialog around a component open, on Escape too, until a button of the component closes it. */
export function useKeptOpen(): void {
  const kept = useContext(Kept);
  useEffect(() => {
    if (kept === undefined) return;
    kept.current = true;
    return () => {
      kept.current = false;
    };
  }, [kept]);
}

/** Renders a dialog while it is open; the browser traps the focus in it, and Escape closes it unless it is kept open. */
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
  const kept = useRef(false);
  const id = useId();
  useEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => element?.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        if (!kept.current) onClose();
      }}
      onClose={({ currentTarget }) => {
        if (currentTarget.open || !currentTarget.isConnected) return;
        // Browsers close a dialog at the second Escape in sequence, whatever the first one's listener did.
        if (kept.current) currentTarget.showModal();
        else onClose();
      }}
    >
      <div className="stack">
        <h2 id={id}>{title}</h2>
        <Kept value={kept}>{children}</Kept>
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
  dismiss,
  className = 'button bad small',
}: {
  readonly text: string;
  readonly question: ReactNode;
  readonly action: () => Promise<unknown>;
  /** The text of the button that closes it without the action. */
  readonly dismiss?: string;
  readonly className?: string;
}) => (
  <DialogButton text={text} className={className}>
    {(close) => (
      <Form
        onSubmit={() => action().then(close)}
        submit={text}
        onCancel={close}
        {...(dismiss === undefined ? {} : { dismiss })}
      >
        <p>{question}</p>
      </Form>
    )}
  </DialogButton>
);
