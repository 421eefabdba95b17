import { Link } from '@tanstack/react-router';
import { LiveRow } from '../../design/lists/live-rows';
import { Badge, Code, Time } from '../../design/values';
import { texts } from '../../texts.ts';
import type { RelayNode } from './documents';
import { PoolName } from './pool-name';
import { REASON_MEANINGS, STATUS_NAMES, STATUS_TONES } from './status-words.ts';

const { label, mayRetry } = texts(
  { label: 'Relays, newest first', mayRetry: 'It may be tried again.' },
  { fr: { label: 'Relais, le plus récent d’abord', mayRetry: 'Un nouvel essai est permis.' } },
);

export function RelayList({ relays }: { readonly relays: readonly RelayNode[] }) {
  return (
    <ul className="list" aria-label={label}>
      {relays.map((relay) => (
        <LiveRow key={relay.relayRequestId} id={relay.relayRequestId}>
          <div>
            <Link to="/organization/relays/$id" params={{ id: relay.relayRequestId }}>
              <Code value={relay.relayRequestId} ends={8} />
            </Link>
            <p className="soft">
              <PoolName selector={relay.poolSelector} />
              {relay.publicReason !== null && ` · ${REASON_MEANINGS[relay.publicReason]}`}
              {relay.retryAllowed && ` · ${mayRetry}`}
            </p>
          </div>
          <div className="item-end">
            <Badge tone={STATUS_TONES[relay.status]}>{STATUS_NAMES[relay.status]}</Badge>
            <span className="soft">
              <Time at={relay.createdAt} isExact />
            </span>
          </div>
        </LiveRow>
      ))}
    </ul>
  );
}
