import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import {
  deployLocalPool,
  LOCAL_POOL_SELECTOR,
  LOCAL_POOLS_FILE,
  startLocalLedger,
} from '../../../devnet/index.js';
import type { LocalLedger } from '../../../devnet/index.js';
import { prepareLocalPackage } from '../../../src/demo/relay-package.js';
import { showRelay, type ShownRelay, signerOf } from '../../../src/domain/relays/index.js';
import type { Database } from '../../../src/platform/database/index.js';
import { openSigningKey, parseKeyUri } from '../../../src/platform/keys/index.js';
import { addressFromBytes } from '../../../src/platform/ledger/index.js';
import { relayerKey } from '../../domain/relays/kit.js';
import { eventually } from '../../kit/eventually.js';
import { startTestApp, type TestApp } from '../../kit/app.js';
import { createTestDatabase } from '../../kit/database/database.js';
import { SIGNING_STORES, type SigningStore } from '../../platform/keys/stores/signing-stores.js';
import { temporaryDirectory } from '../gateway-process.js';

type Setting = readonly [variable: string, value: string];

/** Where keys of payers are: two of them, the second of which replaces the first. */
interface Place {
  readonly name: string;
  readonly settings: readonly [Setting, Setting];
  readonly addresses: readonly [string, string];
}

const LAMPORTS = 10_000_000_000;
/** How long the ledger takes to finalize, by its own clock: ten blocks. */
const FINALITY_MS = 4_000;

