import type { ReactNode } from 'react';
import { Heading } from './heading';
import { Icon } from './icons';

/** A page that needs no sign-in. It has no navigation. */
export function OutsidePage({
  title,
  isWide = false,
  beside,
  children,
}: {
  readonly title: string;
  readonly isWide?: boolean;
  /** Stands next to the rest if there is room, and otherwise below it. */
  readonly beside?: ReactNode;
  readonly children: ReactNode;
}) {
  const page = (
    <>
      <p className="brand">
        <Icon name="window" /> Lucarne
      </p>
      <Heading title={title} />
      {children}
    </>
  );
  if (beside === undefined) return <main className={isWide ? 'narrow wide' : 'narrow'}>{page}</main>;
  return (
    <main className="narrow two">
      <div className="stack">{page}</div>
      <div className="stack">{beside}</div>
    </main>
  );
}
