import { Link, useParams, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { PLACE_NAMES } from '../../app/places.ts';
import { useViewer } from '../../app/session';
import { Button } from '../../design/button';
import { Confirm } from '../../design/dialog';
import { Await, Card, Listing, Notice } from '../../design/states';
import { Fact, Facts, Table } from '../../design/table';
import { Badge, Code, None, Time } from '../../design/values';
import { amountText, countText, timeText } from '../../format.ts';
import type { GrantedOf } from '../../graphql/document';
import { SECRET, useAction, useLive, usePages, useRead } from '../../graphql/hooks';
import { request as run } from '../../graphql/request';
import { counted, texts } from '../../texts.ts';
import { useDecidedFocus } from '../decided-focus.ts';
import { ReasonField } from '../reason-field';
import { remembered } from '../../verification/checkpoint-memory';
import { AmountMark, CheckedMark } from '../../verification/marks';
import { saveFile } from '../../verification/save-file';
import { PageHead } from '../organization/page';
import { fieldsText } from '../scope.ts';
import { AssetFilter } from './asset-filter';
import { DecidingPolicy } from './deciding-policy';
import { NamedRecords } from './named-records';
import { DisclosureList, recordsText, STATES, TONES } from './disclosure-list';
import { DECIDE, DISCLOSURE, DISCLOSURE_ABOUT, DISCLOSURE_CHANGED, DISCLOSURES } from './documents';

const words = texts(
  {
    pending: 'Pending',
    decided: 'Decided',
    views: 'Which disclosures',
    empty:
      'There is no disclosure. Backends request them, and those that no policy decides wait here for a person.',
    noneOfAsset: 'There is no disclosure of this asset.',
    nothingDecided:
      'No disclosure has been decided yet. Decided ones stay here, with who decided them and why.',
    disclosure: 'Disclosure',
    purpose: 'Purpose',
    requester: 'Requested by',
    asset: 'Asset',
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
    authorize: 'Authorize…',
    reject: 'Reject…',
    authorizeTitle: 'This discloses the values.',
    authorizeText:
      'The result is made at once and cannot be taken back. Anyone who may read the disclosure reads the values in clear.',
    authorizeAction: 'Disclose the values',
    authorizing: 'Disclosing…',
    rejectTitle: 'This rejects the disclosure.',
    rejectText: 'Nothing is disclosed. The requester sees your reason.',
    rejectAction: 'Reject the disclosure',
    rejecting: 'Rejecting…',
    total: (count: number) =>
      counted(count, 'disclosure waits, oldest first', 'disclosures wait, oldest first'),
    result: 'Result',
    noResult: 'You may decide this disclosure, and not read its result.',
    deletedAt: 'Result deleted',
    deleted:
      'The result was deleted at the end of its retention. Its receipt stays, and the file of it can be checked.',
    save: 'Save the file',
    amount: 'Amount',
    slot: 'Slot',
    signature: 'Signature',
    proof: 'Proof',
    noProof: 'The value has no proof: it stands on the ledger in the clear, or no key opens it.',
  },
  {
    fr: {
      pending: 'En attente',
      decided: 'Traitées',
      views: 'Quelles divulgations',
      empty:
        'Aucune divulgation ici. Un service en demande ; ce qu’aucune règle ne tranche attend ici une personne.',
      noneOfAsset: 'Aucune divulgation de cet actif ici.',
      nothingDecided:
        'Aucune divulgation n’est encore traitée. Celles qui le sont restent ici, avec qui a décidé et pourquoi.',
      disclosure: 'Divulgation',
      purpose: 'But',
      requester: 'Demandée par',
      asset: 'Actif',
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
      authorize: 'Autoriser…',
      reject: 'Rejeter…',
      authorizeTitle: 'Ceci divulgue les valeurs.',
      authorizeText:
        'Le résultat est produit aussitôt et ne peut être repris. Qui peut lire la divulgation lit les valeurs en clair.',
      authorizeAction: 'Divulguer les valeurs',
      authorizing: 'Divulgation…',
      rejectTitle: 'Ceci rejette la divulgation.',
      rejectText: 'Rien n’est divulgué. Le demandeur voit votre motif.',
      rejectAction: 'Rejeter la divulgation',
      rejecting: 'Rejet…',
      total: (count: number) =>
        counted(
          count,
          'divulgation attend, la plus ancienne d’abord',
          'divulgations attendent, les plus anciennes d’abord',
        ),
      result: 'Résultat',
      noResult: 'Vous pouvez statuer sur cette divulgation, mais pas lire son résultat.',
      deletedAt: 'Résultat supprimé',
      deleted:
        'Le résultat a été supprimé au terme de sa durée de conservation. Son reçu reste, et son fichier peut être vérifié.',
      save: 'Enregistrer le fichier',
      amount: 'Montant',
      slot: 'Slot',
      signature: 'Signature',
      proof: 'Preuve',
      noProof: 'La valeur n’a pas de preuve : elle est en clair sur le registre, ou aucune clé ne l’ouvre.',
    },
  },
);

export function Disclosures() {
  const { view = 'pending', asset } = useSearch({ from: '/signed-in/disclosures' });
  const ofAsset = asset === undefined ? {} : { asset };
  const none = (ofEvery: string) => (asset === undefined ? ofEvery : words.noneOfAsset);
  const pages = usePages(
    ['disclosures'],
    DISCLOSURES,
    {
      ...(view === 'pending' ? { status: 'pending', oldestFirst: true } : {}),
      ...(asset === undefined ? {} : { assetId: asset }),
    },
    ({ disclosures }) => disclosures,
  );
  useLive(DISCLOSURE_CHANGED, {}, ({ disclosureChanged }) => disclosureChanged.cursor, [['disclosures']]);
  const shown = view === 'pending' ? pages.nodes : pages.nodes.filter(({ status }) => status !== 'pending');
  return (
    <>
      <PageHead title={PLACE_NAMES.disclosures} />
      <nav className="tabs" aria-label={words.views}>
        <Link to="/disclosures" search={ofAsset} activeOptions={{ exact: true }}>
          {words.pending}
        </Link>
        <Link to="/disclosures" search={{ ...ofAsset, view: 'decided' }}>
          {words.decided}
        </Link>
      </nav>
      <AssetFilter asset={asset} />
      {view === 'pending' && pages.total !== undefined && pages.total > 0 && (
        <p className="soft" role="status">
          {words.total(pages.total)}
        </p>
      )}
      <Listing
        pages={{ ...pages, nodes: shown }}
        empty={none(view === 'pending' ? words.empty : words.nothingDecided)}
      >
        {(nodes) => <DisclosureList disclosures={nodes} />}
      </Listing>
    </>
  );
}

export function Disclosure() {
  const { id } = useParams({ from: '/signed-in/disclosures/$id' });
  const { organization } = useViewer();
  const [open, setOpen] = useState<'authorize' | 'reject'>();
  const reading = useRead(['disclosure', id], DISCLOSURE, { id }, { isSecret: true });
  const about = useRead(['disclosureAbout', id], DISCLOSURE_ABOUT, { id });
  useLive(DISCLOSURE_CHANGED, {}, ({ disclosureChanged }) => disclosureChanged.cursor, [
    [SECRET, 'disclosure', id],
    ['disclosureAbout', id],
  ]);
  const decide = useAction(
    ({ decision, reason }: { decision: 'authorize' | 'reject'; reason: string }) =>
      run(DECIDE, { input: { id, decision, ...(reason === '' ? {} : { reason }) } }),
    [[SECRET, 'disclosure', id], ['disclosureAbout', id], ['disclosures']],
  );
  const status = reading.data?.data.disclosure.status;
  const decided = useDecidedFocus<HTMLSpanElement>(
    status !== undefined && status !== 'pending' && open === undefined,
  );
  const close = () => {
    setOpen(undefined);
    decide.reset();
  };
  return (
    <>
      <PageHead
        title={words.disclosure}
        {...(reading.data ? { name: reading.data.data.disclosure.purpose } : {})}
      />
      <Await reading={reading}>
        {({ data: { disclosure } }) => {
          const records = disclosure.result?.records ?? [];
          return (
            <>
              <Card
                title={
                  <span ref={decided} tabIndex={-1}>
                    <Badge tone={TONES[disclosure.status]}>{STATES[disclosure.status]}</Badge>
                  </span>
                }
                aside={
                  disclosure.status === 'pending' && (
                    <div className="row">
                      <Button variant="primary" onPress={() => setOpen('authorize')}>
                        {words.authorize}
                      </Button>
                      <Button onPress={() => setOpen('reject')}>{words.reject}</Button>
                    </div>
                  )
                }
              >
                <Facts>
                  <Fact name={words.purpose}>{disclosure.purpose}</Fact>
                  {about.data && <About disclosure={about.data.data.disclosure} />}
                  <Fact name={words.fields}>{fieldsText(disclosure.scope.fields)}</Fact>
                  <Fact name={words.scope}>
                    <NamedRecords ids={disclosure.scope.transactionIds} account={disclosure.scope.account} />
                  </Fact>
                  {(disclosure.scope.from != null || disclosure.scope.to != null) && (
                    <Fact name={words.period}>{periodText(disclosure.scope)}</Fact>
                  )}
                  <Fact name={words.format}>{disclosure.format.toUpperCase()}</Fact>
                  <DecidingPolicy disclosure={disclosure} />
                  <Fact name={words.requested}>
                    <Time at={disclosure.requestedAt} />
                  </Fact>
                  {disclosure.decidedAt !== null && (
                    <Fact name={words.decidedAt}>
                      <Time at={disclosure.decidedAt} />
                    </Fact>
                  )}
                  {disclosure.result?.deletedAt != null && (
                    <Fact name={words.deletedAt}>
                      <Time at={disclosure.result.deletedAt} />
                    </Fact>
                  )}
                  {disclosure.decisionReason !== null && (
                    <Fact name={words.reason}>{disclosure.decisionReason}</Fact>
                  )}
                </Facts>
              </Card>
              {disclosure.status === 'available' && disclosure.result === null && (
                <Notice>{words.noResult}</Notice>
              )}
              {disclosure.result !== null && (
                <Card
                  title={words.result}
                  aside={
                    <div className="row">
                      <CheckedMark
                        of={words.disclosure}
                        question={{
                          ask: 'disclosure',
                          file: disclosure,
                          knownKey: remembered(organization.id),
                        }}
                      />
                      <Button onPress={() => saveFile('disclosure.json', JSON.stringify(disclosure))}>
                        {words.save}
                      </Button>
                    </div>
                  }
                >
                  {disclosure.result.deletedAt !== null ? (
                    <Notice>{words.deleted}</Notice>
                  ) : (
                    <Table
                      label={words.result}
                      rows={records}
                      keyOf={({ transactionId }) => transactionId}
                      columns={[
                        {
                          name: words.signature,
                          cell: ({ networkTransactionId }) => <Code value={networkTransactionId} ends={6} />,
                        },
                        { name: words.slot, isNumber: true, cell: ({ slot }) => countText(slot) },
                        {
                          name: words.amount,
                          isNumber: true,
                          cell: ({ amount, decimals }) =>
                            amount == null ? <None /> : amountText(amount, decimals),
                        },
                        {
                          name: words.proof,
                          cell: ({ amount, networkTransactionId, proof }) => (
                            <AmountMark
                              of={words.amount}
                              proven={
                                proof?.amount && typeof amount === 'string'
                                  ? { amount, networkTransactionId, proof: proof.amount }
                                  : undefined
                              }
                              because={words.noProof}
                            />
                          ),
                        },
                      ]}
                    />
                  )}
                </Card>
              )}
              {open !== undefined && (
                <Confirm
                  title={words[`${open}Title`]}
                  action={words[`${open}Action`]}
                  busy={open === 'authorize' ? words.authorizing : words.rejecting}
                  state={decide}
                  isReady={open === 'reject' || about.data !== undefined}
                  onClose={close}
                  onConfirm={(values) =>
                    void decide.run({ decision: open, reason: values.text('reason') }, close)
                  }
                >
                  {open === 'authorize' && (
                    <Await reading={about} lines={3}>
                      {({ data }) => (
                        <Facts>
                          <Fact name={words.selected}>{recordsText(data.disclosure.preview.records)}</Fact>
                          <Fact name={words.fields}>{fieldsText(disclosure.scope.fields)}</Fact>
                          <Fact name={words.format}>{disclosure.format.toUpperCase()}</Fact>
                        </Facts>
                      )}
                    </Await>
                  )}
                  <p>{words[`${open}Text`]}</p>
                  <ReasonField isRequired={open === 'reject'} />
                </Confirm>
              )}
            </>
          );
        }}
      </Await>
    </>
  );
}

/** The period that was asked for, both ends included. */
function periodText({ from, to }: { readonly from: string | null; readonly to: string | null }): string {
  if (from === null) return to === null ? '' : words.until(timeText(to));
  return to === null ? words.since(timeText(from)) : words.between(timeText(from), timeText(to));
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
      <Fact name={words.selected}>{recordsText(preview.records)}</Fact>
      {decider !== null && <Fact name={words.decider}>{decider.name}</Fact>}
    </>
  );
}