describe('a gateway whose payers are in files, in key stores and in a keychain', () => {
  const parts = new AsyncDisposableStack();
  const stores: SigningStore[] = [];
  const places: Place[] = [];
  let directory: string;
  let database: Awaited<ReturnType<typeof createTestDatabase>>;
  let ledger: LocalLedger;
  /** The clock of the ledger, which stands still between two calls of `finalize`. */
  let nowMs = Date.now();

  beforeAll(async () => {
    directory = parts.use(await temporaryDirectory()).path;
    database = parts.use(await createTestDatabase());
    const clock = { now: () => new Date(nowMs) };
    ledger = parts.use(await startLocalLedger({ clock, finalizationDelayMs: FINALITY_MS }));
    deployLocalPool(ledger);
    await writeFile(path.join(directory, 'pools.json'), JSON.stringify(LOCAL_POOLS_FILE));
    places.push(await inFiles('a file', 'KEYPAIR_FILE', (file) => Promise.resolve(file)));
    places.push(await inFiles('a keychain', 'KEYCHAIN_FILE', describedBy));
    for (const [name, open] of SIGNING_STORES) {
      const store = parts.use(await open());
      stores.push(store);
      const uris = store.uris.map((uri) => openSigningKey(store.stores, parseKeyUri(uri)));
      const [first, second] = (await Promise.all(uris)).map((key) => signerOf(key).address);
      const [one, two] = store.uris.map((uri) => ['LUCARNE_RELAYER_KEY', uri] as const);
      places.push({ name, settings: [one!, two!], addresses: [first!, second!] });
    }
    for (const address of places.flatMap(({ addresses }) => addresses)) ledger.airdrop(address, LAMPORTS);
    finalize();
  });
  afterAll(() => parts.disposeAsync());

  /** Everything that has landed becomes final. */
  const finalize = () => void (nowMs += FINALITY_MS);

  async function inFiles(
    name: string,
    variable: 'KEYPAIR_FILE' | 'KEYCHAIN_FILE',
    written: (file: string) => Promise<string>,
  ): Promise<Place> {
    const made = ['one', 'two'].map(async (which) => {
      const key = relayerKey();
      const file = path.join(directory, `${variable}-${which}.json`);
      await writeFile(file, JSON.stringify([...key]), { mode: 0o600 });
      const setting: Setting = [`LUCARNE_RELAYER_${variable}`, await written(file)];
      return { setting, address: addressFromBytes(key.slice(32)) };
    });
    const [one, two] = await Promise.all(made);
    return { name, settings: [one!.setting, two!.setting], addresses: [one!.address, two!.address] };
  }
  async function describedBy(privateKeyPath: string): Promise<string> {
    const file = privateKeyPath.replace('.json', '-signer.json');
    await writeFile(file, JSON.stringify({ backend: 'memory', privateKeyPath }), { mode: 0o600 });
    return file;
  }

  const start = (keys: readonly Setting[], more: Record<string, string> = {}): Promise<TestApp> => {
    const named = Map.groupBy(keys, ([variable]) => variable);
    const settings = [...named].map(([variable, all]) => [variable, all.map(([, value]) => value).join(',')]);
    const environment = {
      LUCARNE_POOLS_FILE: path.join(directory, 'pools.json'),
      LUCARNE_MASTER_KEY: MASTER_KEY,
      LUCARNE_ROLES: 'api,relayer',
      LUCARNE_RELAY_PER_CLIENT: '1000',
      // Its stores are given below, because no variable names local servers of the clouds.
      ...{ LUCARNE_PKCS11_MODULE: '/none', LUCARNE_PKCS11_PIN_FILE: '/none' },
      ...{ LUCARNE_VAULT_ADDR: 'http://127.0.0.1', LUCARNE_VAULT_TOKEN_FILE: '/none' },
      ...(Object.fromEntries(settings) as Record<string, string>),
      ...more,
    };
    const keyStores = Object.assign(
      {},
      ...stores.map((store) => store.keyStores),
    ) as SigningStore['keyStores'];
    return startTestApp(environment, { database, ledger, keyStores });
  };
  const firstOf = (chosen: readonly Place[]) => chosen.map(({ settings }) => settings[0]);
  const inStores = () => places.slice(-stores.length);
  const addressesOf = (chosen: readonly Place[], at: 0 | 1) =>
    new Set(chosen.map(({ addresses }) => addresses[at]));
  const setPresent = (isPresent: boolean) => Promise.all(stores.map((store) => store.setPresent(isPresent)));

  it('pays with each of them for whole relays', async () => {
    await using app = await start(firstOf(places));
    const ids = await relayUntilPaidBy(app, addressesOf(places, 0), finalize);
    for (const id of ids) expect(await outcomeOf(database, id)).toEqual(SUCCEEDED_ONCE);
  });

  it('refuses submissions while no store answers, waits for a store that goes away, and pays when it is back', async () => {
    await setPresent(false);
    await using app = await start(firstOf(inStores()));
    const refused = await submission(app);
    expect([refused.status, refused.body['reason'], refused.body['message']]).toEqual([
      ...[503, 'relayer_unavailable'],
      'The relayer does not accept requests at present. Try again later.',
    ]);
    await setPresent(true);
    await metric(app, (line) => !/^lucarne_relayer_key_away\{.*\} 1$/m.test(line));
    for (const id of await relayUntilPaidBy(app, addressesOf(inStores(), 0), finalize))
      expect(await outcomeOf(database, id)).toEqual(SUCCEEDED_ONCE);

    await setPresent(false);
    const waiting = await Promise.all(inStores().map(() => submitted(app)));
    for (const id of waiting)
      await eventually(
        () => showRelay(database, id),
        ({ lastLook }) => lastLook?.evidence['cause'] === 'signer_unavailable',
      );
    for (const id of waiting)
      expect(await showRelay(database, id)).toMatchObject({ status: 'queued', reason: null, attempts: [] });
    await setPresent(true);
    await ended(app, waiting, finalize);
    for (const id of waiting) {
      expect(await outcomeOf(database, id)).toEqual(SUCCEEDED_ONCE);
      expect(addressesOf(inStores(), 0)).toContain(await payerOf(database, id));
    }
  });

  it('leaves no relay behind when each payer retires and another one takes its place', async () => {
    const signed: string[] = [];
    const late: string[] = [];
    {
      await using app = await start(firstOf(places));
      const payers = new Set<string | undefined>();
      while (!isWithin(addressesOf(places, 0), payers)) {
        const ids = await Promise.all(places.map(() => submitted(app)));
        for (const id of ids) {
          const payer = () => payerOf(database, id);
          payers.add(await eventually(payer, (address) => address !== undefined));
        }
        signed.push(...ids);
      }
      // The process may stop before or after it signs these.
      late.push(...(await Promise.all(places.map(() => submitted(app)))));
    }
    const paid = new Map<string, string | undefined>();
    for (const id of signed) paid.set(id, await payerOf(database, id));

    const second = places.map(({ settings }) => settings[1]);
    const retiring = [...addressesOf(places, 0)].join(',');
    await using app = await start(second, { LUCARNE_RELAYER_RETIRING: retiring });
    const open = (line: string) => /^lucarne_relayer_open_attempts\{.*state="retiring"\} [1-9]/m.test(line);
    await metric(app, open);
    await ended(app, [...signed, ...late], finalize);
    for (const id of [...signed, ...late]) expect(await outcomeOf(database, id)).toEqual(SUCCEEDED_ONCE);
    for (const [id, payer] of paid) expect(await payerOf(database, id)).toBe(payer);
    for (const id of await relayUntilPaidBy(app, addressesOf(places, 1), finalize))
      expect(addressesOf(places, 1)).toContain(await payerOf(database, id));
    await metric(app, (line) => !open(line));
  });

  it.each(SIGNING_STORES.map(([name], at) => [name, at] as const))(
    'does not start with a key of another type in %s, and says what to do',
    async (name, at) => {
      const { otherUri } = stores[at]!;
      const refused = start([['LUCARNE_RELAYER_KEY', otherUri]]);
      await expect(refused).rejects.toMatchObject({
        name: 'ConfigurationError',
        message: expect.stringMatching(OTHER_TYPE[name]!),
      });
    },
  );
});

