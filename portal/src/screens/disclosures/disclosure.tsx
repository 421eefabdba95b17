import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useViewer } from '../../app/session';
import { Button } from '../../design/button';
import { Await, Card, Notice } from '../../design/states';
import { Fact, Facts } from '../../design/table';
import { Code, ExactTime, ID_WORDS, None, Time, Timed } from '../../design/values';
import type { GrantedOf } from '../../graphql/document';
import { SECRET, useLive, useRead } from '../../graphql/hooks';
import { counted, texts } from '../../texts.ts';
import { useDecidedFocus } from '../decided-focus.ts';
import { PageHead } from '../organization/page';
import { fieldsText } from '../scope.ts';
import { Decide, type Decision } from './decide';
import { DecidingPolicy } from './deciding-policy';
import { DisclosureState, recordsText } from './disclosure-list';
import {
  DISCLOSURE,
  DISCLOSURE_ABOUT,
  DISCLOSURE_CHANGED,
  type AboutReading,
  type DisclosureFile,
} from './documents';
import { Result } from './result';
import { ChosenRecords, PreviewFacts } from './selected-records';

const words = texts(
  {
    disclosure: 'Disclosure',
    purpose: 'Purpose',
    requester: 'Requested by',
    reference: 'Their reference',
    theReference: 'the reference',
    asset: 'Asset',
    mint: 'Mint',
    theMint: 'the mint',
    selected: 'It selects',
    decider: 'Decided by',
    fields: 'Fields',
    scope: 'Records',
    period: 'Period',
    since: (from: string) => `from ${from}`,
    until: (to: string) => `until ${to}`,
    between: (from: string, to: string) => `from ${from} until ${to}`,
    format: 'Format',
    requested: 'Requested',
    decidedAt: 'Decided',
    reason: 'Reason',
    deletedAt: 'Result deleted',
    authorize: 'Authorize…',
    reject: 'Reject…',
    own: 'You requested this disclosure. In your organization another person decides it.',
    making: 'The result is being created, and appears here.',
    noResult: 'You may decide disclosures, but not read their results.',
    named: (count: number) => counted(count, 'named by its id', 'named by their ids'),
  },
  {
    fr: {
      disclosure: 'Divulgation',
      purpose: 'But',
      requester: 'Demandée par',
      reference: 'Sa référence',
      theReference: 'la référence',
      asset: 'Actif',
      mint: 'Mint',
      theMint: 'le mint',
      selected: 'Enregistrements visés',
      decider: 'Décidée par',
      fields: 'Champs',
      scope: 'Désignation',
      period: 'Période',
      since: (from: string) => `à partir du ${from}`,
      until: (to: string) => `jusqu’au ${to}`,
      between: (from: string, to: string) => `du ${from} au ${to}`,
      format: 'Format',
      requested: 'Demandée',
      decidedAt: 'Décidée',
      reason: 'Motif',
      deletedAt: 'Résultat supprimé',
      authorize: 'Autoriser…',
      reject: 'Rejeter…',
      own: 'Vous avez demandé cette divulgation. Dans votre organisation, une autre personne la décide.',
      making: 'Le résultat est en cours de production et paraîtra ici.',
      noResult: 'Vous pouvez statuer sur des divulgations, mais pas lire leurs résultats.',
      named: (count: number) =>
        counted(count, 'désigné par son identifiant', 'désignés par leurs identifiants'),
    },
  },
);

export function Disclosure() {
  const { id } = useParams({ from: '/signed-in/disclosures/$id' });
  const reading = useRead(['disclosure', id], DISCLOSURE, { id }, { isSecret: true });
  const about = useRead(['disclosureAbout', id], DISCLOSURE_ABOUT, { id });
  useLive(DISCLOSURE_CHANGED, {}, ({ disclosureChanged }) => disclosureChanged.cursor, [
    [SECRET, 'disclosure', id],
    ['disclosureAbout', id],
  ]);
  return (
    <>
      <PageHead
        title={words.disclosure}
        {...(reading.data ? { name: reading.data.data.disclosure.purpose } : {})}
      />
      <Await reading={reading}>
        {({ data: { disclosure } }) => <Shown disclosure={disclosure} about={about} />}
      </Await>
    </>
  );
}

