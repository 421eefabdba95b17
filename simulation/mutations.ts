import type { Plan } from './plan.ts';

/** A rule of the product, broken by replacing texts of its source while it is loaded. */
export interface Mutation {
  readonly what: string;
  /** The worlds in which the rule is needed. Default: any world. */
  readonly world?: Partial<Plan>;
  readonly edits: readonly {
    /** A file of `src`. */
    readonly file: string;
    /** Must occur in the file exactly once. */
    readonly find: string;
    readonly replace: string;
  }[];
}

const TWO_PROVIDERS = { providers: 2, faulty: 1 } as const;
/** A stricter case than the documented guarantee: the only provider lies. */
const ONLY_LIAR = { providers: 1, faulty: 1, faults: {}, requests: 1, foreignChance: 0 } as const;
/** Only payers fail. */
const ONLY_PAYERS = { payers: 2, requests: 6, faults: {}, crashChance: 0, ambushChance: 0.9 } as const;
const THREE_PROVIDERS = { providers: 3, faulty: 1 } as const;
const relays = (file: string) => `domain/relays/${file}.ts`;
const DECIDE_END = relays('evidence/decide-end');
const LEASE = relays('execution/relay-lease');
/** Makes a wrong expiry delay an end forever, so that an end in time depends on the other rules. */
const EXPIRY_FOR_EVER = {
  file: relays('evidence/believed-heights'),
  find: 'const first = hasNoDoubt ?',
  replace: 'const first = hasNoDoubt && earlier.length < 0 ?',
};

