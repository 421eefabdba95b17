import { useViewer } from '../../app/session';
import { Button } from '../../design/button';
import { Card, Notice } from '../../design/states';
import { Fact, Facts, Table } from '../../design/table';
import { Badge, Code, None, Time } from '../../design/values';
import { VirtualGrid, type GridColumn } from '../../design/lists/virtual-grid';
import { amountText, countText } from '../../format.ts';
import { texts } from '../../texts.ts';
import { remembered } from '../../verification/checkpoint-memory';
import { AmountMark, CheckedMark, Mark } from '../../verification/marks';
import { saveFile } from '../../verification/save-file';
import { IS_PUBLIC, TYPE_NAMES } from '../cases/transaction-words.ts';
import type { DisclosedRecord, DisclosureFile } from './documents';

const words = texts(
  {
    disclosure: 'Disclosure',
    result: 'Result',
    made: 'Created',
    receipt: 'Receipt',
    theReceipt: 'the id of the receipt',
    deleted:
      'The result was deleted at the end of its retention. Its receipt stays, and the file of it can be checked.',
    save: 'Save the file',
    none: 'The scope selected no record.',
    time: 'Time',
    what: 'What',
    amount: 'Amount',
    fee: 'Fee',
    proof: 'Proof',
    source: 'From',
    destination: 'To',
    slot: 'Slot',
    signature: 'Signature',
    theSignature: 'the signature',
    noKey: 'No key opens it',
    unavailable: 'Not encrypted to your keys',
    noProof: 'The gateway returned no proof of this amount.',
    undecryptable: 'No key of the organization opens this amount, so there is nothing to check.',
  },
  {
    fr: {
      disclosure: 'Divulgation',
      result: 'Résultat',
      made: 'Produit',
      receipt: 'Reçu',
      theReceipt: 'l’identifiant du reçu',
      deleted:
        'Le résultat a été supprimé au terme de sa durée de conservation. Son reçu reste, et son fichier peut être vérifié.',
      save: 'Enregistrer le fichier',
      none: 'Aucun enregistrement n’était visé.',
      time: 'Heure',
      what: 'Quoi',
      amount: 'Montant',
      fee: 'Frais',
      proof: 'Preuve',
      source: 'De',
      destination: 'À',
      slot: 'Slot',
      signature: 'Signature',
      theSignature: 'la signature',
      noKey: 'Aucune clé ne l’ouvre',
      unavailable: 'Non chiffré pour vos clés',
      noProof: 'La passerelle n’a donné aucune preuve de ce montant.',
      undecryptable: 'Aucune clé de l’organisation n’ouvre ce montant : il n’y a rien à vérifier.',
    },
  },
);

/** Beyond so many records only those on screen are in the page. */
const MAX_TABLE_ROWS = 50;

type Field = 'amount' | 'fee';

/** The disclosed values, with the mark of the receipt and of each amount. */
export function Result({
  disclosure,
  result,
}: {
  readonly disclosure: DisclosureFile;
  readonly result: NonNullable<DisclosureFile['result']>;
}) {
  const { organization } = useViewer();
  const question = {
    ask: 'disclosure',
    file: disclosure,
    knownKeys: remembered(organization.id)?.keys,
  } as const;
  return (
    <Card
      title={words.result}
      aside={
        <div className="row">
          <CheckedMark of={words.disclosure} question={question} />
          <Button onPress={() => saveFile('disclosure.json', JSON.stringify(disclosure))}>
            {words.save}
          </Button>
        </div>
      }
    >
      <Facts>
        <Fact name={words.made}>
          <Time at={result.generatedAt} />
        </Fact>
        <Fact name={words.receipt}>
          <Code value={result.receiptId} what={words.theReceipt} />
        </Fact>
      </Facts>
      {result.deletedAt !== null ? (
        <Notice>{words.deleted}</Notice>
      ) : (
        <Records records={result.records ?? []} fields={disclosure.scope.fields} />
      )}
    </Card>
  );
}

