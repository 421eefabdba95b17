import type { ReactNode } from 'react';
import { Heading } from './heading';
import { Icon } from './icons';

/** A page that needs no sign-in. It has no navigation. */
export function OutsidePage({
  title,
  isWide = false,
  children,
}: {
  readonly title: string;
  readonly isWide?: boolean;
  readonly children: ReactNode;
}) {
  return (
    <main className={isWide ? 'narrow wide' : 'narrow'}>
      <p className="brand">
        <Icon name="window" /> Lucarne
      </p>
      <Heading title={title} />
      {children}
    </main>
  );
}
