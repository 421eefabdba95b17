import { base58 } from '#lucarne/platform/kernel/encoding/bytes.js';
import { type Lie, type Provider, type Question, transactionAnswer } from './provider.ts';
import type { SeededRandom } from './random.ts';

type Story = (provider: Provider, question: Question, random: SeededRandom) => unknown;
interface Told {
  readonly context: { readonly slot: number };
  readonly value: unknown;
}

const strings = (value: unknown) => value as readonly string[];
const AHEAD_SLOTS = 6_000;
const EXPIRED_SLOTS = 165;

/** Adds this number of slots to heights and contexts. */
function ahead(slots: number, { method, honest }: Question): unknown {
  if (method === 'getEpochInfo') {
    const { absoluteSlot, blockHeight } = honest() as { absoluteSlot: number; blockHeight: number };
    return { absoluteSlot: absoluteSlot + slots, blockHeight: blockHeight + slots };
  }
  return honest();
}

function inContext(provider: Provider, slots: number, value: unknown): Told {
  return { context: { slot: provider.progress().tip + slots }, value };
}

/** Claims that every signature succeeded, and that every account that it would create exists. */
function inventSuccess(slots: number, isNew = true): Story {
  return (provider, question) => {
    const { method, params } = question;
    const { finalized } = provider.progress();
    const slot = isNew ? finalized - 2 + slots : finalized - 2;
    switch (method) {
      case 'getSignatureStatuses':
        return inContext(
          provider,
          slots,
          strings(params[0]).map(() => ({ slot, err: null, confirmationStatus: 'finalized' })),
        );
      case 'getTransaction':
        return transactionAnswer(invented(params[0] as string, slot, null), provider.programId);
      case 'getMultipleAccounts':
        return inContext(
          provider,
          slots,
          strings(params[0]).map(() => ({ owner: provider.programId, lamports: 1 })),
        );
      case 'isBlockhashValid':
        return inContext(provider, slots, false);
      default:
        return ahead(slots, question);
    }
  };
}

/** Claims that every signature succeeded, but shows the true accounts. */
const inventSuccessWithoutEffect: Story = (provider, question, random) =>
  question.method === 'getMultipleAccounts'
    ? question.honest()
    : inventSuccess(0)(provider, question, random);

/** Claims that every signature failed for a reason that allows another attempt. */
const inventFailure: Story = (provider, question) => {
  const { method, params, honest } = question;
  const slot = provider.progress().finalized - 2;
  const err = 'AccountInUse';
  switch (method) {
    case 'getSignatureStatuses':
      return inContext(
        provider,
        0,
        strings(params[0]).map(() => ({ slot, err, confirmationStatus: 'finalized' })),
      );
    case 'getTransaction':
      return transactionAnswer(invented(params[0] as string, slot, err), provider.programId);
    case 'getMultipleAccounts':
      return inContext(
        provider,
        0,
        strings(params[0]).map(() => null),
      );
    default:
      return honest();
  }
};

/** Claims that nothing landed, that nothing is spent, and that every blockhash has expired. */
function inventDeath(slots: number): Story {
  return (provider, question) => {
    const { method, params } = question;
    switch (method) {
      case 'getSignatureStatuses':
      case 'getMultipleAccounts':
        return inContext(
          provider,
          slots,
          strings(params[0]).map(() => null),
        );
      case 'getTransaction':
        return null;
      case 'isBlockhashValid':
        return inContext(provider, slots, false);
      default:
        return ahead(slots, question);
    }
  };
}