function Records({
  records,
  fields,
}: {
  readonly records: readonly DisclosedRecord[];
  readonly fields: readonly Field[];
}) {
  const columns = columnsFor(fields, records.length > MAX_TABLE_ROWS);
  if (records.length === 0) return <p>{words.none}</p>;
  return records.length <= MAX_TABLE_ROWS ? (
    <Table
      label={words.result}
      rows={records}
      keyOf={({ transactionId }) => transactionId}
      columns={columns}
    />
  ) : (
    <VirtualGrid
      label={words.result}
      rows={records}
      columns={columns}
      hasMore={false}
      isLoading={false}
      onMore={() => undefined}
    />
  );
}

function columnsFor(fields: readonly Field[], isGrid: boolean): readonly GridColumn<DisclosedRecord>[] {
  const account = (id: 'sourceAccount' | 'destinationAccount', name: string) => ({
    id,
    name,
    width: '10rem',
    cell: (record: DisclosedRecord) =>
      record[id] === null ? <None /> : <Code value={record[id]} ends={6} />,
  });
  const all: readonly GridColumn<DisclosedRecord>[] = [
    {
      id: 'time',
      name: words.time,
      width: '13.5rem',
      cell: ({ blockTime }) => (blockTime === null ? <None /> : <Time at={blockTime * 1_000} isExact />),
    },
    { id: 'type', name: words.what, width: '10rem', cell: ({ type }) => TYPE_NAMES[type] },
    {
      id: 'amount',
      name: words.amount,
      width: '13rem',
      isNumber: true,
      cell: (record) => <Value record={record} field="amount" />,
    },
    {
      id: 'proof',
      name: words.proof,
      width: '10.5rem',
      cell: (record) => <Proof record={record} isInGrid={isGrid} />,
    },
    {
      id: 'fee',
      name: words.fee,
      width: '13rem',
      isNumber: true,
      cell: (record) => <Value record={record} field="fee" />,
    },
    account('sourceAccount', words.source),
    account('destinationAccount', words.destination),
    {
      id: 'signature',
      name: words.signature,
      width: '11rem',
      // A grid has its buttons in the marks: one of them in a cell, and the arrows go to it.
      cell: ({ networkTransactionId }) => (
        <Code value={networkTransactionId} ends={6} {...(isGrid ? {} : { what: words.theSignature })} />
      ),
    },
    { id: 'slot', name: words.slot, width: '8rem', isNumber: true, cell: ({ slot }) => countText(slot) },
  ];
  const isAsked = (field: Field) => fields.includes(field);
  return all.filter(({ id }) =>
    id === 'amount' || id === 'proof' ? isAsked('amount') : id !== 'fee' || isAsked('fee'),
  );
}

/** A value, or why there is none: it is undecryptable, not encrypted to the auditor, or absent. */
function Value({ record, field }: { readonly record: DisclosedRecord; readonly field: Field }) {
  const value = record[field];
  if (value != null) return <>{amountText(value, record.decimals)}</>;
  if (record.undecryptable?.includes(field)) return <Badge tone="warn">{words.noKey}</Badge>;
  if (record.unavailable?.includes(field)) return <span className="soft">{words.unavailable}</span>;
  return <None />;
}

function Proof({ record, isInGrid }: { readonly record: DisclosedRecord; readonly isInGrid: boolean }) {
  const { amount, type, networkTransactionId, proof, undecryptable } = record;
  if (amount == null && !undecryptable?.includes('amount')) return <None />;
  if (amount != null && IS_PUBLIC.has(type) && !proof?.amount)
    return <Mark of={words.amount} isInGrid={isInGrid} state={{ kind: 'public' }} />;
  return (
    <AmountMark
      of={words.amount}
      isInGrid={isInGrid}
      proven={
        proof?.amount && amount != null ? { amount, networkTransactionId, proof: proof.amount } : undefined
      }
      because={amount == null ? words.undecryptable : words.noProof}
    />
  );
}
