import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { holds } from '../../app/places.ts';
import { applicationName, useViewer, type Viewer } from '../../app/session';
import { Button } from '../../design/button';
import { Heading } from '../../design/heading';
import { Await, Card, Notice } from '../../design/states';
import { Fact, Facts } from '../../design/table';
import { Code, Time, Timed, ID_WORDS } from '../../design/values';
import { listText } from '../../format.ts';
import { useLive, useRead } from '../../graphql/hooks';
import { texts } from '../../texts.ts';
import { useDecidedFocus } from '../decided-focus.ts';
import { FLAGS } from '../flags.ts';
import { daysText, flagMeaning, flagName, flagsText, periodText, distinguished } from '../scope.ts';
import { Compared, Granted } from './compared';
import { DecidedBefore } from './decided-before';
import { REQUEST, REQUEST_CHANGED, type RequestNode } from './documents';
import { Approve, Close, Withdraw } from './decide-request';
import { Preview } from './preview';
import { RequestStatus } from './requests';

const words = texts(
  {
    place: 'Case request',
    asks: 'What is requested',
    requester: 'Requested by',
    filed: 'Filed',
    period: 'Period',
    access: 'Access',
    auditors: 'Auditors',
    assets: 'Assets',
    shown: 'Shown',
    beyond: 'Requested beyond the minimum',
    least: 'Nothing: every case shows amounts and days.',
    decidedBy: (who: string, when: string) => `Decided by ${who} on ${when}.`,
    erased: 'person with an erased name',
    withdrew: (when: string) => `Withdrawn by the requester on ${when}.`,
    because: 'Reason given:',
    toCase: 'Open the case',
    own: 'You filed this request. In your organization another person decides it.',
    approve: 'Approve…',
    close: 'Close…',
    withdraw: 'Withdraw…',
  },
  {
    fr: {
      place: 'Demande de dossier',
      asks: 'Ce qui est demandé',
      requester: 'Demandé par',
      filed: 'Déposée',
      period: 'Période',
      access: 'Accès',
      auditors: 'Auditeurs',
      assets: 'Actifs',
      shown: 'Visible',
      beyond: 'Ce qu’elle demande au-delà du minimum',
      least: 'Rien : tout dossier montre montants et jours.',
      decidedBy: (who: string, when: string) => `Décidée par ${who} le ${when}.`,
      erased: 'une personne dont le nom est effacé',
      withdrew: (when: string) => `Retirée par le demandeur le ${when}.`,
      because: 'Motif donné :',
      toCase: 'Ouvrir le dossier',
      own: 'Vous avez déposé cette demande. Dans votre organisation, une autre personne la décide.',
      approve: 'Approuver…',
      close: 'Refuser…',
      withdraw: 'Retirer…',
    },
  },
);

export function Request() {
  const { app, id } = useParams({ from: '/signed-in/a/$app/requests/$id' });
  const viewer = useViewer();
  const reading = useRead(['caseRequest', app, id], REQUEST, { foreignId: app, id });
  useLive(REQUEST_CHANGED, { foreignId: app }, ({ caseRequestChanged }) => caseRequestChanged.cursor, [
    ['caseRequest', app, id],
  ]);
  return (
    <Await reading={reading} place={words.place}>
      {({ data: { caseRequest } }) => (
        <>
          <header>
            <p className="soft">
              {applicationName(viewer, app)} · {words.place}
            </p>
            <div className="row between">
              <Heading title={words.place}>{caseRequest.reason}</Heading>
              <RequestStatus request={caseRequest} />
            </div>
          </header>
          <DecidedBefore app={app} />
          <Decision app={app} request={caseRequest} viewer={viewer} />
          <div className="columns">
            <Asked request={caseRequest} />
            <div className="stack">
              {caseRequest.granted && <Granted request={caseRequest} granted={caseRequest.granted} />}
              {caseRequest.status === 'pending' &&
                holds(viewer.permissions, app, 'administrator', 'cases:approve_creation') && (
                  <Preview app={app} request={caseRequest} />
                )}
              <Card title={words.beyond}>
                {FLAGS.some((flag) => caseRequest.disclosureFlags[flag]) ? (
                  <dl className="meanings">
                    {FLAGS.filter((flag) => caseRequest.disclosureFlags[flag]).map((flag) => (
                      <div key={flag}>
                        <dt>{flagName(flag)}</dt>
                        <dd>{flagMeaning(flag)}</dd>
                      </div>
                    ))}
                  </dl>
                ) : (
                  <p>{words.least}</p>
                )}
              </Card>
              <Compared app={app} request={caseRequest} />
            </div>
          </div>
        </>
      )}
    </Await>
  );
}