const MASTER_KEY = Buffer.alloc(32, 9).toString('base64');
const SUCCEEDED_ONCE = { status: 'succeeded', outcomes: ['landed'] };
const OTHER_TYPE: Readonly<Record<string, RegExp>> = {
  'a token (SoftHSM2)':
    /^LUCARNE_RELAYER_KEY, pkcs11:.*: The token “.*” has no private Ed25519 key “other”\. Correct its label, or make the pair\.$/,
  'Vault (a local server)':
    /^LUCARNE_RELAYER_KEY, vault:.*: The key “.*” of Vault is of another type\. Name a key of type ed25519 that is not derived\.$/,
  'AWS KMS (a local server)':
    /^LUCARNE_RELAYER_KEY, aws-kms:.*: The key .* of AWS KMS has the wrong type\. Name a key with key spec ECC_NIST_EDWARDS25519 and usage SIGN_VERIFY\.$/,
  'Cloud KMS (a local server)':
    /^LUCARNE_RELAYER_KEY, gcp-kms:.*: The key .* of Cloud KMS has the wrong type: it must be a key for EC_SIGN_ED25519\. Name a key with the algorithm EC_SIGN_ED25519\.$/,
};

const metric = (app: TestApp, isSo: (text: string) => boolean): Promise<string> =>
  eventually(async () => (await fetch(`${app.url}/metrics`)).text(), isSo);

async function submission(app: TestApp) {
  const { body } = prepareLocalPackage({ poolSelector: LOCAL_POOL_SELECTOR, applicationIdHints: [] });
  const answer = await fetch(`${app.url}/api/relay-requests`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}

async function submitted(app: TestApp): Promise<string> {
  const { status, body } = await submission(app);
  expect(status).toBe(202);
  return String(body['relayRequestId']);
}

/** Waits until all have ended. Their transactions become final when all of them have landed. */
async function ended(
  { database, ledger }: Pick<TestApp, 'database' | 'ledger'>,
  ids: readonly string[],
  finalize: () => void,
): Promise<void> {
  const all = () => Promise.all(ids.map((id) => showRelay(database, id)));
  const hasEnded = ({ status }: ShownRelay) => ENDS.includes(status);
  await eventually(async () => {
    const shown = await all();
    const signed = shown.every((relay) => hasEnded(relay) || relay.attempts.length > 0);
    const signatures = shown.flatMap(({ attempts }) => attempts.map(({ signature }) => signature));
    return signed && (await haveLanded(ledger, signatures));
  });
  finalize();
  await eventually(all, (shown) => shown.every(hasEnded));
}

async function haveLanded({ rpcUrl }: LocalLedger, signatures: readonly string[]): Promise<boolean> {
  const asked = { jsonrpc: '2.0', id: 1, method: 'getSignatureStatuses', params: [signatures] };
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(rpcUrl, { method: 'POST', headers, body: JSON.stringify(asked) });
  const { result } = (await answer.json()) as { result: { value: readonly (object | null)[] } };
  return result.value.every((status) => status !== null);
}

const ENDS = ['succeeded', 'rejected', 'failed'];

async function outcomeOf(database: Database, id: string) {
  const { status, attempts } = await showRelay(database, id);
  return { status, outcomes: attempts.map(({ outcome }) => outcome) };
}

const payerOf = async (database: Database, id: string): Promise<string | undefined> =>
  (await showRelay(database, id)).attempts[0]?.payer;

const isWithin = (some: ReadonlySet<string>, all: ReadonlySet<string | undefined>) =>
  [...some].every((each) => all.has(each));

/** Relays packages until each of these accounts has paid for one. Requests choose their payer by their id. */
async function relayUntilPaidBy(
  app: TestApp,
  addresses: ReadonlySet<string>,
  finalize: () => void,
): Promise<readonly string[]> {
  const ids: string[] = [];
  const payers = new Set<string | undefined>();
  while (!isWithin(addresses, payers)) {
    const round = await Promise.all([...addresses].map(() => submitted(app)));
    await ended(app, round, finalize);
    for (const id of round) payers.add(await payerOf(app.database, id));
    ids.push(...round);
  }
  return ids;
}
