import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { holdsOwner, PLACE_NAMES } from '../../app/places.ts';
import { useViewer } from '../../app/session';
import { Shares } from '../../design/bars';
import { Button } from '../../design/button';
import { Confirm } from '../../design/dialog';
import { DayFilter } from '../cases/day-filter';
import { Select } from '../../design/fields';
import { LiveRows } from '../../design/lists/live-rows';
import { Await, Card, Listing, Notice } from '../../design/states';
import { Fact, Facts, Table } from '../../design/table';
import { Badge, Code, None, ID_WORDS } from '../../design/values';
import { countText } from '../../format.ts';
import { useAction, useEvery, useLive, usePages, useRead } from '../../graphql/hooks';
import { request as run } from '../../graphql/request';
import { texts } from '../../texts.ts';
import { remembered } from '../../verification/checkpoint-memory';
import { CheckedMark } from '../../verification/marks';
import { saveFile } from '../../verification/save-file';
import { PageHead } from '../organization/page';
import { relaysSearch } from '../search.ts';
import { Evidence } from './evidence';
import { Timeline } from './timeline';
import { APPLICATION_NAMES } from '../organization/documents';
import { POOLS, RELAY_CHANGED, RELAY_HISTORY, RELAY_STATUS, RELAYS, RETRY } from './documents';
import { PoolName } from './pool-name';
import { RelayList } from './relay-list';
import {
  DOUBT,
  isEnd,
  isInDoubt,
  REASON_MEANINGS,
  STATUS_MEANINGS,
  STATUS_NAMES,
  STATUS_TONES,
} from './status-words.ts';
import { RELAY_STATUSES } from '../../../../src/domain/relays/relay-state.ts';

const words = texts(
  {
    empty: 'There is no relay here.',
    status: 'Status',
    every: 'Every status',
    chart: 'Relays by status, of those that are loaded',
    count: 'Relays',
    relay: 'Relay',
    pool: 'Pool',
    everyPool: 'Every pool',
    application: 'Application',
    everyApplication: 'Every application',
    from: 'From (UTC)',
    to: 'To (UTC)',
    reason: 'Reason',
    package: 'Package',
    thePackage: 'the SHA-256 of the package',
    timeline: 'Timeline',
    attempts: 'Attempts',
    number: 'Attempt',
    transaction: 'Transaction',
    theTransaction: 'the transaction',
    valid: 'Last valid block height',
    outcome: 'Outcome',
    open: 'not known yet',
    dead: 'proven dead',
    death: (number: number) => `Why attempt ${number} can never land`,
    failed: 'failed on the ledger',
    landed: 'landed',
    receipts: 'Receipts',
    receipt: 'Receipt',
    save: 'Save the receipt',
    asJson: 'As JSON',
    retry: 'Try again…',
    retryTitle: 'This sends the package again.',
    retryText: 'It is allowed because it is proven that no earlier transaction of this package can land.',
    retryAction: 'Send it again',
    retrying: 'Sending…',
  },
  {
    fr: {
      empty: 'Il n’y a pas de relais ici.',
      status: 'État',
      every: 'Tous les états',
      chart: 'Relais par état, parmi ceux qui sont chargés',
      count: 'Relais',
      relay: 'Relais',
      pool: 'Pool',
      everyPool: 'Tous les pools',
      application: 'Application',
      everyApplication: 'Toutes les applications',
      from: 'Du (UTC)',
      to: 'Au (UTC)',
      reason: 'Motif',
      package: 'Paquet',
      thePackage: 'le SHA-256 du paquet',
      timeline: 'Chronologie',
      attempts: 'Tentatives',
      number: 'Tentative',
      transaction: 'Transaction',
      theTransaction: 'la transaction',
      valid: 'Dernière hauteur de bloc valide',
      outcome: 'Issue',
      open: 'pas encore connue',
      dead: 'morte, c’est prouvé',
      death: (number: number) => `Pourquoi la tentative ${number} ne peut plus aboutir`,
      failed: 'échouée sur le registre',
      landed: 'aboutie',
      receipts: 'Reçus',
      receipt: 'Reçu',
      save: 'Enregistrer le reçu',
      asJson: 'En JSON',
      retry: 'Réessayer…',
      retryTitle: 'Ceci envoie à nouveau le paquet.',
      retryText:
        'C’est permis parce qu’il est prouvé qu’aucune transaction antérieure de ce paquet ne peut aboutir.',
      retryAction: 'L’envoyer à nouveau',
      retrying: 'Envoi…',
    },
  },
);

