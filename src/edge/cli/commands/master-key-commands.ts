import type { Command } from 'commander';
import { setTimeout as pause } from 'node:timers/promises';
import { CommandFailed } from '../command-failed.js';
import { paceOption, shareOf } from '../pace-option.js';
import type { KeyRoom, Product } from '../product.js';
import { note, print, printJson, type Terminal } from '../terminal.js';

const ACCESS = {
  instead: 'Stop the gateway first: the embedded database serves one process.',
  // Counting the values of a large table takes longer than any statement of a gateway.
  isLong: true,
} as const;

interface Options {
  readonly json?: true;
  readonly to?: string;
  readonly pace?: number;
}

const load = () => import('../../../platform/keys/index.js');

export function addMasterKeyCommands(program: Command, terminal: Terminal, product: Product): void {
  const group = program
    .command('master-key')
    .description('Change the key that encrypts all secrets in the database, while gateways run.')
    .helpCommand(false);
  group
    .command('status')
    .description('Show the versions of the master key, the data keys, and what is left to seal again.')
    .option('--json', 'Print everything as JSON.')
    .addHelpText('after', '\nExamples:\n  lucarne master-key status --json')
    .action((options: Options) => product.withKeys(ACCESS, (keys) => showStatus(keys, options, terminal)));
  group
    .command('rotate')
    .description('Wrap all data keys with a new master key, in one transaction.')
    .option(
      '--to <uri>',
      'The new key: pkcs11:token=LABEL;object=LABEL, vault:MOUNT/KEY, aws-kms:ARN or gcp-kms:NAME. A token or Vault creates the key if it does not exist.',
    )
    .option('--json', 'Print the new version as JSON.')
    .addHelpText(
      'after',
      `
Without --to the new key is the one of LUCARNE_MASTER_KEY or LUCARNE_MASTER_KEY_FILE that was never in use. If the file has none, the
command adds one to it. Running gateways continue; their copies of the file need the new key before they start again.

Examples:
  lucarne master-key rotate
  lucarne master-key rotate --to 'pkcs11:token=lucarne;object=master-2'
  lucarne master-key rotate --to vault:transit/lucarne`,
    )
    .action((options: Options) => product.withKeys(ACCESS, (keys) => rotate(keys, options, terminal)));
  group
    .command('reseal')
    .description('Make new data keys, and seal every stored value again. Continues where it was stopped.')
    .addOption(paceOption())
    .option('--json', 'Print what was done as JSON.')
    .addHelpText(
      'after',
      `
After each small batch it rests in proportion to how long the batch took. A busy machine makes batches slower, and so the rests longer.
You can stop it and run it again with another pace.

Examples:
  lucarne master-key reseal
  lucarne master-key reseal --pace 100`,
    )
    .action((options: Options) => product.withKeys(ACCESS, (keys) => resealAll(keys, options, terminal)));
  group
    .command('retire')
    .description('Destroy the data keys that an old version wrapped. Refused while anything needs them.')
    .argument('<version>', 'Version of the master key.')
    .addOption(paceOption())
    .option('--json', 'Print what was destroyed as JSON.')
    .addHelpText('after', '\nExamples:\n  lucarne master-key retire 1')
    .action((version: string, options: Options) =>
      product.withKeys(ACCESS, (keys) => retire(keys, version, options, terminal)),
    );
}

async function showStatus({ database }: KeyRoom, { json }: Options, terminal: Terminal): Promise<void> {
  const { keyStatus } = await load();
  const status = await keyStatus(database);
  if (json) {
    printJson(terminal, status);
    return;
  }
  const { masterKeys, dataKeys, resealing } = status;
  if (masterKeys.length === 0)
    print(terminal, 'The database has no master key yet: no gateway has started on it.');
  const current = masterKeys.at(-1)?.version;
  for (const { version, provider, locator, createdAt, retiredAt } of masterKeys) {
    const state = retiredAt
      ? `retired ${retiredAt.toISOString()}`
      : version === current
        ? 'in use'
        : 'not retired';
    print(
      terminal,
      `Version ${version}: ${provider} ${locator}, since ${createdAt.toISOString()}, ${state}.`,
    );
  }
  for (const { id, purpose, firstMasterVersion, destroyedAt } of dataKeys) {
    const state = destroyedAt ? 'destroyed' : `first wrapped by version ${firstMasterVersion}`;
    print(terminal, `Data key ${id} of ${purpose === '*' ? 'every purpose' : purpose}: ${state}.`);
  }
  for (const { purpose, valuesLeft, finishedAt } of resealing)
    if (!finishedAt) print(terminal, `Values of ${purpose} that are left to seal again: ${valuesLeft}.`);
}