export const MUTATIONS: Readonly<Record<string, Mutation>> = {
  'absence-from-errors': {
    what: 'a provider that failed counts as one that knows no signature',
    world: { plot: 'a failure that nobody can search for', ambushChance: 0.9 },
    edits: [
      {
        file: relays('evidence/interview'),
        find: 'errors[question] = describeError(thrown);\n      return undefined;',
        replace: `errors[question] = describeError(thrown);
          if (question === 'statuses')
            return { slot: height?.slot ?? 0, statuses: signatures.map(() => null) } as never;
          return undefined;`,
      },
    ],
  },
  'no-minimum-time': {
    what: 'a death is concluded without a minimum time since signing',
    world: { plot: 'an early death', ambushChance: 0.9, ...ONLY_LIAR },
    edits: [
      {
        file: DECIDE_END,
        find: '(since) => since >= BLOCKHASH_LIFETIME_BLOCKS * time.minBlockMs,',
        replace: '() => true,',
      },
    ],
  },
  'half-as-majority': {
    what: 'half of the providers are enough',
    world: { plot: 'an invented success', ambushChance: 0.9, ...TWO_PROVIDERS },
    edits: [
      {
        file: relays('evidence/majority'),
        find: '2 * count > configured',
        replace: '2 * count >= configured',
      },
    ],
  },
  'slots-unchecked': {
    what: 'a slot that no chain can have reached is believed',
    world: { plot: 'a success far ahead', ambushChance: 0.9, ...ONLY_LIAR },
    edits: [
      {
        file: DECIDE_END,
        find: "if (slotsOf(testimony).some((slot) => slot > reach)) return 'impossible_slot';",
        replace: '',
      },
    ],
  },
  'effect-unchecked': {
    what: 'a success that one of few providers shows needs no effect on accounts',
    world: { plot: 'a success without effect', ambushChance: 0.9, ...ONLY_LIAR },
    edits: [
      {
        file: DECIDE_END,
        find: 'if (configured <= 2 && !agreeing.every((one) => showsEffect(one, at, slot)))',
        replace: 'if (configured < 0)',
      },
    ],
  },
  'ours-as-another': {
    what: 'our transaction that spent a nullifier counts as another one',
    world: { plot: 'a success that nobody can search for', ambushChance: 0.9 },
    edits: [
      {
        file: DECIDE_END,
        find: 'if (spender !== undefined && !isOurs(spender)) {',
        replace: 'if (spender !== undefined) {',
      },
    ],
  },
  'first-liar-believed': {
    what: 'one provider is enough',
    edits: [{ file: relays('evidence/majority'), find: '2 * count > configured', replace: 'count > 0' }],
  },
  'death-before-expiry': {
    what: 'a death is concluded before the height at which the blockhash expires',
    world: { plot: 'a death before its time', ambushChance: 0.9, ...ONLY_LIAR },
    edits: [
      {
        file: relays('evidence/believed-heights'),
        find: `height.blockHeight > lastValidBlockHeight && height.slot > contextSlot + BLOCKHASH_LIFETIME_BLOCKS,`,
        replace: 'height.blockHeight + contextSlot + lastValidBlockHeight > 0,',
      },
    ],
  },
  'unverified-blockhash-death': {
    what: 'a death is concluded without a check that the blockhash is invalid',
    world: { plot: 'early numbers', ambushChance: 0.9, ...ONLY_LIAR },
    edits: [
      {
        file: DECIDE_END,
        find: 'statuses!.statuses[at] === null && blockhashes!.valid[at] === false',
        replace: 'statuses!.statuses[at] === null && blockhashes !== undefined',
      },
    ],
  },
  'death-by-height-alone': {
    what: 'a death is concluded without statuses and accounts',
    world: { plot: 'a failure that some deny', ambushChance: 0.9, ...TWO_PROVIDERS },
    edits: [{ file: DECIDE_END, find: 'return isLate && isFree(one, open);', replace: 'return isLate;' }],
  },
  'heights-unchecked': {
    what: 'heights that cannot be on one chain are believed, and what was seen since does not count',
    world: { plot: 'wrong heights at signing', ambushChance: 0.9, ...THREE_PROVIDERS },
    edits: [
      {
        file: relays('evidence/believed-heights'),
        find: 'return grown >= 0 && grown <= later.slot - earlier.slot;',
        replace: 'return grown !== Infinity;',
      },
      EXPIRY_FOR_EVER,
    ],
  },
  'named-expiry-for-ever': {
    what: 'an expiry that was named too late at signing counts without end',
    world: { plot: 'wrong heights at signing', ambushChance: 0.9, ...TWO_PROVIDERS },
    edits: [EXPIRY_FOR_EVER],
  },
  'one-fits-is-enough': {
    what: 'one provider that says that a transaction fits is enough to sign it',
    world: { plot: 'an invented blockhash at signing', ambushChance: 0.9, ...THREE_PROVIDERS },
    edits: [
      {
        file: relays('execution/simulate-relay'),
        find: 'if (2 * measured.length >= simulations.length)',
        replace: 'if (measured.length > 0)',
      },
    ],
  },
  'silence-for-ever': {
    what: 'a silent provider delays a proven death without end',
    world: { plot: 'a provider that stays silent', ambushChance: 0.9, ...THREE_PROVIDERS },
    edits: [
      {
        file: DECIDE_END,
        find: 'const hasNoDoubt = isPastDoubt(time);',
        replace: 'const hasNoDoubt = time.maxDoubtMs < 0;',
      },
    ],
  },
  'spent-is-rejected': {
    what: 'a spent nullifier rejects, even if our transaction spent it',
    world: { plot: 'a success that some forget', ambushChance: 0.9, ...TWO_PROVIDERS },
    edits: [
      {
        file: DECIDE_END,
        find: 'if (spender !== undefined && !isOurs(spender)) {',
        replace: 'if (spender === undefined || !isOurs(spender)) {',
      },
      {
        file: DECIDE_END,
        find: `return judged({ kind: 'spent', spender }, {`,
        replace: `return judged({ kind: 'spent', spender: spender ?? ('' as Signature) }, {`,
      },
    ],
  },
  'ends-by-counting': {
    what: 'looks that found nothing also end a signed request',
    world: { plot: 'a failure that nobody can search for', ambushChance: 0.9 },
    edits: [
      {
        file: relays('execution/relay-worker'),
        find: `if (step.kind !== 'found_nothing' || !isUnsigned(relay)) return step;`,
        replace: `if (step.kind !== 'found_nothing') return step;`,
      },
    ],
  },
  'retry-while-live': {
    what: 'a request whose end is not known can be tried again',
    world: { plot: 'a crash after signing', ambushChance: 0.9, isImpatient: true },
    edits: [
      {
        file: relays('status/retry-rule'),
        find: `if (attempts.some(({ outcome }) => outcome === null || outcome === 'landed')) return false;`,
        replace: '',
      },
      {
        file: relays('status/retry-rule'),
        find: `if (status !== 'failed') return false;`,
        replace: `if (status !== 'failed' && status !== 'reconciling') return false;`,
      },
      {
        file: relays('relay-state'),
        find: `reconciling: ['succeeded',`,
        replace: `reconciling: ['queued', 'succeeded',`,
      },
      {
        file: relays('status/relay-view'),
        find: `and events.status = 'failed' then (`,
        replace: `and events.status in ('failed', 'reconciling') then (`,
      },
    ],
  },
  'answers-forgotten': {
    what: 'an answer in a round without a majority counts in no other round',
    world: { providers: 2, faulty: 0, answerMs: 4_000 },
    edits: [
      {
        file: relays('evidence/interviews'),
        find: 'const known = one && isAnswer(one.interview) ? one : (kept ?? one);',
        replace: 'const known = one;',
      },
    ],
  },
  'sent-before-stored': {
    what: 'a transaction is sent before it is stored',
    edits: [
      {
        file: relays('execution/prepare-relay'),
        find: `if (!signature) return foundNothing('signer_unavailable', { payer: context.signer.address });`,
        replace: `if (!signature) return foundNothing('signer_unavailable', { payer: context.signer.address });
          const sent = base58.encode(signature) as Signature;
          for (const { node } of context.lanes.all) void node.send(wireTransaction(message, signature), sent).catch(() => undefined);`,
      },
    ],
  },
  'acknowledged-before-commit': {
    what: 'a submission is answered before its request is committed',
    edits: [
      {
        file: relays('admission/insert-relays'),
        find: `const { accepted, counted } = await acceptRequests(foundation.database, foundation, group, limits);`,
        replace: `const early = Promise.withResolvers<Awaited<ReturnType<typeof acceptRequests>>>();
  foundation.database
    .transaction(async (transaction) =>
      early.resolve(await acceptRequests(transaction, foundation, group, limits)),
    )
    .catch(early.reject);
  const { accepted, counted } = await early.promise;`,
      },
    ],
  },
  'nullifiers-released-early': {
    what: 'a failed request releases its nullifiers although it can be tried again',
    world: { plot: 'lost transactions', ambushChance: 0.9, isImpatient: true },
    edits: [
      {
        file: relays('status/change-status'),
        find: `if (to !== 'succeeded' && !retryAllowed)`,
        replace: `if (to !== 'succeeded' && retryAllowed !== undefined)`,
      },
    ],
  },
  'unfenced-lease': {
    what: 'a worker that lost its lease still writes',
    world: { plot: 'a pause after signing', ambushChance: 0.9, processes: 2 },
    edits: [
      {
        file: LEASE,
        find: `.where('fencing_token', '=', fencingToken)\n      .where('next_look_at', 'is not', null),`,
        replace: `.where('next_look_at', 'is not', null).$if(fencingToken < 0, (all) => all),`,
      },
      {
        file: LEASE,
        find: `.where('fencing_token', '=', fencingToken)\n      .forUpdate(),`,
        replace: `.where('fencing_token', '>=', fencingToken)\n      .forUpdate(),`,
      },
      { file: relays('status/change-status'), find: '$if(fencingToken !== undefined', replace: '$if(false' },
    ],
  },
  'lease-not-respected': {
    what: 'a worker takes a request that another worker holds',
    edits: [
      {
        file: 'platform/jobs/lease.ts',
        find: '(lease_owner is null or lease_expires_at <= now())',
        replace: '(lease_owner is null or lease_expires_at is not null)',
      },
    ],
  },
  'lease-for-ever': {
    what: 'the lease of a worker that died never expires',
    world: { plot: 'a crash after signing', ambushChance: 0.9 },
    edits: [
      {
        file: 'platform/jobs/lease.ts',
        find: '(lease_owner is null or lease_expires_at <= now())',
        replace: '(lease_owner is null)',
      },
    ],
  },
  'wakes-by-signals-only': {
    what: 'a worker that missed its signal does not look by itself',
    edits: [
      {
        file: relays('execution/relay-worker'),
        find: 'pollMs: timing.pollMs,',
        replace: 'pollMs: 86_400_000,',
      },
    ],
  },
  'events-without-order': {
    what: 'subscribers receive changes in any order',
    edits: [
      {
        file: relays('status/relay-view'),
        find: 'order by requests.id, events.sequence`',
        replace: 'order by requests.id, events.sequence desc`',
      },
    ],
  },
  'retiring-payer-signs': {
    what: 'a payer that retires still signs if its key is configured',
    world: { plot: 'a payer that retires', ambushChance: 0.9, payers: 2 },
    edits: [
      {
        file: relays('payers/payers'),
        find: "    if (retiring.has(address)) return 'retiring';\n",
        replace: '',
      },
    ],
  },
  'refused-for-ever': {
    what: 'refused packages are never forgotten',
    world: { plot: 'any lie', storms: 2, requests: 4, refutedShare: 0.5, faults: {}, ambushChance: 0 },
    edits: [
      {
        file: relays('admission/sweep-rejected-relays'),
        find: 'select forget_refused_relays(${limit}::integer) as deleted',
        replace: 'select 0 as deleted',
      },
    ],
  },
  'away-payer-asked-again': {
    what: 'after a payer did not sign, the next look asks the same payer',
    world: { plot: 'a payer whose key is away', chaosMs: 600_000, ...ONLY_PAYERS },
    edits: [
      {
        file: relays('payers/payers'),
        find: 'let turn = (attemptNumber ?? 0) + failedLooks;',
        replace: 'let turn = (attemptNumber ?? 0) + 0 * failedLooks;',
      },
    ],
  },
  'reserve-spent': {
    what: 'a payer below its reserve signs although another one has more',
    world: { plot: 'a payer without its reserve', ...ONLY_PAYERS },
    edits: [
      {
        file: relays('payers/payers'),
        find: 'const next = seen.find(({ lamports }) => lamports >= reserveLamports);',
        replace: 'const next = seen.find(({ lamports }) => lamports >= 0);',
      },
    ],
  },
  'accepted-without-reserve': {
    what: 'submissions are accepted although no payer has its reserve',
    world: { plot: 'no payer with its reserve', ...ONLY_PAYERS },
    edits: [
      {
        file: relays('admission/relay-desk'),
        find: "if (!canPay) throw busy('low_balance'",
        replace: "if (canPay === null) throw busy('low_balance'",
      },
    ],
  },
};
