import { createContext, useContext } from 'react';
import type { GridColumn } from '../../design/lists/virtual-grid';
import { Time } from '../../design/values';
import { amountText, dayText, shortText } from '../../format.ts';
import { texts } from '../../texts.ts';
import { MarkButton, useVerdict, type MarkState } from '../../verification/marks';
import { amountFile, amountQuestion, type ProofFile } from '../../verification/proof-files';
import type { AmountProof, CaseRecord } from './documents';
import type { Proofs } from './proofs';
import { IS_PUBLIC, TYPE_NAMES } from './transaction-words';
import type { Maskable } from './why-hidden.ts';

const words = texts(
  {
    none: 'none',
    hidden: 'hidden',
    noKey: 'No key opens it',
    time: 'Time',
    day: 'Day (UTC)',
    what: 'What',
    amount: 'Amount',
    source: 'From',
    destination: 'To',
    signer: 'Paid by',
    authority: 'Authorized by',
    signature: 'Signature',
    isHidden: (what: string) => `${what} is hidden`,
    why: 'Why?',
    proof: 'Proof',
    noProof: 'The gateway returned no proof that this is the amount of the transaction.',
    doubled:
      'Another record of this case has the same ciphertext: one of the two amounts belongs to another transaction.',
    repeated: 'The gateway returned this transaction more than once.',
  },
  {
    fr: {
      none: 'aucun',
      hidden: 'masqué',
      noKey: 'Aucune clé ne l’ouvre',
      time: 'Heure',
      day: 'Jour (UTC)',
      what: 'Quoi',
      amount: 'Montant',
      source: 'De',
      destination: 'À',
      signer: 'Payé par',
      authority: 'Autorisé par',
      signature: 'Signature',
      isHidden: (what: string) => `${what} : masqué`,
      why: 'Pourquoi ?',
      proof: 'Preuve',
      noProof: 'La passerelle n’a donné aucune preuve que ce soit le montant de la transaction.',
      doubled:
        'Un autre enregistrement de ce dossier a le même chiffré : l’un des deux montants est d’une autre transaction.',
      repeated: 'La passerelle a donné cette transaction plus d’une fois.',
    },
  },
);

export const COLUMNS = [
  ['amount', words.amount],
  ['sourceAccount', words.source],
  ['destinationAccount', words.destination],
  ['signer', words.signer],
  ['authority', words.authority],
  ['networkTransactionId', words.signature],
] as const satisfies readonly (readonly [Maskable, string])[];
export type ColumnMember = (typeof COLUMNS)[number][0];
export const columnName = (member: ColumnMember) => COLUMNS.find(([known]) => known === member)![1];

/** What somebody asked about a cell of the grid. */
export type Asked =
  | { readonly about: 'hidden'; readonly members: readonly ColumnMember[]; readonly type: string }
  | { readonly about: 'value'; readonly member: ColumnMember; readonly value: string }
  | { readonly about: 'proof'; readonly state: MarkState; readonly file: ProofFile | undefined };

/** Opens the one explanation of the grid beside a cell. */
export const Explain = createContext<(target: Element, asked: Asked) => void>(() => undefined);

export function columnsFor(
  hidden: readonly ColumnMember[],
  hasTimes: boolean,
  proofs: Proofs,
  doubled: Doubled,
): readonly GridColumn<CaseRecord>[] {
  const member = (name: ColumnMember, width: string): GridColumn<CaseRecord> => ({
    id: name,
    name: columnName(name),
    width,
    cell: (record) => <Value record={record} member={name} />,
  });
  const all: readonly GridColumn<CaseRecord>[] = [
    {
      id: 'time',
      name: hasTimes ? words.time : words.day,
      width: hasTimes ? '15.5rem' : '8rem',
      cell: ({ blockTime }) =>
        hasTimes ? <Time at={blockTime * 1_000} isExact /> : dayText(blockTime * 1_000),
    },
    { id: 'type', name: words.what, width: '9rem', cell: ({ type }) => TYPE_NAMES[type] },
    {
      id: 'amount',
      name: words.amount,
      width: '13rem',
      isNumber: true,
      cell: (record) => <Amount record={record} />,
    },
    // A ciphertext names its transaction: a case without full ids has no proofs.
    ...(hasTimes
      ? [
          {
            id: 'proof',
            name: words.proof,
            width: '10.5rem',
            cell: (record: CaseRecord) => <Proof record={record} proofs={proofs} doubled={doubled} />,
          },
        ]
      : []),
    member('sourceAccount', '10rem'),
    member('destinationAccount', '10rem'),
    member('signer', '10rem'),
    member('authority', '10rem'),
    member('networkTransactionId', 'minmax(10rem, 1fr)'),
  ];
  return all.filter(({ id }) => !hidden.some((name) => name === id));
}

