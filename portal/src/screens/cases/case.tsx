import { Link, useParams, useSearch } from '@tanstack/react-router';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { holds } from '../../app/places.ts';
import { applicationName, useViewer } from '../../app/session';
import { Countdown, CountdownVoice, useSecondsLeft } from '../../design/countdown';
import { Heading } from '../../design/heading';
import { Await, Card, isGone, Loading, Notice } from '../../design/states';
import { Fact, Facts } from '../../design/table';
import type { Received } from '../../design/time-left.ts';
import { Code, Time, Timed, ID_WORDS } from '../../design/values';
import { listText } from '../../format.ts';
import { SECRET, useLive, useRead } from '../../graphql/hooks';
import { later, Part } from '../../later';
import { texts } from '../../texts.ts';
import { flagsText, periodText, scopeSearch, distinguished } from '../scope.ts';
import { ChangeCase } from './change-case';
import { CASE, CASE_CHANGED, type CaseNode } from './documents';
import { filtersOf, useTransactionCount } from './follow-case.ts';

const words = texts(
  {
    place: 'Case',
    covers: 'What the case covers',
    period: 'Period',
    auditors: 'Auditors',
    assets: 'Assets',
    approver: 'Approved by',
    shown: 'Shown',
    opened: 'Opened',
    ends: 'Ends',
    hasEnded: 'Ended',
    request: 'Request',
    theRequest: 'Open the request',
    parts: 'Parts of the case',
    transactions: 'Transactions',
    reports: 'Reports',
    activity: 'Activity',
    ended: 'Access has ended',
    endedText: (when: string) =>
      `The window of this case closed on ${when}. Its transactions have been removed from this browser. Reports are kept; now only owners can download them.`,
    goneText: (when: string) =>
      `You can no longer read this case since ${when}: it has ended, or you are no longer one of its auditors. Its transactions have been removed from this browser. Reports are kept; now only owners can download them.`,
    toReports: 'Reports of this application',
    notAssigned: 'Transactions are for the assigned auditors',
    notAssignedText:
      'You see this case as an administrator: its scope, people, reports and activity. To read its transactions, you need an assignment to the case and the permission reports:view_transactions.',
    wider: 'Request a wider scope',
    endedBy: (who: string, when: string) => `${who} ended this case early, on ${when}.`,
    erased: 'Person with an erased name',
    because: 'Reason given:',
  },
  {
    fr: {
      place: 'Dossier',
      covers: 'Ce que le dossier couvre',
      period: 'Période',
      auditors: 'Auditeurs',
      assets: 'Actifs',
      approver: 'Approuvé par',
      shown: 'Visible',
      opened: 'Ouvert',
      ends: 'Fin',
      hasEnded: 'Terminé',
      request: 'Demande',
      theRequest: 'Ouvrir la demande',
      parts: 'Parties du dossier',
      transactions: 'Transactions',
      reports: 'Rapports',
      activity: 'Activité',
      ended: 'L’accès est terminé',
      endedText: (when: string) =>
        `La fenêtre de ce dossier s’est fermée le ${when}. Ses transactions ont été retirées de ce navigateur. Les rapports sont conservés ; seuls les propriétaires peuvent encore les télécharger.`,
      goneText: (when: string) =>
        `Vous ne pouvez plus lire ce dossier depuis le ${when} : il est terminé, ou vous n’en êtes plus auditeur. Ses transactions ont été retirées de ce navigateur. Les rapports sont conservés ; seuls les propriétaires peuvent encore les télécharger.`,
      toReports: 'Rapports de cette application',
      notAssigned: 'Les transactions sont pour les auditeurs désignés',
      notAssignedText:
        'Vous voyez ce dossier comme administrateur : sa portée, ses personnes, ses rapports et son activité. Lire ses transactions demande une affectation et l’autorisation reports:view_transactions.',
      wider: 'Demander une portée plus large',
      endedBy: (who: string, when: string) => `${who} a terminé ce dossier avant son terme, le ${when}.`,
      erased: 'Une personne dont le nom est effacé',
      because: 'Motif donné :',
    },
  },
);

const Transactions = later(() => import('./transactions'), 'Transactions');
const CaseReports = later(() => import('../reports/case-reports'), 'CaseReports');
const CaseActivity = later(() => import('../log/case-activity'), 'CaseActivity');

export function Case() {
  const { app, id } = useParams({ from: '/signed-in/a/$app/cases/$id' });
  return <OneCase key={id} app={app} id={id} />;
}

function OneCase({ app, id }: { readonly app: string; readonly id: string }) {
  const viewer = useViewer();
  const [overAt, setOverAt] = useState(0);
  const reading = useRead(['case', app, id], CASE, { foreignId: app, id });
  useLive(CASE_CHANGED, { foreignId: app }, ({ caseChanged }) => caseChanged.cursor, [['case', app, id]]);
  return (
    <Await reading={reading} place={words.place} keepsGone>
      {({ data, received }) => {
        // For an auditor, an ended case no longer exists: the known details stay on the page.
        const isOver = isGone(reading.error) || overAt > reading.dataUpdatedAt;
        const at = overAt > reading.dataUpdatedAt ? overAt : reading.errorUpdatedAt;
        return (
          <CaseView
            app={app}
            item={isOver ? goneAt(data.case, at) : data.case}
            isGone={isOver}
            received={received}
            applicationName={applicationName(viewer, app)}
            onOver={setOverAt}
          />
        );
      }}
    </Await>
  );
}