async function rotate(keys: KeyRoom, { to, json }: Options, terminal: Terminal): Promise<void> {
  const { parseKeyUri, rotateMasterKey } = await load();
  const done = await rotateMasterKey(keys, to === undefined ? undefined : parseKeyUri(to));
  if (done.notRetired.length > 0)
    note(
      terminal,
      `Version ${done.version} also wraps data keys of version ${done.notRetired.join(', ')}, which is not retired: ` +
        'with it, backups from now on can decrypt what older backups hold. See “Make backups unreadable” in docs/operate.md.',
    );
  if (json) printJson(terminal, done);
  else
    print(
      terminal,
      `Version ${done.version} (${done.provider} ${done.locator}) wraps all ${done.dataKeys} data keys. ` +
        'Run “lucarne master-key reseal” next, so that the earlier version decrypts nothing new.',
    );
}

async function resealAll(keys: KeyRoom, options: Options, terminal: Terminal): Promise<void> {
  const { announceDataKeys, reseal, usableInMs } = await load();
  const { systemRandom } = await import('../../../platform/kernel/random.js');
  const { sealDigestsInClear } = await import('../../../domain/reports/index.js');
  const { keyPasswordHashes } = await import('../../../domain/organizations/index.js');
  const { database, keyring, columns } = keys;
  await keyring.open();
  keyring.follow();
  // The embedded database has no other instance that must learn about the new keys.
  const lead = database.engine === 'pglite' ? { leadSeconds: 0 } : {};
  const share = shareOf(options.pace, database);
  const isNew = await announceDataKeys({ ...keys, random: systemRandom, share, ...lead });
  if (!isNew) note(terminal, 'Continuing the run that was stopped before.');
  for (let waitMs = await usableInMs(database); waitMs !== undefined; waitMs = await usableInMs(database)) {
    note(
      terminal,
      `Waiting ${Math.ceil(waitMs / 1_000)} s, until every gateway encrypts with the new data keys.`,
    );
    await pause(waitMs);
  }
  await keyring.refresh();
  await sealDigestsInClear(database, keyring.sealer);
  await keyPasswordHashes(database, keyring.sealer);
  const bar = progressBar(terminal);
  const unfinished = await reseal({
    database,
    sealer: keyring.sealer,
    columns,
    progress: ({ table }, left) => bar(table, left),
    share,
  });
  bar();
  if (unfinished.length > 0) {
    const what = unfinished.map(({ column, left }) => `${left} values of ${column.table}`).join(', ');
    throw new CommandFailed(
      `${what} are still sealed with earlier data keys, because a gateway continues to use them. Restart each gateway that ` +
        'does not reach the database or the master key, and run “lucarne master-key reseal” again.',
    );
  }
  if (options.json) printJson(terminal, { resealed: true });
  else
    print(
      terminal,
      'Every value is sealed with the newest data keys. Run “lucarne master-key retire VERSION” next.',
    );
}

const BAR_WIDTH = 30;

/** A line that is overwritten, on a terminal only. A call without a table ends the line. */
function progressBar(terminal: Terminal): (table?: string, left?: number) => void {
  const { errors } = terminal;
  if (!(errors as { readonly isTTY?: boolean }).isTTY) return () => undefined;
  const most = new Map<string, number>();
  return (table, left = 0) => {
    if (table === undefined) {
      if (most.size > 0) errors.write('\n');
      return;
    }
    const all = Math.max(most.get(table) ?? 0, left, 1);
    most.set(table, all);
    const done = Math.round(((all - left) / all) * BAR_WIDTH);
    errors.write(`\r[${'#'.repeat(done)}${'.'.repeat(BAR_WIDTH - done)}] ${table}: ${left} left\u001B[K`);
  };
}

async function retire(keys: KeyRoom, text: string, options: Options, terminal: Terminal): Promise<void> {
  const version = Number(text);
  if (!/^[1-9]\d{0,8}$/.test(text))
    throw new CommandFailed('The version must be a whole number, such as 1.', 2);
  const { retireMasterKey } = await load();
  const destroyed = await retireMasterKey({ ...keys, share: shareOf(options.pace, keys.database) }, version);
  if (options.json) printJson(terminal, { version, destroyed });
  else
    print(
      terminal,
      `Version ${version} is retired, and ${destroyed} data keys are destroyed. No gateway needs its key anymore: remove it ` +
        'from their configuration. Earlier backups still need it.',
    );
}