/** Claims that another party spent every nullifier, with a transaction that does not exist. */
const inventSpender: Story = (provider, { method, params, honest }) => {
  const signature = base58.encode(new Uint8Array(64).fill(7));
  const slot = provider.progress().finalized - 2;
  switch (method) {
    case 'getSignatureStatuses':
      return inContext(
        provider,
        0,
        strings(params[0]).map(() => null),
      );
    case 'getMultipleAccounts':
      return inContext(
        provider,
        0,
        strings(params[0]).map(() => ({ owner: provider.programId, lamports: 1 })),
      );
    case 'getSignaturesForAddress':
      spentAccount = params[0] as string;
      return [{ signature, slot, err: null, blockTime: null, confirmationStatus: 'finalized' }];
    case 'getTransaction': {
      const landing = invented(params[0] as string, slot, null);
      const keys = [provider.programId, spentAccount];
      const instructions = [{ programIdIndex: 0, accounts: [1], data: '' }];
      return transactionAnswer(
        { ...landing, transaction: { ...landing.transaction, keys, instructions } },
        provider.programId,
      );
    }
    default:
      return honest();
  }
};
let spentAccount = '';

const SLOTS_AS_HEIGHTS: Story = (_, { method, honest }) => {
  const answer = honest();
  if (method === 'getEpochInfo') {
    const { absoluteSlot } = answer as { absoluteSlot: number };
    return { absoluteSlot, blockHeight: absoluteSlot };
  }
  if (method !== 'getLatestBlockhash') return answer;
  const { context, value } = answer as { context: { slot: number }; value: { blockhash: string } };
  return { context, value: { ...value, lastValidBlockHeight: context.slot + 150 } };
};

/** Returns fresh blockhashes with numbers of an earlier time: a transaction signed with them seems to expire too early. */
const OLD_NUMBERS: Story = (_, { method, honest }) => {
  const answer = honest();
  const lateSlots = 400;
  if (method === 'getEpochInfo') {
    const { absoluteSlot, blockHeight } = answer as { absoluteSlot: number; blockHeight: number };
    return { absoluteSlot: absoluteSlot - lateSlots, blockHeight: blockHeight - lateSlots };
  }
  if (method !== 'getLatestBlockhash') return answer;
  const { context, value } = answer as { context: { slot: number }; value: { lastValidBlockHeight: number } };
  return {
    context: { slot: context.slot - lateSlots },
    value: { ...value, lastValidBlockHeight: value.lastValidBlockHeight - lateSlots },
  };
};

/** Returns numbers of a later time, and everything else truthfully: a signed transaction seems to expire early. */
const EARLY_NUMBERS: Story = (_, question) => {
  const { method, params, honest } = question;
  const slots = 100;
  if (!['getSignatureStatuses', 'getMultipleAccounts', 'isBlockhashValid'].includes(method))
    return ahead(slots, question);
  const asked = params.map((one) => {
    const { minContextSlot } = one as { readonly minContextSlot?: number };
    return minContextSlot === undefined
      ? one
      : { ...(one as object), minContextSlot: minContextSlot - slots };
  });
  const { context, value } = honest(asked) as Told;
  return { context: { slot: context.slot + slots }, value };
};

const EARLY_EXPIRY: Story = (_, { method, honest }, random) => {
  const answer = honest();
  if (method !== 'getLatestBlockhash') return answer;
  const { context, value } = answer as { context: object; value: { lastValidBlockHeight: number } };
  const lastValidBlockHeight = value.lastValidBlockHeight - random.whole(1, 149);
  return { context, value: { ...value, lastValidBlockHeight } };
};

const UNKNOWN_BLOCKHASH: Story = (_, { method, honest }, random) => {
  const answer = honest();
  if (method !== 'getLatestBlockhash') return answer;
  const { context, value } = answer as { context: object; value: object };
  return { context, value: { ...value, blockhash: base58.encode(random.bytes(32)) } };
};

/** Returns a blockhash that no block has, and simulates transactions with it as if it were valid. */
const INVENTED_BLOCKHASH: Story = (provider, question, random) => {
  const { method, honest } = question;
  if (method !== 'simulateTransaction') return UNKNOWN_BLOCKHASH(provider, question, random);
  const { context, value } = honest() as { context: object; value: object };
  return { context, value: { ...value, err: null } };
};

