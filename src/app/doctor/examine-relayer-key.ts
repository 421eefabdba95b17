import { keyFileSigner, type RelaySigner, signerOf } from '../../domain/relays/index.js';
import type { Examined } from '../../edge/cli/index.js';
import { verify } from '../../platform/crypto/index.js';
import { silentLog } from '../../platform/kernel/log.js';
import { createKeyStores, openSigningKey } from '../../platform/keys/index.js';
import { addressBytes } from '../../platform/ledger/index.js';
import type { Configuration } from '../configuration/index.js';

/** Whether the key that pays for relays can be reached and signs. */
export async function examineRelayerKey(configuration: Configuration): Promise<readonly Examined[]> {
  const check = 'relayer key';
  const { roles, solanaRpcUrls, relayer } = configuration;
  const signer = await signerOfConfiguration(configuration);
  if (!signer) {
    const isNeeded = roles.has('relayer') && relayer.poolsFile !== undefined && solanaRpcUrls.length > 0;
    return isNeeded
      ? [
          {
            check,
            result: 'failed',
            detail:
              'Pools are configured, and no key to pay with: nothing is relayed. Set LUCARNE_RELAYER_KEYPAIR_FILE or LUCARNE_RELAYER_KEY.',
          },
        ]
      : [{ check, result: 'ok', detail: 'None is configured, and none is needed.' }];
  }
  const message = new TextEncoder().encode('lucarne doctor');
  const signature = await signer.sign(message);
  return verify(addressBytes(signer.address), message, signature)
    ? [{ check, result: 'ok', detail: `${signer.address} signs.` }]
    : [
        {
          check,
          result: 'failed',
          detail: `What the key signs does not verify as ${signer.address}. Its two halves are of different keys: replace it.`,
        },
      ];
}

async function signerOfConfiguration({
  relayer: { keypairFile, key },
  keyStores,
}: Configuration): Promise<RelaySigner | undefined> {
  if (key) return signerOf(await openSigningKey(createKeyStores(keyStores), key));
  return keypairFile === undefined ? undefined : keyFileSigner(keypairFile, silentLog);
}
