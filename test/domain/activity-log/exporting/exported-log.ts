import {
  exportText,
  newestCheckpoint,
  type ExportedEntry,
  type LogVerification,
  type SignedCheckpoint,
} from '../../../../src/domain/activity-log/index.js';
import {
  generateSigningKey,
  inclusionRanges,
  leafHash,
  rangeHash,
  sign,
  signCheckpoint,
  signingPublicKey,
  tileAppender,
  verifierKey,
} from '../../../../src/platform/crypto/index.js';
import { sql, type Database, type Foundation } from '../../../../src/platform/database/index.js';
import { base64 } from '../../../../src/platform/kernel/encoding/bytes.js';
import { canonicalJson } from '../../../../src/platform/kernel/encoding/json.js';
import type { Id } from '../../../../src/platform/kernel/ids.js';
import { createTestDatabase } from '../../../kit/database/database.js';
import { seedOrganization, testFoundation, type SeededOrganization } from '../../../kit/seed.js';
import { act, sequence } from '../kit.js';

// Tests edit a file member by member, like a forger.
export interface LogFile {
  origin: string;
  verifier_key: string;
  checkpoint: string;
  key_changes: FileEntry[];
  entries: FileEntry[];
}

export interface FileEntry {
  index: number;
  entry: Record<string, unknown>;
  salts: Record<string, { salt: string; value: string }>;
  proof: string[];
}

/** A log with more than 40 entries, the last ten of them about an application, and its export. */
export interface ExportedLog extends AsyncDisposable {
  readonly database: Database;
  readonly seed: SeededOrganization;
  /** A checkpoint before the last ten entries. */
  readonly older: SignedCheckpoint;
  readonly text: string;
  readonly file: LogFile;
  exportedText(scope?: { applicationId?: Id<'app'> }): Promise<string>;
  /** The secret key of the log. */
  secret(): Promise<Uint8Array>;
}

export async function openExportedLog(): Promise<ExportedLog> {
  const database = await createTestDatabase();
  const foundation = testFoundation(database);
  const seed = await seedOrganization(foundation);
  const organizationId = seed.organization.id;
  const exportedText = (scope: { applicationId?: Id<'app'> } = {}) =>
    exportOf(database, organizationId, scope);
  await act(foundation, organizationId, 30);
  await sequence(foundation);
  const older = await newestCheckpoint(database, organizationId);
  await act(foundation, organizationId, 10, { application: seed.application });
  await sequence(foundation);
  const text = await exportedText();
  return {
    database,
    seed,
    older,
    text,
    file: JSON.parse(text) as LogFile,
    exportedText,
    secret: () => secretOf(foundation, organizationId),
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  };
}

/** The export of the whole log with its newest checkpoint. */
export async function exportOf(
  database: Database,
  organizationId: Id<'org'>,
  scope: { applicationId?: Id<'app'> } = {},
): Promise<string> {
  const checkpoint = await newestCheckpoint(database, organizationId);
  let text = '';
  for await (const piece of exportText(database, checkpoint, { organizationId, ...scope })) text += piece;
  return text;
}

export const failuresOf = ({ checks }: LogVerification): readonly string[] =>
  checks.filter(({ passed }) => !passed).map(({ name, detail }) => `${name}: ${detail}`);

/** A log of these entries, rebuilt and signed with the forger's key or a stolen one. */
export function forge(
  entries: LogFile['entries'],
  { origin }: { origin: string },
  stolen?: Uint8Array,
): LogFile {
  const secret = stolen ?? generateSigningKey().secret;
  const appender = tileAppender(0, []);
  for (const { entry } of entries) appender.append(leafHash(canonicalJson(entry as ExportedEntry['entry'])));
  const publicKey = signingPublicKey(secret);
  const signer = { name: origin, publicKey, sign: (message: Uint8Array) => sign(secret, message) };
  return {
    origin,
    verifier_key: verifierKey(origin, publicKey),
    checkpoint: signCheckpoint({ origin, size: entries.length, root: appender.root() }, signer),
    key_changes: [],
    entries: entries.map((entry, index) => ({
      ...entry,
      index,
      proof: inclusionRanges(index, entries.length).map((range) =>
        base64.encode(rangeHash(range, appender.nodes)),
      ),
    })),
  };
}

async function secretOf({ database, sealer }: Foundation, organizationId: Id<'org'>): Promise<Uint8Array> {
  const [row] = await database.rows(sql<{ sealed: Uint8Array }>`
    select sealed_secret as sealed from signing_keys where organization_id = ${organizationId}`);
  return sealer.open(row!.sealed, `signing_keys/${organizationId}`);
}
