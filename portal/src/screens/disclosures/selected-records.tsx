import { Link } from '@tanstack/react-router';
import { holdsOwner } from '../../app/places.ts';
import { useViewer } from '../../app/session';
import { Card, Listing } from '../../design/states';
import { Fact, Table } from '../../design/table';
import { Account, Code, None, Time } from '../../design/values';
import { countText, dayText } from '../../format.ts';
import { usePages } from '../../graphql/hooks';
import { counted, texts } from '../../texts.ts';
import { TYPE_NAMES } from '../cases/transaction-words.ts';
import { CHOSEN_RECORDS, type Preview } from './documents';

const words = texts(
  {
    title: 'The records by their ids',
    inOrder: 'In the order of the request, as the ledger shows them, without amounts.',
    days: 'Days (UTC)',
    noTime: 'no record has a time',
    types: 'Types',
    ofType: (type: string, count: string) => `${type}: ${count}`,
    accounts: 'Accounts',
    accountCount: (count: number) => counted(count, 'different account', 'different accounts'),
    between: (from: string, to: string) => (from === to ? from : `${from} to ${to}`),
    ids: (count: number) => counted(count, 'id', 'ids'),
    onlyNumbers:
      'You see how many records there are, of which types and days. Single records, with their accounts, need the owner permission applications:read.',
    empty: 'None of these records exists.',
    type: 'Type',
    time: 'Time',
    source: 'From',
    destination: 'To',
    signature: 'Signature',
    theSignature: 'the signature',
    id: 'Id',
    theId: 'the id of the record',
    ofAsset: (asset: string) => `All transactions of ${asset}`,
  },
  {
    fr: {
      title: 'Les enregistrements désignés',
      inOrder: 'Dans l’ordre de la demande, tels que le registre les montre, sans montants.',
      days: 'Jours (UTC)',
      noTime: 'aucun enregistrement n’a d’heure',
      types: 'Types',
      ofType: (type: string, count: string) => `${type} : ${count}`,
      accounts: 'Comptes',
      accountCount: (count: number) => counted(count, 'compte distinct', 'comptes distincts'),
      between: (from: string, to: string) => (from === to ? from : `du ${from} au ${to}`),
      ids: (count: number) => counted(count, 'identifiant', 'identifiants'),
      onlyNumbers:
        'Vous voyez combien il y a d’enregistrements, de quels types et de quels jours. Les enregistrements un à un, avec leurs comptes, demandent l’autorisation de propriétaire applications:read.',
      empty: 'Aucun de ces enregistrements n’existe.',
      type: 'Type',
      time: 'Heure',
      source: 'De',
      destination: 'À',
      signature: 'Signature',
      theSignature: 'la signature',
      id: 'Identifiant',
      theId: 'l’identifiant de l’enregistrement',
      ofAsset: (asset: string) => `Toutes les transactions de ${asset}`,
    },
  },
);

/** Of which days, types and accounts the selected records are. Nothing if there are too many, or none. */
export function PreviewFacts({
  preview: { records, byType, earliest, latest, accounts },
}: {
  readonly preview: Preview;
}) {
  if (records === null || records === 0) return null;
  return (
    <>
      <Fact name={words.days}>
        {earliest === null || latest === null
          ? words.noTime
          : words.between(dayText(earliest * 1_000), dayText(latest * 1_000))}
      </Fact>
      <Fact name={words.types}>
        {(byType ?? []).map(({ type, count }) => words.ofType(TYPE_NAMES[type], countText(count))).join(', ')}
      </Fact>
      {accounts !== null && <Fact name={words.accounts}>{words.accountCount(accounts)}</Fact>}
    </>
  );
}

/** The records that a disclosure names by their ids: with what the list of transactions shows, for those who may read it. */
export function ChosenRecords({
  id,
  ids,
  asset,
}: {
  readonly id: string;
  readonly ids: readonly string[];
  readonly asset: { readonly id: string; readonly name: string } | undefined;
}) {
  const { permissions } = useViewer();
  if (holdsOwner(permissions, 'applications:read')) return <Records id={id} asset={asset} />;
  return (
    <Card title={words.title}>
      <p>{words.onlyNumbers}</p>
      <details>
        <summary>{words.ids(ids.length)}</summary>
        <ul>
          {ids.map((chosen) => (
            <li key={chosen}>
              <code className="wrap">{chosen}</code>
            </li>
          ))}
        </ul>
      </details>
    </Card>
  );
}

function Records({
  id,
  asset,
}: {
  readonly id: string;
  readonly asset: { readonly id: string; readonly name: string } | undefined;
}) {
  const pages = usePages(
    ['chosenRecords', id],
    CHOSEN_RECORDS,
    { id },
    ({ disclosure }) => disclosure.chosenRecords,
  );
  return (
    <Card
      title={words.title}
      aside={
        asset && (
          <Link to="/organization/assets/$id" params={{ id: asset.id }}>
            {words.ofAsset(asset.name)}
          </Link>
        )
      }
    >
      <p className="soft">{words.inOrder}</p>
      <Listing pages={pages} empty={words.empty}>
        {(nodes) => (
          <Table
            label={words.title}
            rows={nodes}
            keyOf={(node) => node.id}
            columns={[
              { name: words.type, cell: ({ type }) => TYPE_NAMES[type] },
              {
                name: words.time,
                cell: ({ blockTime }) => (blockTime === null ? <None /> : <Time at={blockTime * 1_000} />),
              },
              { name: words.source, cell: ({ sourceAccount }) => <Account address={sourceAccount} /> },
              {
                name: words.destination,
                cell: ({ destinationAccount }) => <Account address={destinationAccount} />,
              },
              {
                name: words.signature,
                cell: ({ networkTransactionId }) => (
                  <Code value={networkTransactionId} ends={6} what={words.theSignature} />
                ),
              },
              { name: words.id, cell: (node) => <Code value={node.id} ends={6} what={words.theId} /> },
            ]}
          />
        )}
      </Listing>
    </Card>
  );
}
