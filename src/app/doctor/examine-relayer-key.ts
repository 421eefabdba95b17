import type { RelaySigner } from '../../domain/relays/index.js';
import type { Examined } from '../../edge/cli/index.js';
import { silentLog } from '../../platform/kernel/log.js';
import { type Address, compileMessage } from '../../platform/ledger/index.js';
import type { Configuration } from '../configuration/index.js';
import { openEachSigner } from '../relayer/open-signers.js';
import { failed } from './failed-check.js';

const CHECK = 'relayer key';

/** Checks that each key that pays for relays is available and signs, and that at least one of them is not retiring. */
export async function examineRelayerKeys(configuration: Configuration): Promise<readonly Examined[]> {
  const { roles, solanaRpcUrls, relayer } = configuration;
  const { signers, unopened } = await openEachSigner(configuration, silentLog);
  const isNeeded = roles.has('relayer') && relayer.poolsFile !== undefined && solanaRpcUrls.length > 0;
  const retiring = new Set(relayer.retiring);
  const examined = [
    ...unopened.map((failure) => failed(CHECK, failure, configuration)),
    ...(await Promise.all(signers.map((signer) => examineSigner(signer, retiring)))),
  ];
  if (isNeeded && unopened.length === 0 && signers.every(({ address }) => retiring.has(address)))
    return [
      ...examined,
      {
        check: CHECK,
        result: 'failed',
        detail:
          signers.length === 0
            ? 'Pools are configured, but no key that pays: nothing is relayed. Set LUCARNE_RELAYER_KEYPAIR_FILE or LUCARNE_RELAYER_KEY.'
            : 'Every key is retiring: nothing is relayed. Add another key to LUCARNE_RELAYER_KEYPAIR_FILE or LUCARNE_RELAYER_KEY.',
      },
    ];
  if (examined.length > 0) return examined;
  return [{ check: CHECK, result: 'ok', detail: 'No key is configured, and none is needed.' }];
}

async function examineSigner(signer: RelaySigner, retiring: ReadonlySet<string>): Promise<Examined> {
  const { address } = signer;
  try {
    // A signature of a store is verified before it is given out, and a file’s halves match.
    await signer.sign(trialMessage(address));
  } catch (thrown) {
    const { detail } = failed(CHECK, thrown);
    return { check: CHECK, result: 'failed', detail: `${address} does not sign: ${detail}` };
  }
  const detail = `${address} signs${retiring.has(address) ? ', and is retiring' : ''}.`;
  return { check: CHECK, result: 'ok', detail };
}

const SYSTEM_PROGRAM = '11111111111111111111111111111111' as Address;
const NO_BLOCKHASH = SYSTEM_PROGRAM;

/** The message of a transaction that can never land: no block has its blockhash, which is 32 zeros. */
function trialMessage(payer: Address): Uint8Array {
  const instruction = { programId: SYSTEM_PROGRAM, accounts: [], data: new Uint8Array() };
  const terms = { payer, blockhash: NO_BLOCKHASH, computeUnits: 0, microLamportsPerUnit: 0 };
  return compileMessage(instruction, terms)!;
}
