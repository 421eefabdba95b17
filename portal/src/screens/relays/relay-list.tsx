import { Link } from '@tanstack/react-router';
import { Badge, Code, Time } from '../../design/values';
import { texts } from '../../texts.ts';
import type { RelayNode } from './documents';
import { REASON_MEANINGS, STATUS_NAMES, STATUS_TONES } from './status-words.ts';

const { label } = texts(
  { label: 'Relays, newest first' },
  { fr: { label: 'Relais, le plus récent d’abord' } },
);

export function RelayList({ relays }: { readonly relays: readonly RelayNode[] }) {
  return (
    <ul className="list" aria-label={label}>
      {relays.map((relay) => (
        <li key={relay.relayRequestId} className="item">
          <div>
            <Link to="/organization/relays/$id" params={{ id: relay.relayRequestId }}>
              <Code value={relay.relayRequestId} ends={8} />
            </Link>
            <p className="soft">
              {relay.poolSelector}
              {relay.publicReason !== null && ` · ${REASON_MEANINGS[relay.publicReason]}`}
            </p>
          </div>
          <div className="item-end">
            <Badge tone={STATUS_TONES[relay.status]}>{STATUS_NAMES[relay.status]}</Badge>
            <span className="soft">
              <Time at={relay.updatedAt} isExact />
            </span>
          </div>
        </li>
      ))}
    </ul>
  );
}