/** As it was known, and over since then; where its window closed before, since that. */
const goneAt = (item: CaseNode, time: number): CaseNode => ({
  ...item,
  secondsLeft: 0,
  expiresAt: new Date(Math.min(time, Date.parse(item.expiresAt))).toISOString(),
});

function CaseView({
  app,
  item,
  isGone: hasGone,
  received,
  applicationName: name,
  onOver,
}: {
  readonly app: string;
  readonly item: CaseNode;
  /** The viewer may no longer read it. Why is not known. */
  readonly isGone: boolean;
  readonly received: Received;
  readonly applicationName: string;
  readonly onOver: (at: number) => void;
}) {
  const viewer = useViewer();
  const client = useQueryClient();
  const left = useSecondsLeft(item.secondsLeft, received);
  const isOpen = left > 0;
  const isAssigned = item.auditors.some((auditor) => auditor.id === viewer.user?.id);
  const reads = isAssigned && holds(viewer.permissions, app, 'auditor', 'reports:view_transactions');
  const oversees =
    holds(viewer.permissions, app, 'administrator', 'cases:approve_creation') ||
    holds(viewer.permissions, app, 'administrator', 'cases:list');
  const search = useSearch({ from: '/signed-in/a/$app/cases/$id' });
  const filters = filtersOf(item, search);
  const count = useTransactionCount({ app, id: item.id, filters, isOn: reads && isOpen }, onOver);
  const { tab = reads ? 'transactions' : 'reports' } = search;
  // Decrypted data is removed at the moment the right to read it ends.
  useEffect(() => {
    if (!isOpen) client.removeQueries({ queryKey: [SECRET] });
  }, [isOpen, client]);
  return (
    <>
      <header>
        <p className="soft">
          {name} · {words.place}
        </p>
        <div className="row between">
          <Heading title={words.place}>{item.reason}</Heading>
          <Countdown secondsLeft={item.secondsLeft} received={received} expiresAt={item.expiresAt} />
        </div>
        {reads && <CountdownVoice left={left} />}
      </header>
      {item.endedAt !== null && (
        <Notice isLive>
          <p>
            <Timed at={[item.endedAt]} in={(when) => words.endedBy(item.ender?.name ?? words.erased, when)} />
          </p>
          <p>
            {words.because} {item.endReason}
          </p>
        </Notice>
      )}
      {isOpen && holds(viewer.permissions, app, 'administrator', 'cases:approve_creation') && (
        <ChangeCase app={app} item={item} />
      )}
      <Card label={words.covers}>
        <Facts isWide>
          <Fact name={words.period}>{periodText(item.periodFrom, item.periodTo)}</Fact>
          <Fact name={words.auditors}>{listText(item.auditors.map((auditor) => auditor.name))}</Fact>
          <Fact name={words.assets}>{listText(distinguished(item.assets).map(({ name }) => name))}</Fact>
          <Fact name={words.approver}>{item.approver.name}</Fact>
          <Fact name={words.shown}>{flagsText(item.disclosureFlags)}</Fact>
          <Fact name={isOpen ? words.ends : words.hasEnded}>
            <Time at={item.expiresAt} />
          </Fact>
          <Fact name={words.request}>
            <Link to="/a/$app/requests/$id" params={{ app, id: item.requestId }}>
              {words.theRequest}
            </Link>
          </Fact>
          <Fact name={ID_WORDS.id}>
            <Code value={item.id} what={ID_WORDS.theId} />
          </Fact>
        </Facts>
        {isAssigned && holds(viewer.permissions, app, 'auditor', 'cases:create') && (
          <p>
            <Link
              to="/a/$app/requests/new"
              params={{ app }}
              search={scopeSearch(item, (flag) => item.disclosureFlags[flag])}
            >
              {words.wider}
            </Link>
          </p>
        )}
      </Card>
      {!isOpen && !oversees ? (
        <Ended app={app} expiresAt={item.expiresAt} isGone={hasGone} />
      ) : (
        <>
          <nav className="tabs" aria-label={words.parts}>
            {(['transactions', 'reports', 'activity'] as const).map((part) => (
              <Link
                key={part}
                to="/a/$app/cases/$id"
                params={{ app, id: item.id }}
                search={{ ...search, tab: part }}
                replace
                aria-current={tab === part ? 'page' : undefined}
                className={tab === part ? 'active' : ''}
              >
                {words[part]}
              </Link>
            ))}
          </nav>
          <Part key={tab} fallback={<Loading />}>
            {tab === 'transactions' &&
              (!isOpen ? (
                <Ended app={app} expiresAt={item.expiresAt} isGone={hasGone} />
              ) : reads ? (
                <Transactions app={app} item={item} count={count} />
              ) : (
                <Card title={words.notAssigned}>
                  <p>{words.notAssignedText}</p>
                </Card>
              ))}
            {tab === 'reports' && <CaseReports app={app} item={item} isOpen={isOpen} />}
            {tab === 'activity' && <CaseActivity app={app} id={item.id} oversees={oversees} />}
          </Part>
        </>
      )}
    </>
  );
}

/** Replaces the removed content: since when, and what stays. */
function Ended({
  app,
  expiresAt,
  isGone: hasGone,
}: {
  readonly app: string;
  readonly expiresAt: string;
  readonly isGone: boolean;
}) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  return (
    <section className="card stack" role="status">
      <h2 ref={heading} tabIndex={-1}>
        {words.ended}
      </h2>
      <p>
        <Timed at={[expiresAt]} in={hasGone ? words.goneText : words.endedText} />
      </p>
      <p>
        <Link to="/a/$app/reports" params={{ app }}>
          {words.toReports}
        </Link>
      </p>
    </section>
  );
}