function Shown({ disclosure, about }: { readonly disclosure: DisclosureFile; readonly about: AboutReading }) {
  const { user, organization } = useViewer();
  const [deciding, setDeciding] = useState<Decision>();
  const { status, decision, result } = disclosure;
  const isPending = status === 'pending' && decision === null;
  const people = about.data?.data.disclosure;
  const ids = disclosure.scope.transactionIds;
  const mustBeAnother = organization.requireSecondPerson && people?.requester.id === user?.id;
  const decided = useDecidedFocus<HTMLSpanElement>(!isPending && deciding === undefined);
  return (
    <>
      <Card
        title={
          <span ref={decided} tabIndex={-1}>
            <DisclosureState disclosure={disclosure} />
          </span>
        }
        aside={
          isPending &&
          !mustBeAnother && (
            <div className="row">
              <Button variant="primary" onPress={() => setDeciding('authorize')}>
                {words.authorize}
              </Button>
              <Button onPress={() => setDeciding('reject')}>{words.reject}</Button>
            </div>
          )
        }
      >
        {isPending && mustBeAnother && <Notice>{words.own}</Notice>}
        {status === 'pending' && decision === 'authorize' && <Notice isLive>{words.making}</Notice>}
        <Facts>
          <Fact name={words.purpose}>{disclosure.purpose}</Fact>
          {people && <About disclosure={people} />}
          {disclosure.externalReference !== null && (
            <Fact name={words.reference}>
              <Code value={disclosure.externalReference} ends={20} what={words.theReference} />
            </Fact>
          )}
          <Fact name={words.fields}>{fieldsText(disclosure.scope.fields)}</Fact>
          <Fact name={words.scope}>
            {ids === null ? (disclosure.scope.account ?? <None />) : words.named(ids.length)}
          </Fact>
          {(disclosure.scope.from != null || disclosure.scope.to != null) && (
            <Fact name={words.period}>
              <Period {...disclosure.scope} />
            </Fact>
          )}
          <Fact name={words.format}>{disclosure.format.toUpperCase()}</Fact>
          {people && <DecidingPolicy policy={people.policy} hasDecided={disclosure.policyId !== null} />}
          <Fact name={words.requested}>
            <Time at={disclosure.requestedAt} />
          </Fact>
          {disclosure.decidedAt !== null && (
            <Fact name={words.decidedAt}>
              <Time at={disclosure.decidedAt} />
            </Fact>
          )}
          {result?.deletedAt != null && (
            <Fact name={words.deletedAt}>
              <Time at={result.deletedAt} />
            </Fact>
          )}
          {disclosure.decisionReason !== null && <Fact name={words.reason}>{disclosure.decisionReason}</Fact>}
          <Fact name={ID_WORDS.id}>
            <Code value={disclosure.id} what={ID_WORDS.theId} />
          </Fact>
        </Facts>
      </Card>
      {ids !== null && result === null && (
        <ChosenRecords id={disclosure.id} ids={ids} asset={people?.asset} />
      )}
      {status === 'available' && result === null && <Notice>{words.noResult}</Notice>}
      {result !== null && <Result disclosure={disclosure} result={result} />}
      {deciding !== undefined && (
        <Decide
          disclosure={disclosure}
          about={about}
          decision={deciding}
          onClose={() => setDeciding(undefined)}
        />
      )}
    </>
  );
}

/** The period that was asked for, both ends included. */
function Period({ from, to }: { readonly from: string | null; readonly to: string | null }) {
  const at = [from, to].filter((end) => end !== null);
  const sentence = from === null ? words.until : to === null ? words.since : words.between;
  return <Timed at={at} as={ExactTime} in={sentence} />;
}

/** Who asked, for which asset, and how many records would be or were disclosed. */
function About({
  disclosure: { requester, asset, decider, preview },
}: {
  readonly disclosure: GrantedOf<typeof DISCLOSURE_ABOUT>['disclosure'];
}) {
  return (
    <>
      <Fact name={words.requester}>
        {requester.name} <span className="soft">{requester.email}</span>
      </Fact>
      <Fact name={words.asset}>
        {asset.name} ({asset.symbol})
      </Fact>
      {asset.mintAddress !== null && (
        <Fact name={words.mint}>
          <Code value={asset.mintAddress} ends={6} what={words.theMint} />
        </Fact>
      )}
      <Fact name={words.selected}>{recordsText(preview.records)}</Fact>
      <PreviewFacts preview={preview} />
      {decider !== null && <Fact name={words.decider}>{decider.name}</Fact>}
    </>
  );
}