const STATUS_UNKNOWN: Story = (_, { method, params, honest }) => {
  const answer = honest();
  if (method === 'getTransaction') return null;
  if (method !== 'getSignatureStatuses') return answer;
  return { ...(answer as object), value: strings(params[0]).map(() => null) };
};

const ALWAYS_VALID: Story = (_, { method, honest }) => {
  const answer = honest();
  return method === 'isBlockhashValid' ? { ...(answer as object), value: true } : answer;
};

const REFUSES_ALL: Story = (provider, { method, honest }) => {
  const err = { InstructionError: [2, { Custom: 9 }] };
  if (method === 'simulateTransaction')
    return {
      context: { slot: provider.progress().confirmed },
      value: { err, unitsConsumed: 10, accounts: null },
    };
  return honest();
};

const COSTS_ALL: Story = (_, { method, honest }) => {
  const answer = honest();
  if (method === 'getRecentPrioritizationFees') return [{ slot: 1, prioritizationFee: 1_000_000_000 }];
  if (method !== 'simulateTransaction') return answer;
  const { context, value } = answer as { context: object; value: object };
  return {
    context,
    value: { ...value, accounts: [{ lamports: 0, owner: base58.encode(new Uint8Array(32)) }] },
  };
};

const NEEDS_ALL_UNITS: Story = (_, { method, honest }) => {
  const answer = honest();
  if (method !== 'simulateTransaction') return answer;
  const { context, value } = answer as { context: object; value: object };
  return { context, value: { ...value, unitsConsumed: 1_400_000 } };
};

const POOR: Story = (_, { method, honest }) => {
  const answer = honest();
  return method === 'getBalance' ? { ...(answer as object), value: 0 } : answer;
};

/** Claims that it accepted the bytes, and drops them. */
const SWALLOWS: Story = (provider, { method, params, honest }) => {
  if (method !== 'sendTransaction') return honest();
  return provider.signatureOf(params[0] as string);
};

const NO_ANSWER: Story = (_, { method, honest }, random) => {
  const answer = honest();
  return random.chance(0.3) ? { nonsense: method } : answer;
};

function invented(signature: string, slot: number, failure: string | null) {
  const transaction = {
    ...{ signature, blockhash: '', payer: '', keys: [], instructions: [] },
    ...{ nullifiers: [], outputs: [], isForeign: true },
  };
  return { slot, transaction, failure };
}

const STORIES: Readonly<Record<string, Story>> = {
  'invents success': inventSuccess(0),
  'invents success far ahead': inventSuccess(AHEAD_SLOTS),
  'invents success and expiry': inventSuccess(EXPIRED_SLOTS, false),
  'invents failure': inventFailure,
  'invents death': inventDeath(0),
  'invents death by expiry': inventDeath(EXPIRED_SLOTS),
  'invents death far ahead': inventDeath(9e12),
  'invents another spender': inventSpender,
  'slots as heights': SLOTS_AS_HEIGHTS,
  'old numbers': OLD_NUMBERS,
  'early expiry': EARLY_EXPIRY,
  'unknown blockhash': UNKNOWN_BLOCKHASH,
  'invented blockhash': INVENTED_BLOCKHASH,
  'status unknown': STATUS_UNKNOWN,
  'blockhash always valid': ALWAYS_VALID,
  'refuses every simulation': REFUSES_ALL,
  'everything costs all': COSTS_ALL,
  'everything needs all units': NEEDS_ALL_UNITS,
  'relayer is poor': POOR,
  'swallows what it is sent': SWALLOWS,
  'nonsense at times': NO_ANSWER,
};

export const LIES = Object.keys(STORIES);

/** Lies that only plots use. */
const PLOTTED: Readonly<Record<string, Story>> = {
  ...STORIES,
  'early numbers': EARLY_NUMBERS,
  'invents success without effect': inventSuccessWithoutEffect,
};

export function lie(name: string, random: SeededRandom): Lie {
  const story = PLOTTED[name]!;
  return { name, answer: (provider, question) => story(provider, question, random) };
}
