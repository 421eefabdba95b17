import type { ReactNode, Ref } from 'react';
import { Button as AriaButton, type PressEvent } from 'react-aria-components/Button';

/** While its action runs the button says so, keeps its place and cannot be pressed again. */
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
  ref,
}: {
  readonly children: ReactNode;
  readonly variant?: 'plain' | 'primary' | 'danger' | 'quiet';
  readonly type?: 'button' | 'submit';
  readonly isDisabled?: boolean;
  /** What happens now, such as `Opening…`; `undefined` or `false` while nothing does. */
  readonly busy?: string | false | undefined;
  readonly onPress?: (event: PressEvent) => void;
  readonly autoFocus?: boolean;
  readonly form?: string;
  /** Its name for screen readers, which holds what it shows. While it is busy, what it shows then is its name. */
  readonly label?: string;
  readonly ref?: Ref<HTMLButtonElement>;
}) {
  return (
    <AriaButton
      ref={ref}
      type={type}
      className={`button ${variant}`}
      isDisabled={isDisabled || Boolean(busy)}
      onPress={onPress}
      autoFocus={autoFocus}
      form={form}
      aria-label={busy ? undefined : label}
    >
      {busy || children}
    </AriaButton>
  );
}
