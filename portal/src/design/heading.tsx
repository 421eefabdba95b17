import { useEffect, useRef, type ReactNode } from 'react';

/**
 * The heading of a screen. It takes the focus when the screen appears, so that it is read first. `title` names the place
 * without anyone's data, because titles end up in histories.
 */
export function Heading({ children, title }: { readonly children?: ReactNode; readonly title: string }) {
  const ref = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · Lucarne`;
    ref.current?.focus({ preventScroll: true });
  }, [title]);
  return (
    <h1 ref={ref} tabIndex={-1}>
      {children ?? title}
    </h1>
  );
}
