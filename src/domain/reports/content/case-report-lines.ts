import type { RawBuilder } from 'kysely';
import { sql } from '../../../platform/database/index.js';
import { CELL_RULES } from '../../../platform/kernel/encoding/csv.js';
import { type MaskedText, OF_ASSET, type RecordText } from '../../cases/index.js';
import { MEMBER_NAMES } from './member-names.js';

export const DETAIL_COLUMNS = [
  ...['id', 'network_transaction_id', 'type', 'block_time', 'asset_id', 'symbol', 'decimals', 'amount'],
  ...['source_account', 'destination_account', 'signer', 'authority', 'undecryptable', 'restricted'],
] as const;

/** The cell of an amount that no key decrypts. */
export const UNDECRYPTABLE = 'yes';

/**
 * A line of the detail report in the format of `csv`, created by the database. Ids, addresses and times need no quotes, so
 * the database does not search a million rows for them.
 */
export function detailLine(record: MaskedText): Pick<RecordText, 'text' | 'ofAsset'> {
  const { id, networkTransactionId, type, assetId, symbol, decimals, amount } = record;
  const { sourceAccount, destinationAccount, signer, authority, undecryptable } = record;
  const time = record.blockTime({
    second: (seconds) => timeOf(seconds, 'YYYY-MM-DD"T"HH24:MI:SS".000Z"'),
    day: (seconds) => timeOf(seconds, 'YYYY-MM-DD'),
  });
  // Usually it is the signer, which is an address.
  const authorityCell = sql<string>`case when ${authority} = ${signer} then ${signer} else ${cellOf(authority)} end`;
  const last = sql<string>`${record.restricted(MEMBER_NAMES)} || E'\r\n'`;
  return {
    text: line([
      ...[id, networkTransactionId, type, time, OF_ASSET, amount],
      ...[sourceAccount, destinationAccount, signer, authorityCell, undecryptable, last],
    ]),
    ofAsset: line([assetId, cellOf(symbol), decimals]),
  };
}

/** No cell may be null. */
const line = (cells: readonly RawBuilder<string>[]) => sql<string>`concat_ws(',', ${sql.join(cells)})`;

/** A time in UTC in the format of `timestamp`, or a part of it. */
const timeOf = (seconds: RawBuilder<number>, format: string) =>
  sql<string>`to_char(to_timestamp(${seconds}) at time zone 'UTC', ${format})`;

/** A cell in the format of `csv`. One search shows that most texts need no quotes. */
function cellOf(text: RawBuilder<string>): RawBuilder<string> {
  const { plain, formula, innerFormula, needsQuotes } = CELL_RULES;
  const quote = sql`case when ${text} ~ ${needsQuotes} then '"' else '' end`;
  const apostrophe = sql`case when ${text} ~ ${formula} then '''' else '' end`;
  const defused = sql`regexp_replace(${text}, ${innerFormula}, ${String.raw`\1'`}, 'g')`;
  return sql`case when ${text} ~ ${plain} then ${text}
    else ${quote} || ${apostrophe} || replace(${defused}, '"', '""') || ${quote} end`;
}