export function Relays() {
  const search = useSearch({ from: '/signed-in/organization/relays' });
  const { status, app, from, to } = search;
  const navigate = useNavigate();
  /** Back finds the list as it was left. */
  const choose = (name: keyof typeof search) => (value: string) =>
    void navigate({
      to: '/organization/relays',
      search: relaysSearch({ ...search, [name]: value }),
      replace: true,
      resetScroll: false,
    });
  // The selector of a pool is any text, which has no place in an address.
  const [poolSelector, setPool] = useState('');
  const pools = useRead(['pools'], POOLS, {}).data?.data.pools ?? [];
  const { permissions } = useViewer();
  const every = useEvery(['applications', 'names'], APPLICATION_NAMES, {}, (result) => result.applications, {
    enabled: holdsOwner(permissions, 'applications:read'),
  });
  const applications = every.data ?? [];
  const pages = usePages(
    ['relays'],
    RELAYS,
    {
      ...(status === undefined ? {} : { status }),
      ...(app === undefined ? {} : { foreignId: app }),
      ...(poolSelector === '' ? {} : { poolSelector }),
      ...(from === undefined ? {} : { from: `${from}T00:00:00.000Z` }),
      ...(to === undefined ? {} : { to: `${to}T23:59:59.999Z` }),
    },
    ({ relays }) => relays,
  );
  useLive(RELAY_CHANGED, {}, undefined, [['relays']]);
  return (
    <>
      <PageHead title={PLACE_NAMES.relays} />
      <div className="row end-aligned">
        <Select
          name="status"
          label={words.status}
          value={status ?? ''}
          onChange={choose('status')}
          options={[
            { value: '', label: words.every },
            ...RELAY_STATUSES.map((known) => ({ value: known, label: STATUS_NAMES[known] })),
          ]}
        />
        {applications.length > 1 && (
          <Select
            name="foreignId"
            label={words.application}
            value={app ?? ''}
            onChange={choose('app')}
            options={[
              { value: '', label: words.everyApplication },
              ...applications.map((known) => ({ value: known.foreignId, label: known.name })),
            ]}
          />
        )}
        {pools.length > 1 && (
          <Select
            name="poolSelector"
            label={words.pool}
            value={poolSelector}
            onChange={setPool}
            options={[
              { value: '', label: words.everyPool },
              ...pools.map(({ selector, name }) => ({ value: selector, label: name })),
            ]}
          />
        )}
        <DayFilter name="from" label={words.from} value={from ?? ''} onChange={choose('from')} />
        <DayFilter name="to" label={words.to} value={to ?? ''} onChange={choose('to')} />
      </div>
      <Listing pages={pages} isLive empty={words.empty}>
        {(nodes, none) => (
          <>
            {nodes.length > 0 && (
              <Card>
                <Shares
                  title={words.chart}
                  nameColumn={words.status}
                  countColumn={words.count}
                  shares={RELAY_STATUSES.map((known) => ({
                    known,
                    count: nodes.filter(({ status: its }) => its === known).length,
                  }))
                    // How a relay ends is shown also where none ended so.
                    .filter(({ known, count }) => count > 0 || isEnd(known))
                    .map(({ known, count }) => ({
                      name: STATUS_NAMES[known],
                      count,
                      tone: STATUS_TONES[known],
                    }))}
                />
              </Card>
            )}
            <LiveRows
              list={pages.isPrevious ? undefined : JSON.stringify(search) + poolSelector}
              nodes={nodes}
              keyOf={({ relayRequestId }) => relayRequestId}
              empty={none}
            >
              {(shown) => <RelayList relays={shown} />}
            </LiveRows>
          </>
        )}
      </Listing>
    </>
  );
}

