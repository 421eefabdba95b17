import { describe, expect, it } from '@jest/globals';
import { atLeast, eventually } from '../../kit/eventually.js';
import { signerOf } from '../../../src/domain/relays/index.js';
import { openSigningKey, parseKeyUri } from '../../../src/platform/keys/index.js';
import { type LocalVault, openLocalVault } from '../../platform/keys/stores/local-vault.js';
import { dataDirectory, type Environment, startGateway } from '../gateway-process.js';

const KEY = 'vault:transit/relayer';

describe('a gateway that starts while a payer’s key store is unavailable', () => {
  it('starts, names the unavailable key, and pays with it once the store answers', async () => {
    await using room = await openRoom('ed25519');
    const { vault } = room;
    await using gateway = await room.start({ LUCARNE_RELAYER_KEY: KEY });
    await gateway.said(/"key":"vault:transit\/relayer".*"msg":"The store of a payer’s key does not answer/);
    const metrics = async () => (await fetch(`${gateway.url}/metrics`)).text();
    expect(await metrics()).toContain(`lucarne_relayer_key_away{key="${KEY}"} 1\n`);
    expect(await metrics()).not.toMatch(/lucarne_relayer_balance_lamports\{/);

    vault.trouble = undefined;
    const [, payer = ''] = await gateway.said(/"payer":"(\w+)","msg":"The store of a payer’s key answers/);
    const balance = `lucarne_relayer_balance_lamports{payer="${payer}",state="paying"} `;
    await eventually(metrics, (text) => text.includes(balance));
    expect(await metrics()).toContain(`lucarne_relayer_key_away{key="${KEY}"} 0\n`);
  });

  it('reports that a retiring payer signs nothing new once its store answers', async () => {
    await using room = await openRoom('ed25519');
    const { vault } = room;
    vault.trouble = undefined;
    const { address } = signerOf(await openSigningKey(vault.stores, parseKeyUri(KEY)));
    vault.trouble = AWAY;
    await using gateway = await room.start({ LUCARNE_RELAYER_KEY: KEY, LUCARNE_RELAYER_RETIRING: address });
    vault.trouble = undefined;
    const [line] = await gateway.said(/"msg":"The store of a payer’s key answers[^"]*"/);
    expect(line).toContain('The payer is retiring, and signs nothing new.');
  });

  it('reports a key of a wrong type once, and does not request it again', async () => {
    await using room = await openRoom('aes256-gcm96');
    const { vault } = room;
    const other = 'GET transit/keys/other';
    await using gateway = await room.start({ LUCARNE_RELAYER_KEY: `${KEY},vault:transit/other` });
    vault.trouble = (request) => (request === other ? AWAY() : undefined);
    await gateway.said(/"key":"vault:transit\/relayer".*"msg":"A payer’s key cannot be used/);
    // Both keys are requested in the same rounds, an unavailable one up to three times in each.
    const asked = (name: string) => vault.requests.filter((request) => request === name).length;
    vault.requests.splice(0);
    await eventually(() => asked(other), atLeast(4));
    expect(asked('GET transit/keys/relayer')).toBe(0);
    expect(await (await fetch(`${gateway.url}/metrics`)).text()).toContain(
      `lucarne_relayer_key_away{key="${KEY}"} 1\n`,
    );
    const { output } = await gateway.kill('SIGTERM');
    expect(output.match(/A payer’s key cannot be used/g)).toHaveLength(1);
  });

  it('stops in order while the store does not answer', async () => {
    await using room = await openRoom('ed25519');
    const { vault } = room;
    await using gateway = await room.start({ LUCARNE_RELAYER_KEY: KEY });
    let askNow: () => void;
    const asked = new Promise<void>((resolve) => (askNow = resolve));
    vault.trouble = () => {
      askNow();
      return 'silence';
    };
    await asked;
    expect(await gateway.kill('SIGTERM')).toMatchObject({ exitCode: 0, errors: '' });
  });
});

const AWAY = () => ({ status: 503 });

/** A local Vault that is unavailable, with one key, and a gateway that is configured for it. */
async function openRoom(type: 'ed25519' | 'aes256-gcm96'): Promise<
  AsyncDisposable & {
    readonly vault: LocalVault;
    start(environment: Environment): ReturnType<typeof startGateway>;
  }
> {
  const parts = new AsyncDisposableStack();
  const directory = parts.use(await dataDirectory());
  const vault = parts.use(await openLocalVault());
  vault.makeKey('relayer', type);
  vault.trouble = AWAY;
  return {
    vault,
    start: (environment) =>
      startGateway({
        LUCARNE_DATA_DIR: directory.path,
        LUCARNE_VAULT_ADDR: vault.configuration.address.href,
        LUCARNE_VAULT_TOKEN_FILE: vault.configuration.tokenFile,
        ...environment,
      }),
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}