function Amount({ record }: { readonly record: CaseRecord }) {
  if (record.amount !== null) return <>{`${amountText(record.amount, record.decimals)} ${record.symbol}`}</>;
  if (record.undecryptable) return <span className="badge warn">{words.noKey}</span>;
  return <Value record={record} member="amount" />;
}

function Value({ record, member }: { readonly record: CaseRecord; readonly member: ColumnMember }) {
  const value = record[member];
  const explain = useContext(Explain);
  if (value !== null)
    return (
      <button
        type="button"
        tabIndex={-1}
        className="link value"
        aria-haspopup="dialog"
        title={value}
        onClick={({ currentTarget }) => explain(currentTarget, { about: 'value', member, value })}
      >
        <span className="visually-hidden">{`${columnName(member)}: ${value}`}</span>
        <code aria-hidden="true">{shortText(value, 6)}</code>
      </button>
    );
  if (!record.restricted.includes(member)) return <span className="soft">{words.none}</span>;
  return <Hidden member={member} type={record.type} />;
}

/** A value that the case does not show. The one explanation of the grid opens beside it. */
function Hidden({ member, type }: { readonly member: ColumnMember; readonly type: string }) {
  const explain = useContext(Explain);
  return (
    <button
      type="button"
      tabIndex={-1}
      className="hidden-value"
      aria-haspopup="dialog"
      aria-label={`${words.isHidden(columnName(member))}. ${words.why}`}
      onClick={({ currentTarget }) => explain(currentTarget, { about: 'hidden', members: [member], type })}
    >
      {words.hidden}
    </button>
  );
}

/** The amount of one record, checked here, always: a mark of the grid. */
function Proof({
  record,
  proofs,
  doubled,
}: {
  readonly record: CaseRecord;
  readonly proofs: Proofs;
  readonly doubled: Doubled;
}) {
  const explain = useContext(Explain);
  const { type, amount, networkTransactionId } = record;
  const proof = proofs.of(record);
  const failure = proofs.errorOf(record);
  const question =
    proof && amount !== null ? amountQuestion({ amount, networkTransactionId, proof }) : undefined;
  const checked = useVerdict(question);
  if (amount === null) return <span className="soft">{words.none}</span>;
  const doubt = doubled.ids.has(record.id)
    ? refuted('transaction', words.repeated)
    : proof && doubled.ciphertexts.has(ciphertextOf(proof))
      ? refuted('ciphertext', words.doubled)
      : proof === null
        ? refuted('proof', words.noProof)
        : undefined;
  const state: MarkState =
    doubt ??
    (IS_PUBLIC.has(type)
      ? { kind: 'public' }
      : proof === undefined && failure
        ? { kind: 'not checkable', because: failure.message }
        : checked);
  // On its own, an amount of two transactions would pass elsewhere the check that it fails here.
  const file = question && !doubt ? amountFile(question) : undefined;
  return (
    <MarkButton
      of={words.amount}
      state={state}
      tabIndex={-1}
      onClick={({ currentTarget }) => explain(currentTarget, { about: 'proof', state, file })}
    />
  );
}

const refuted = (name: string, detail: string): MarkState => ({
  kind: 'verdict',
  verdict: { holds: false, findings: [{ name, passed: false, detail }], unverified: [] },
});

const ciphertextOf = ({ ciphertext: { lo, hi } }: AmountProof) => `${lo} ${hi}`;

/** Values that are in several records of a case, but can belong to only one. */
interface Doubled {
  readonly ciphertexts: ReadonlySet<string>;
  readonly ids: ReadonlySet<string>;
}

function doublesIn(values: readonly string[]): ReadonlySet<string> {
  const same = [...Map.groupBy(values, (value) => value)].filter(([, found]) => found.length > 1);
  return new Set(same.map(([value]) => value));
}

/** Ciphertexts in more than one record: encryptions are unique, so at least one belongs to another record. */
export const doubledCiphertexts = (records: readonly CaseRecord[], proofs: Proofs): ReadonlySet<string> =>
  doublesIn(
    records.flatMap((record) => {
      const proof = proofs.of(record);
      return proof ? [ciphertextOf(proof)] : [];
    }),
  );

/** Transactions that were given more than once. */
export const repeatedIds = (records: readonly CaseRecord[]): ReadonlySet<string> =>
  doublesIn(records.map(({ id }) => id));
