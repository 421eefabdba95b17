import { Link } from '@tanstack/react-router';
import { PLACE_NAMES } from '../../app/places.ts';
import { useSecondsLeft } from '../../design/countdown';
import { LiveRow, LiveRows } from '../../design/lists/live-rows';
import { Card, WhereAny } from '../../design/states';
import { elapsedSeconds, receivedNow, type Received } from '../../design/time-left.ts';
import { Time } from '../../design/values';
import { gatewayTime } from '../../graphql/gateway-time.ts';
import { useEvery, useRead } from '../../graphql/hooks';
import { texts } from '../../texts.ts';
import { indexingReason } from '../organization/assets/indexing-words';
import { API_KEYS, ASSETS } from '../organization/documents';
import { RELAYS, type RelayNode } from '../relays/documents';
import { RelayList } from '../relays/relay-list';
import { DOUBT } from '../relays/status-words.ts';
import { receivedPage } from './received-page.ts';

const words = texts(
  {
    relays: 'Relays in doubt',
    failedRelays: 'Relays that may be tried again',
    failedRelaysText: 'Nothing of them is on the ledger, and nothing can land anymore.',
    keys: 'API keys that end within 14 days',
    keysText: 'Create the next key, and give it to the backend before that day.',
    assets: 'Assets that are not followed',
    olderRelays: 'Among the newest 50 failed ones. Older ones are on the relays page.',
  },
  {
    fr: {
      relays: 'Relais en doute',
      failedRelays: 'Relais qui permettent un nouvel essai',
      failedRelaysText: 'Rien n’en est sur le registre, et rien ne peut plus y aboutir.',
      keys: 'Clés d’API qui expirent dans les 14 jours',
      keysText: 'Créez la clé suivante, et donnez-la au service avant cette date.',
      assets: 'Actifs qui ne sont pas suivis',
      olderRelays: 'Parmi les 50 derniers échecs. Les plus anciens sont dans la liste des relais.',
    },
  },
);

/** The ledger answers most doubts sooner. */
const DOUBT_SECONDS = 5 * 60;
const KEY_NOTICE_MS = 14 * 24 * 3_600 * 1_000;

/** Relays, keys and assets that need no action are not shown. */
export function RelaysInDoubt() {
  const reading = useEvery(['toDo', 'relays'], RELAYS, { status: 'reconciling' }, ({ relays }) =>
    receivedPage(relays),
  );
  return (
    <WhereAny title={words.relays} reading={reading}>
      {(relays) => <LastingDoubts relays={relays} />}
    </WhereAny>
  );
}

const LOADED = receivedNow();

type ReceivedRelay = RelayNode & { readonly received: Received };

/** Those in doubt for five minutes, as soon as they are. */
function LastingDoubts({ relays }: { readonly relays: readonly ReceivedRelay[] }) {
  const allowed = ({ updatedAt, received }: ReceivedRelay) =>
    DOUBT_SECONDS - (gatewayTime(received.wall) - Date.parse(updatedAt)) / 1_000;
  const left = (relay: ReceivedRelay) => allowed(relay) - elapsedSeconds(relay.received);
  const next = relays.filter((relay) => left(relay) > 0).toSorted((a, b) => left(a) - left(b))[0];
  useSecondsLeft(next ? allowed(next) : Infinity, next?.received ?? LOADED);
  const lasting = relays.filter((relay) => left(relay) <= 0);
  return (
    <LiveRows list="lasting" nodes={lasting} keyOf={({ relayRequestId }) => relayRequestId}>
      {(rows) => (
        <Card title={words.relays}>
          <p>{DOUBT}</p>
          <RelayList relays={rows} />
        </Card>
      )}
    </LiveRows>
  );
}

export function FailedRelays() {
  const reading = useRead(['toDo', 'failedRelays'], RELAYS, { status: 'failed' });
  return (
    <WhereAny title={words.failedRelays} reading={reading}>
      {({ data: { relays } }) => {
        const failed = relays.nodes.filter(({ retryAllowed }) => retryAllowed);
        return (
          <LiveRows list="failed" nodes={failed} keyOf={({ relayRequestId }) => relayRequestId}>
            {(rows) => (
              <Card title={words.failedRelays}>
                <p>{words.failedRelaysText}</p>
                <RelayList relays={rows} />
                {relays.pageInfo.hasNextPage && (
                  <p className="soft">
                    {words.olderRelays} <Link to="/organization/relays">{PLACE_NAMES.relays}</Link>
                  </p>
                )}
              </Card>
            )}
          </LiveRows>
        );
      }}
    </WhereAny>
  );
}

export function EndingKeys() {
  const reading = useEvery(['toDo', 'keys'], API_KEYS, {}, ({ apiKeys }) => apiKeys);
  const readAt = gatewayTime(reading.dataUpdatedAt);
  return (
    <WhereAny title={words.keys} reading={reading}>
      {(keys) => {
        const ending = keys.filter(
          ({ revokedAt, expiresAt }) =>
            revokedAt === null &&
            expiresAt !== null &&
            Date.parse(expiresAt) > readAt &&
            Date.parse(expiresAt) - readAt < KEY_NOTICE_MS,
        );
        return (
          <LiveRows list="ending" nodes={ending} keyOf={({ id }) => id}>
            {(rows) => (
              <Card title={words.keys}>
                <p>{words.keysText}</p>
                <ul className="list" aria-label={words.keys}>
                  {rows.map(({ id, name, expiresAt }) => (
                    <LiveRow key={id} id={id}>
                      <Link to="/organization/keys">{name}</Link>
                      <Time at={expiresAt!} isExact />
                    </LiveRow>
                  ))}
                </ul>
              </Card>
            )}
          </LiveRows>
        );
      }}
    </WhereAny>
  );
}

export function FailingAssets() {
  const reading = useEvery(['toDo', 'assets'], ASSETS, {}, ({ assets }) => assets);
  return (
    <WhereAny title={words.assets} reading={reading}>
      {(assets) => {
        const failing = assets.filter(({ indexerStatus }) => indexerStatus.status === 'error');
        return (
          <LiveRows list="failing" nodes={failing} keyOf={({ id }) => id}>
            {(rows) => (
              <Card title={words.assets}>
                <ul className="list" aria-label={words.assets}>
                  {rows.map(({ id, name, indexerStatus }) => (
                    <LiveRow key={id} id={id}>
                      <div>
                        <Link to="/organization/assets/$id" params={{ id }}>
                          {name}
                        </Link>
                        <p className="soft">
                          {indexerStatus.reason !== null && indexingReason(indexerStatus.reason)}
                        </p>
                      </div>
                    </LiveRow>
                  ))}
                </ul>
              </Card>
            )}
          </LiveRows>
        );
      }}
    </WhereAny>
  );
}