function Asked({ request }: { readonly request: RequestNode }) {
  return (
    <Card title={words.asks}>
      <Facts>
        <Fact name={words.requester}>
          {request.requestedBy.name} <span className="soft">{request.requestedBy.email}</span>
        </Fact>
        <Fact name={words.filed}>
          <Time at={request.createdAt} />
        </Fact>
        <Fact name={words.period}>{periodText(request.periodFrom, request.periodTo)}</Fact>
        <Fact name={words.access}>{daysText(request.accessDays)}</Fact>
        <Fact name={words.auditors}>{listText(request.auditors.map(({ name }) => name))}</Fact>
        <Fact name={words.assets}>{listText(distinguished(request.assets).map(({ name }) => name))}</Fact>
        <Fact name={words.shown}>{flagsText(request.disclosureFlags)}</Fact>
        <Fact name={ID_WORDS.id}>
          <Code value={request.id} what={ID_WORDS.theId} />
        </Fact>
      </Facts>
    </Card>
  );
}

function Decision({
  app,
  request,
  viewer,
}: {
  readonly app: string;
  readonly request: RequestNode;
  readonly viewer: Viewer;
}) {
  const [open, setOpen] = useState<'approve' | 'close' | 'withdraw'>();
  const decided = useDecidedFocus<HTMLDivElement>(request.status !== 'pending');
  const isOwn = request.requestedBy.id === viewer.user?.id;
  const decides = holds(viewer.permissions, app, 'administrator', 'cases:approve_creation');
  const withdraws = isOwn && holds(viewer.permissions, app, 'auditor', 'cases:withdraw_pending_request');
  if (request.status !== 'pending') {
    return (
      <div ref={decided} tabIndex={-1}>
        <Notice isLive tone={request.status === 'approved' ? 'good' : 'plain'}>
          <p>
            <Timed
              at={request.decidedAt === null ? [] : [request.decidedAt]}
              in={(when = '') =>
                request.withdrawn
                  ? words.withdrew(when)
                  : words.decidedBy(request.decider?.name ?? words.erased, when)
              }
            />{' '}
            {request.caseId !== null && (
              <Link to="/a/$app/cases/$id" params={{ app, id: request.caseId }}>
                {words.toCase}
              </Link>
            )}
          </p>
          {request.decisionReason !== null && (
            <p>
              {words.because} {request.decisionReason}
            </p>
          )}
        </Notice>
      </div>
    );
  }
  const mustBeAnother = isOwn && viewer.organization.requireSecondPerson;
  return (
    <>
      {mustBeAnother && decides && <Notice>{words.own}</Notice>}
      <div className="row">
        {decides && !mustBeAnother && (
          <>
            <Button variant="primary" onPress={() => setOpen('approve')}>
              {words.approve}
            </Button>
            <Button onPress={() => setOpen('close')}>{words.close}</Button>
          </>
        )}
        {withdraws && <Button onPress={() => setOpen('withdraw')}>{words.withdraw}</Button>}
      </div>
      {open === 'approve' && <Approve app={app} request={request} onClose={() => setOpen(undefined)} />}
      {open === 'close' && <Close app={app} request={request} onClose={() => setOpen(undefined)} />}
      {open === 'withdraw' && <Withdraw app={app} request={request} onClose={() => setOpen(undefined)} />}
    </>
  );
}
