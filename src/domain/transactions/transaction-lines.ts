import { prepared, type Foundation } from '../../platform/database/index.js';
import {
  integerField,
  type LineField,
  type LineMember,
  lineOf,
  type LinePage,
  oneOfField,
  optionalIntegerField,
  optionalTextField,
  parseLines,
  splitLines,
  textField,
  timeField,
} from '../../platform/kernel/encoding/lines.js';
import { CONFIDENTIAL_EVENT_TYPES } from '../../platform/ledger/index.js';
import type { Principal, RequestContext } from '../access/index.js';
import { type ListTransactionsInput, pageReader, pageStatement } from './list-transactions.js';

/** The members of a record in its line, in order. */
const FIELDS = {
  id: textField('transactions.id'),
  networkTransactionId: textField('transactions.signature'),
  type: oneOfField('transactions.type', CONFIDENTIAL_EVENT_TYPES),
  slot: integerField('transactions.slot'),
  blockTime: optionalIntegerField('transactions.block_time'),
  indexedAt: timeField('transactions.indexed_at'),
  signer: textField('transactions.signer'),
  sourceAccount: optionalTextField('transactions.source_account'),
  destinationAccount: optionalTextField('transactions.destination_account'),
  position: integerField('transactions.position'),
} satisfies Record<string, LineField>;

const NAMES = Object.keys(FIELDS);
const POSITION = NAMES.indexOf('position');

/** The members by name. They are all members of an `IndexedTransaction`. */
const MEMBERS: ReadonlyMap<string, LineMember> = new Map<string, LineMember>([
  ...Object.entries(FIELDS).map(([name, { form }], at): [string, LineMember] => [name, { at, form }]),
  ['assetId', { at: 0, isShared: true, form: 'quoted' }],
  ['network', { at: 1, isShared: true, form: 'quoted' }],
  ['publicData', { at: NAMES.length }],
  ['ciphertexts', { at: NAMES.length + 1 }],
]);

interface LinesRow {
  readonly count: number;
  readonly lines: string | null;
  readonly details: string | null;
}

const LINE = `transactions.position, ${lineOf(Object.values(FIELDS))} as line`;
const DETAILED_LINE = `${LINE},
  concat_ws(E'\\t', transactions.public_data::text, transactions.ciphertexts::text) as details`;

// Raw: the page of `listTransactions`, combined into one text.
const linesOf = pageStatement('transaction_lines', {
  columns: { summary: LINE, details: DETAILED_LINE },
  make: (name, page, details) =>
    prepared<LinesRow>(
      name,
      `select count(*)::integer as count, string_agg(page.line, E'\\n' order by page.position) as lines,
        ${details ? `string_agg(page.details, E'\\n' order by page.position)` : 'null'} as details
      from (${page}) as page`,
    ),
});

/**
 * The page of `listTransactions` as lines with the fields of {@link MEMBERS}. The details are included only if they were
 * requested.
 *
 * @throws {UnknownForm} if a record does not fit into a line
 */
async function listTransactionLines(
  foundation: Pick<Foundation, 'database' | 'reads'>,
  principal: Principal | undefined,
  input: ListTransactionsInput,
  { details }: { readonly details: boolean },
): Promise<LinePage> {
  const { assetId, limit, cursors, selection, requireAsset } = pageReader(foundation, principal, input);
  const [row] = await foundation.reads.rows(linesOf({ ...selection, details }));
  if (!row?.lines) {
    await requireAsset();
    return { lines: [], shared: [], pageInfo: { hasNextPage: false, endCursor: null } };
  }
  const lines = parseLines(row.lines, row.count, NAMES.length).slice(0, limit);
  if (row.details !== null) {
    const texts = splitLines(row.details, row.count, 2);
    lines.forEach((line, at) => line.push(...texts[at]!));
  }
  const endCursor = cursors.encode(Number(lines.at(-1)?.[POSITION]));
  return { lines, shared: [assetId, 'solana'], pageInfo: { hasNextPage: row.count > limit, endCursor } };
}

/** The listing for a response that is written from lines instead of rows. */
export const transactionLines = (foundation: Pick<Foundation, 'database' | 'reads'>) => ({
  members: MEMBERS,
  list: (
    { principal }: Pick<RequestContext, 'principal'>,
    input: ListTransactionsInput,
    { json }: { readonly json: boolean },
  ) => listTransactionLines(foundation, principal, input, { details: json }),
});
