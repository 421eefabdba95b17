import { useSyncExternalStore, type ReactNode, type Ref } from 'react';
import { Button as AriaButton, type PressEvent } from 'react-aria-components/Button';
import { absence } from '../graphql/connection';

/** The element that says since when the gateway does not answer. */
export const AWAY_ID = 'away';

/** While its action runs the button says so, keeps its place and the focus, and cannot be pressed again. */
export function Button({
  children,
  variant = 'plain',
  type = 'button',
  isDisabled = false,
  busy,
  onPress,
  autoFocus,
  form,
  label,
  isExpanded,
  ref,
}: {
  readonly children: ReactNode;
  readonly variant?: 'plain' | 'primary' | 'danger' | 'quiet';
  readonly type?: 'button' | 'submit';
  readonly isDisabled?: boolean;
  /**
   * What happens now, such as `Opening…`; `false` while nothing does. A button that has it asks the gateway, and so cannot be
   * pressed while that does not answer.
   */
  readonly busy?: string | false | undefined;
  readonly onPress?: (event: PressEvent) => void;
  readonly autoFocus?: boolean;
  readonly form?: string;
  /** The accessible name, which contains the visible text. While the button is busy, the visible text is the name. */
  readonly label?: string;
  /** For a button that shows and hides a part of the page: whether that is shown. */
  readonly isExpanded?: boolean;
  readonly ref?: Ref<HTMLButtonElement>;
}) {
  const isAway = useSyncExternalStore(absence.subscribe, absence.read) !== undefined && busy !== undefined;
  return (
    <AriaButton
      ref={ref}
      type={busy ? 'button' : type}
      className={`button ${variant}`}
      isDisabled={isDisabled || isAway}
      onPress={busy ? undefined : onPress}
      autoFocus={autoFocus}
      form={form}
      aria-label={busy ? undefined : label}
      aria-expanded={isExpanded}
      aria-describedby={isAway ? AWAY_ID : undefined}
      // A disabled button loses the focus, and a layer that its answer opens would not know where to give it back.
      render={(props) => <button {...props} aria-disabled={busy ? true : undefined} />}
    >
      {busy || children}
    </AriaButton>
  );
}
