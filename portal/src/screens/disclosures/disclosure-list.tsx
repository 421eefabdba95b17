import { Link } from '@tanstack/react-router';
import { Waits } from '../../design/countdown';
import { LiveRow } from '../../design/lists/live-rows';
import { Badge, Time } from '../../design/values';
import { counted, texts } from '../../texts.ts';
import { distinguished, fieldsText } from '../scope.ts';
import type { DisclosureNode } from './documents';

const words = texts(
  {
    label: 'Disclosures',
    records: (count: number) => counted(count, 'record', 'records'),
    tooMany: 'more records than one disclosure may have',
  },
  {
    fr: {
      label: 'Divulgations',
      records: (count: number) => counted(count, 'enregistrement', 'enregistrements'),
      tooMany: 'plus d’enregistrements qu’une divulgation ne peut en avoir',
    },
  },
);

const STATES = texts(
  { pending: 'pending', making: 'authorized, being created', available: 'disclosed', rejected: 'rejected' },
  {
    fr: {
      pending: 'en attente',
      making: 'autorisée, en cours',
      available: 'divulguée',
      rejected: 'rejetée',
    },
  },
);
const TONES = { pending: 'warn', making: 'plain', available: 'good', rejected: 'plain' } as const;

/** The status of a disclosure. For the gateway an authorized one is pending until its result is made. */
export function DisclosureState({
  disclosure: { status, decision },
}: {
  readonly disclosure: Pick<DisclosureNode, 'status' | 'decision'>;
}) {
  const state = status === 'pending' && decision !== null ? 'making' : status;
  return <Badge tone={TONES[state]}>{STATES[state]}</Badge>;
}

/** How many records a disclosure selects now. */
export const recordsText = (records: number | null): string =>
  records === null ? words.tooMany : words.records(records);

export function DisclosureList({ disclosures }: { readonly disclosures: readonly DisclosureNode[] }) {
  const assets = distinguished([...new Map(disclosures.map(({ asset }) => [asset.id, asset])).values()]);
  const nameOf = ({ id, name }: DisclosureNode['asset']) =>
    assets.find((asset) => asset.id === id)?.name ?? name;
  return (
    <ul className="list" aria-label={words.label}>
      {disclosures.map((item) => (
        <LiveRow key={item.id} id={item.id}>
          <div>
            <Link to="/disclosures/$id" params={{ id: item.id }}>
              {item.purpose}
            </Link>
            <p className="soft">
              {item.requester.name} · {nameOf(item.asset)} · {fieldsText(item.scope.fields)} ·{' '}
              {recordsText(item.preview.records)}
            </p>
          </div>
          <div className="item-end">
            <DisclosureState disclosure={item} />
            <span className="soft">
              {item.status === 'pending' && item.decision === null && (
                <>
                  <Waits since={item.requestedAt} /> ·{' '}
                </>
              )}
              <Time at={item.resolvedAt ?? item.requestedAt} />
            </span>
          </div>
        </LiveRow>
      ))}
    </ul>
  );
}
