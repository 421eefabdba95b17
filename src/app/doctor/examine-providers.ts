import type { Examined } from '../../edge/cli/index.js';
import { askIdentities } from '../../platform/ledger/index.js';
import type { Configuration } from '../configuration/index.js';

const TIMEOUT_MS = 5_000;
/** About a minute of slots. */
const MAX_SLOTS_LATE = 150;

/** Checks that the providers answer, belong to the same cluster, and have similar slots. */
export async function examineProviders({ solanaRpcUrls }: Configuration): Promise<readonly Examined[]> {
  const check = 'providers';
  if (solanaRpcUrls.length === 0)
    return [
      {
        check,
        result: 'warning',
        detail:
          'The gateway uses the embedded ledger, which is only for trying out. Set SOLANA_RPC_URL for real data.',
      },
    ];
  const asked = await askIdentities(solanaRpcUrls, TIMEOUT_MS);
  const answered = asked.flatMap(({ label, answer }) => ('failure' in answer ? [] : [{ label, ...answer }]));
  const silent = asked.flatMap(({ label, answer }) =>
    'failure' in answer ? [`${label}: ${answer.failure}`] : [],
  );
  const [first] = answered;
  if (!first)
    return [
      { check, result: 'failed', detail: `No provider answers. Correct SOLANA_RPC_URL. ${silent.join(' ')}` },
    ];
  const stranger = answered.find(({ genesisHash }) => genesisHash !== first.genesisHash);
  if (stranger)
    return [
      {
        check,
        result: 'failed',
        detail: `${first.label} has the genesis hash ${first.genesisHash}, but ${stranger.label} has ${stranger.genesisHash}: they belong to different clusters. Correct SOLANA_RPC_URL.`,
      },
    ];
  const newest = Math.max(...answered.map(({ finalizedSlot }) => finalizedSlot));
  const late = answered.filter(({ finalizedSlot }) => newest - finalizedSlot > MAX_SLOTS_LATE);
  const slow = late.map(({ label, finalizedSlot }) => `${label} lags ${newest - finalizedSlot} slots.`);
  const found = `${answered.length} of ${asked.length} providers answer. The genesis hash is ${first.genesisHash}, and the newest finalized slot ${newest}.`;
  const problems = [...silent, ...slow];
  if (problems.length === 0) return [{ check, result: 'ok', detail: found }];
  return [
    {
      check,
      result: 'warning',
      detail: `${found} ${problems.join(' ')} Fix these providers, or remove them from SOLANA_RPC_URL.`,
    },
  ];
}