export function Relay() {
  const { id } = useParams({ from: '/signed-in/organization/relays/$id' });
  const { organization } = useViewer();
  const [isRetrying, setRetrying] = useState(false);
  const reading = useRead(['relayHistory', id], RELAY_HISTORY, { relayRequestId: id });
  const status = reading.data?.data.relayHistory.relay.status;
  // A stream ends with the relay. It begins again after an allowed attempt.
  useLive(
    RELAY_STATUS,
    { relayRequestId: id },
    ({ relayStatus }) => relayStatus.sequence,
    [['relayHistory', id]],
    status !== undefined && !isEnd(status),
  );
  const retry = useAction(() => run(RETRY, { relayRequestId: id }), [['relayHistory', id], ['relays']]);
  const close = () => {
    setRetrying(false);
    retry.reset();
  };
  return (
    <>
      <PageHead title={words.relay} />
      <Await reading={reading}>
        {({ data: { relayHistory } }) => {
          const { relay, events, attempts, receipts } = relayHistory;
          return (
            <>
              <Card
                title={<Badge tone={STATUS_TONES[relay.status]}>{STATUS_NAMES[relay.status]}</Badge>}
                aside={relay.retryAllowed && <Button onPress={() => setRetrying(true)}>{words.retry}</Button>}
              >
                <p>{STATUS_MEANINGS[relay.status]}</p>
                {isInDoubt(relay.status) && <Notice tone="warn">{DOUBT}</Notice>}
                <Facts>
                  <Fact name={ID_WORDS.id}>
                    <Code value={id} what={ID_WORDS.theId} />
                  </Fact>
                  <Fact name={words.pool}>
                    <PoolName selector={relay.poolSelector} />
                  </Fact>
                  <Fact name={words.reason}>
                    {relay.publicReason === null ? <None /> : REASON_MEANINGS[relay.publicReason]}
                  </Fact>
                  <Fact name={words.package}>
                    <Code value={relay.packageSha256} ends={10} what={words.thePackage} />
                  </Fact>
                </Facts>
              </Card>
              <Card title={words.timeline}>
                <Timeline
                  events={events.map(({ sequence, status, createdAt, publicReason, evidence }) => ({
                    sequence,
                    status,
                    at: createdAt,
                    about: (
                      <>
                        <p>
                          {STATUS_MEANINGS[status]} {publicReason !== null && REASON_MEANINGS[publicReason]}
                        </p>
                        <Evidence evidence={evidence} />
                      </>
                    ),
                  }))}
                />
              </Card>
              {attempts.length > 0 && (
                <Card title={words.attempts}>
                  <Table
                    label={words.attempts}
                    rows={attempts}
                    keyOf={({ number }) => String(number)}
                    columns={[
                      { name: words.number, cell: ({ number }) => number },
                      {
                        name: words.transaction,
                        cell: ({ transactionHash }) => (
                          <Code value={transactionHash} ends={6} what={words.theTransaction} />
                        ),
                      },
                      {
                        name: words.valid,
                        isNumber: true,
                        cell: ({ lastValidBlockHeight }) => countText(lastValidBlockHeight),
                      },
                      {
                        name: words.outcome,
                        cell: ({ outcome }) => (outcome === null ? words.open : words[outcome]),
                      },
                    ]}
                  />
                  {attempts.map(
                    ({ number, outcome, evidence }) =>
                      outcome === 'dead' &&
                      evidence !== null && (
                        <Evidence key={number} title={words.death(number)} evidence={evidence} />
                      ),
                  )}
                </Card>
              )}
              {receipts.map((receipt) => {
                const { sequence } = receipt.body;
                const evidence = events.find((event) => event.sequence === sequence)?.evidence;
                return (
                  <Card
                    key={receipt.signature}
                    title={words.receipt}
                    aside={
                      <div className="row">
                        <CheckedMark
                          of={words.receipt}
                          question={{
                            ask: 'relay receipt',
                            receipt,
                            evidence,
                            knownKeys: remembered(organization.id)?.keys,
                          }}
                        />
                        <Button onPress={() => saveFile('relay-receipt.json', JSON.stringify(receipt))}>
                          {words.save}
                        </Button>
                      </div>
                    }
                  >
                    <details>
                      <summary>{words.asJson}</summary>
                      <pre className="raw" tabIndex={0}>
                        {JSON.stringify(receipt, null, 2)}
                      </pre>
                    </details>
                  </Card>
                );
              })}
            </>
          );
        }}
      </Await>
      {isRetrying && (
        <Confirm
          title={words.retryTitle}
          action={words.retryAction}
          busy={words.retrying}
          state={retry}
          onClose={close}
          onConfirm={() => void retry.run(undefined, close)}
        >
          <p>{words.retryText}</p>
        </Confirm>
      )}
    </>
  );
}
