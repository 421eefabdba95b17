import { Link } from '@tanstack/react-router';
import { Badge, Time } from '../../design/values';
import { counted, texts } from '../../texts.ts';
import { fieldsText } from '../scope.ts';
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

export const STATES = texts(
  { pending: 'pending', available: 'disclosed', rejected: 'rejected' },
  { fr: { pending: 'en attente', available: 'divulguée', rejected: 'rejetée' } },
);
export const TONES = { pending: 'warn', available: 'good', rejected: 'plain' } as const;

/** How many records a disclosure selects now. */
export const recordsText = (records: number | null): string =>
  records === null ? words.tooMany : words.records(records);

export function DisclosureList({ disclosures }: { readonly disclosures: readonly DisclosureNode[] }) {
  return (
    <ul className="list" aria-label={words.label}>
      {disclosures.map((item) => (
        <li key={item.id} className="item">
          <div>
            <Link to="/disclosures/$id" params={{ id: item.id }}>
              {item.purpose}
            </Link>
            <p className="soft">
              {item.requester.name} · {item.asset.name} · {fieldsText(item.scope.fields)} ·{' '}
              {recordsText(item.preview.records)}
            </p>
          </div>
          <div className="item-end">
            <Badge tone={TONES[item.status]}>{STATES[item.status]}</Badge>
            <span className="soft">
              <Time at={item.resolvedAt ?? item.requestedAt} />
            </span>
          </div>
        </li>
      ))}
    </ul>
  );
}
