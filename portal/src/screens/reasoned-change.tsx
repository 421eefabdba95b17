import type { QueryKey } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { Button } from '../design/button';
import { Confirm } from '../design/dialog';
import type { FormValues } from '../design/form-values.ts';
import { useAction } from '../graphql/hooks';
import { ReasonField } from './reason-field';

/** A button for what cannot be undone, and the dialog that asks before it, with a reason. */
export function ReasonedChange<Seen>({
  open,
  label,
  seen,
  title,
  action,
  busy,
  isDanger,
  reasonHint,
  children,
  change,
  changed,
}: {
  /** What the button says, and its name for screen readers where that says more. */
  readonly open: string;
  readonly label?: string;
  /** The object as it is when the button is pressed, so that later updates do not change the dialog. */
  readonly seen: Seen;
  readonly title: (seen: Seen) => string;
  readonly action: string;
  readonly busy: string;
  readonly isDanger?: boolean;
  readonly reasonHint?: string;
  readonly children: ReactNode;
  readonly change: (seen: Seen, values: FormValues) => Promise<unknown>;
  /** What is read again after it. */
  readonly changed: readonly QueryKey[];
}) {
  const [asked, setAsked] = useState<{ readonly seen: Seen }>();
  const act = useAction(
    (input: { readonly seen: Seen; readonly values: FormValues }) => change(input.seen, input.values),
    changed,
  );
  const close = () => {
    setAsked(undefined);
    act.reset();
  };
  return (
    <>
      <Button label={label} onPress={() => setAsked({ seen })}>
        {open}
      </Button>
      {asked && (
        <Confirm
          title={title(asked.seen)}
          action={action}
          busy={busy}
          isDanger={isDanger}
          state={act}
          onClose={close}
          onConfirm={(values) => void act.run({ seen: asked.seen, values }, close)}
        >
          {children}
          <ReasonField hint={reasonHint} />
        </Confirm>
      )}
    </>
  );
}
