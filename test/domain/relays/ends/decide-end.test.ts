import { describe, expect, it } from '@jest/globals';
import type { FinalizedOutcome, Signature, SignatureStatus } from '../../../../src/platform/ledger/index.js';
import {
  decideEnd,
  type Decision,
  type EndTime,
  type Testimony,
} from '../../../../src/domain/relays/evidence/decide-end.js';
import type { Wait } from '../../../../src/domain/relays/waits.js';

const OURS = 'ours' as Signature;
const THEIRS = 'theirs' as Signature;
const INVENTED = 'invented' as Signature;
/** Signed at slot 1000 and block height 900. */
const STATE = {
  attempts: [{ number: 1, signature: OURS, contextSlot: 1_000, lastValidBlockHeight: 1_050, isDead: false }],
};
const LANDED_SLOT = 1_010;

const at = (sinceSignedMs: number): EndTime => ({
  sinceSignedMs: [sinceSignedMs],
  minBlockMs: 300,
  minSlotMs: 150,
  maxDoubtMs: 600_000,
});
/** Before 150 blocks can have passed. */
const EARLY = at(10_000);
const LATE = at(61_000);
const PAST_DOUBT = at(601_000);

/** The truth on the ledger. `pending`: it can still land; `confirmed`: it landed and is not final. */
type World = 'landed' | 'failed' | 'dead' | 'spent' | 'pending' | 'pending_spent' | 'confirmed';
const ENDED: readonly World[] = ['landed', 'failed', 'dead', 'spent', 'pending_spent'];
const OPEN: readonly World[] = ['pending', 'confirmed'];

const outcome = (slot: number, failure: FinalizedOutcome['failure'] = null): FinalizedOutcome => ({
  ...{ slot, failure, fee: 5_000, isFeePaid: true, paidLamports: 5_000 },
});

interface View {
  readonly slot: number;
  readonly blockHeight: number;
  readonly status?: SignatureStatus | undefined;
  readonly spentBy?: Signature;
  readonly valid: boolean;
}

function testimonyOf({ slot, blockHeight, status, spentBy, valid }: View): Testimony {
  const isFinal = status?.commitment === 'finalized';
  return {
    node: '',
    height: { slot, blockHeight },
    statuses: { slot, statuses: [status ?? null] },
    ...(isFinal ? { outcomes: [outcome(status.slot, status.failure)] } : {}),
    nullifiers: { slot, spent: [spentBy !== undefined, spentBy !== undefined] },
    blockhashes: { slot, valid: [valid] },
    ...(spentBy === undefined ? {} : { spender: spentBy }),
    outputsExist: spentBy === OURS,
  };
}

const finalized = (slot: number, failure: SignatureStatus['failure'] = null): SignatureStatus => ({
  ...{ slot, commitment: 'finalized', failure },
});

/** The view of a provider that does not lag. */
function truthOf(world: World): View {
  const young = { slot: 1_030, blockHeight: 925, valid: true };
  const old = { slot: 1_170, blockHeight: 1_065, valid: false };
  switch (world) {
    case 'landed':
      return { ...old, status: finalized(LANDED_SLOT), spentBy: OURS };
    case 'failed':
      return { ...old, status: finalized(LANDED_SLOT, 'InsufficientFundsForRent') };
    case 'dead':
      return old;
    case 'spent':
      return { ...old, spentBy: THEIRS };
    case 'pending':
      return young;
    case 'pending_spent':
      return { ...young, spentBy: THEIRS };
    case 'confirmed':
      return { ...young, status: { ...finalized(LANDED_SLOT), commitment: 'confirmed' } };
  }
}

const LAGGING: View = { slot: 1_005, blockHeight: 905, valid: true };
const DEATH: View = { slot: 1_170, blockHeight: 1_065, valid: false };

/** Every kind of answer of a provider that does not lie. */
const HONEST = {
  knows: (world: World) => testimonyOf(truthOf(world)),
  lagging: () => testimonyOf(LAGGING),
  silent: (): Testimony => ({ node: '' }),
} satisfies Record<string, (world: World) => Testimony>;

/** Every kind of answer of a provider that lies. */
const LYING = {
  inventsSuccess: () => testimonyOf({ ...DEATH, status: finalized(1_012), spentBy: OURS }),
  inventsSuccessFarAhead: () =>
    testimonyOf({ ...DEATH, slot: 6_190, status: finalized(6_000), spentBy: OURS }),
  inventsSuccessWithoutEffect: () => testimonyOf({ ...DEATH, status: finalized(LANDED_SLOT) }),
  inventsFailure: () => testimonyOf({ ...DEATH, status: finalized(1_012, 'AccountInUse') }),
  inventsFailureAtTheSlot: () => testimonyOf({ ...DEATH, status: finalized(LANDED_SLOT, 'AccountInUse') }),
  inventsFailureWithoutFee: () => ({
    ...testimonyOf({ ...DEATH, status: finalized(LANDED_SLOT, 'AccountInUse') }),
    outcomes: [{ ...outcome(LANDED_SLOT, 'AccountInUse'), isFeePaid: false }],
  }),
  inventsDeath: () => testimonyOf(DEATH),
  inventsDeathBySlotsAsHeights: () => testimonyOf({ ...DEATH, blockHeight: DEATH.slot }),
  inventsDeathFarAhead: () => testimonyOf({ ...DEATH, slot: 9e15, blockHeight: 8e15 }),
  inventsAnotherSpender: () => testimonyOf({ ...DEATH, spentBy: INVENTED }),
  inventsAnotherSpenderEarly: () => testimonyOf({ ...truthOf('pending'), spentBy: INVENTED }),
  inventsOutputs: (): Testimony => ({ ...testimonyOf({ ...DEATH, spentBy: OURS }), spender: null }),
  standsStill: () => testimonyOf(truthOf('pending')),
  saysTheBlockhashIsValid: () => testimonyOf({ ...DEATH, valid: true }),
  contradictsItself: (world: World): Testimony => ({
    ...testimonyOf({ ...truthOf(world), status: finalized(LANDED_SLOT), spentBy: OURS }),
    outcomes: [outcome(LANDED_SLOT + 1, 'AccountInUse')],
  }),
} satisfies Record<string, (world: World) => Testimony>;

/** Correct about accounts, heights and blockhashes, but without any transaction history. */
const forgets = (world: World): Testimony => {
  const { spender, ...testimony } = testimonyOf({ ...truthOf(world), status: undefined });
  return { ...testimony, ...(spender === undefined ? {} : { spender: null }) };
};

const SAYINGS = { ...HONEST, forgets, ...LYING };
type Saying = keyof typeof SAYINGS;
const ALL = Object.keys(SAYINGS) as Saying[];
const isHonest = (saying: Saying) => saying in HONEST;

/** Every choice of `count` answers whose order does not matter, with the number of orders that it stands for. */
function* combinations(count: number, from = 0): Generator<Saying[]> {
  if (count === 0) yield [];
  else
    for (let first = from; first < ALL.length; first += 1)
      for (const rest of combinations(count - 1, first)) yield [ALL[first]!, ...rest];
}

const judge = (sayings: readonly Saying[], world: World, time: EndTime) =>
  decideEnd(
    sayings.map((saying, index) => ({ ...SAYINGS[saying](world), node: `provider ${index}` })),
    time,
    STATE,
  );

/** Whether the ledger confirms a decision. */
function isTrue(decision: Decision, world: World): boolean {
  switch (decision.kind) {
    case 'wait':
      return true;
    case 'succeeded':
      return world === 'landed' && (decision.slot === LANDED_SLOT || decision.by === 'state');
    case 'landed_failed':
      return world === 'failed' && decision.slot === LANDED_SLOT && !decision.isSpent;
    case 'dead':
      return world === 'dead';
    case 'spent':
      return (world === 'spent' || world === 'pending_spent') && decision.spender === THEIRS;
  }
}

const SIZES = [1, 2, 3, 5];
const TIMES = { early: EARLY, late: LATE, 'past doubt': PAST_DOUBT };
const cases = SIZES.flatMap((size) => [...combinations(size)].map((sayings) => [size, sayings] as const));

describe('the end of a relay, for every combination of answers of 1, 2, 3 and 5 providers,', () => {
  it('covers every combination', () => {
    const orders = SIZES.map((size) => ALL.length ** size).reduce((sum, count) => sum + count, 0);
    expect([ALL.length, cases.length, orders]).toEqual([19, 35_188, 2_483_338]);
  });

  it('is never wrong while more than half of the providers do not lie', () => {
    const wrong: unknown[] = [];
    for (const [size, sayings] of cases) {
      if (2 * sayings.filter(isHonest).length <= size) continue;
      for (const world of [...ENDED, ...OPEN])
        for (const [name, time] of Object.entries(TIMES)) {
          const { decision } = judge(sayings, world, time);
          if (!isTrue(decision, world)) wrong.push([world, name, sayings, decision]);
        }
    }
    expect(wrong).toEqual([]);
  });

  it('is reached and correct if all providers are honest and up to date', () => {
    for (const size of SIZES)
      for (const world of ENDED) {
        const { decision, liars } = judge(Array<Saying>(size).fill('knows'), world, LATE);
        expect([size, world, decision.kind]).not.toEqual([size, world, 'wait']);
        expect(isTrue(decision, world)).toBe(true);
        expect(liars).toEqual([]);
      }
  });

  it('is reached if a majority is honest and up to date, at the latest after maxDoubtMs', () => {
    const stuck: unknown[] = [];
    for (const [size, sayings] of cases) {
      if (2 * sayings.filter((saying) => saying === 'knows').length <= size) continue;
      for (const world of ENDED) {
        const { decision } = judge(sayings, world, PAST_DOUBT);
        if (decision.kind === 'wait') stuck.push([world, sayings, decision]);
      }
    }
    expect(stuck).toEqual([]);
  });

  it('never treats a landed transaction as dead or foreign while a majority is right about accounts', () => {
    const wrong: unknown[] = [];
    for (const [size, sayings] of cases) {
      const right = sayings.filter((saying) => isHonest(saying) || saying === 'forgets');
      if (2 * right.length <= size) continue;
      for (const time of Object.values(TIMES)) {
        const { decision } = judge(sayings, 'landed', time);
        if (decision.kind === 'dead' || decision.kind === 'spent' || decision.kind === 'landed_failed')
          wrong.push([sayings, decision]);
      }
    }
    expect(wrong).toEqual([]);
  });

  it('is never death before 150 blocks can have passed, even if every provider shows it', () => {
    const dead = cases.flatMap(([, sayings]) =>
      (['pending', 'landed', 'dead'] as const)
        .filter((world) => judge(sayings, world, EARLY).decision.kind === 'dead')
        .map((world) => [world, sayings]),
    );
    expect(dead).toEqual([]);
  });

  it('blames no honest provider while more than half of the providers do not lie', () => {
    const accused: unknown[] = [];
    for (const [size, sayings] of cases) {
      if (2 * sayings.filter(isHonest).length <= size) continue;
      for (const world of [...ENDED, ...OPEN])
        for (const time of Object.values(TIMES))
          for (const { node } of judge(sayings, world, time).liars)
            if (isHonest(sayings[Number(node.split(' ')[1])]!)) accused.push([world, time, sayings, node]);
    }
    expect(accused).toEqual([]);
  });

  it('waits at most maxDoubtMs for providers that are silent, lag or contradict the others', () => {
    const waits = cases.flatMap(([, sayings]) =>
      [...ENDED, ...OPEN].map((world) => judge(sayings, world, PAST_DOUBT).decision),
    );
    const causes = new Set(
      waits.map((decision) => (decision.kind === 'wait' ? decision.for : decision.kind)),
    );
    expect([...causes]).toContain('majority');
    expect([...causes]).not.toContain('silent_providers');
  });

  it('does not depend on the order of the providers', () => {
    const dependent: unknown[] = [];
    for (const sayings of combinations(3))
      for (const world of ENDED) {
        const [first, second, third] = sayings as [Saying, Saying, Saying];
        const kinds = [
          [first, second, third],
          [second, third, first],
          [third, first, second],
          [third, second, first],
        ].map((order) => JSON.stringify(judge(order, world, LATE).decision));
        if (new Set(kinds).size > 1) dependent.push([world, sayings, kinds]);
      }
    expect(dependent).toEqual([]);
  });
});

describe('the end of a relay', () => {
  const wait = (cause: Wait) => ({ kind: 'wait', for: cause });
  it.each<[string, World, EndTime, readonly Saying[], object]>([
    [
      'is not a success that one of two invents at a slot that no chain can have reached',
      ...(['pending', LATE, ['lagging', 'inventsSuccessFarAhead'], wait('majority')] as const),
    ],
    [
      'is not a success that one of two invents while the other one is silent',
      ...(['pending', LATE, ['silent', 'inventsSuccess'], wait('finality')] as const),
    ],
    [
      'is not a success that the only provider invents without its effect on the nullifiers',
      ...(['dead', LATE, ['inventsSuccessWithoutEffect'], wait('effect')] as const),
    ],
    [
      'is not a failure that the only provider invents without the fee being paid',
      ...(['dead', LATE, ['inventsFailureWithoutFee'], wait('effect')] as const),
    ],
    [
      'does not follow from heights that jumped before 150 blocks can have passed',
      ...(['pending', EARLY, ['inventsDeath', 'inventsDeath'], wait('minimum_time')] as const),
    ],
    [
      'is not reached while one of two shows the blockhash as still valid',
      ...(['dead', LATE, ['knows', 'saysTheBlockhashIsValid'], wait('silent_providers')] as const),
    ],
    [
      'is not death before maxDoubtMs if one of three is silent',
      ...(['dead', LATE, ['knows', 'knows', 'silent'], wait('silent_providers')] as const),
    ],
    [
      'is death after maxDoubtMs if one of three is silent',
      ...(['dead', PAST_DOUBT, ['knows', 'knows', 'silent'], { kind: 'dead', slot: 1_170 }] as const),
    ],
    [
      'needs a majority even after maxDoubtMs: a lagging and a silent provider prove nothing',
      ...(['dead', PAST_DOUBT, ['knows', 'lagging', 'silent'], wait('majority')] as const),
    ],
    [
      'is not reached while the transaction can land, whatever one of three shows past its expiry',
      ...(['pending', PAST_DOUBT, ['knows', 'knows', 'inventsDeath'], wait('landing')] as const),
    ],
    [
      'is a success although one of three denies it at an impossible slot',
      ...([
        'landed',
        LATE,
        ['knows', 'knows', 'inventsDeathFarAhead'],
        { kind: 'succeeded', slot: LANDED_SLOT },
      ] as const),
    ],
  ])('%s', (_, world, time, sayings, expected) => {
    expect(judge(sayings, world, time).decision).toMatchObject(expected);
  });

  it('is not spending by another party while no provider shows the transaction that spent the nullifiers', () => {
    const providers = ['one', 'two', 'three'].map((node) => ({
      ...forgets('landed'),
      ...{ node, outputsExist: false },
    }));
    expect(decideEnd(providers, PAST_DOUBT, STATE).decision).toEqual({ kind: 'wait', for: 'spender' });
  });

  it('can rest on state alone if outputs exist that only this package creates, and then has by: state', () => {
    const sayings = forgets('landed');
    const providers = ['one', 'two', 'three'].map((node) => ({ ...sayings, node, outputsExist: true }));
    expect(decideEnd(providers, LATE, STATE).decision).toEqual({
      kind: 'succeeded',
      at: 0,
      slot: null,
      by: 'state',
    });
  });

  it('is correct after an expiry that was 20 blocks too early at signing, and no provider is blamed for it', () => {
    const attempts = [{ ...STATE.attempts[0]!, lastValidBlockHeight: 1_030 }];
    const testimony = { ...testimonyOf(truthOf('dead')), node: 'the only one' };
    expect(decideEnd([testimony], LATE, { attempts })).toMatchObject({
      decision: { kind: 'dead' },
      liars: [],
    });
  });

  it('does not follow from a height that grew faster than blocks are made since the last look', () => {
    const testimony = { ...testimonyOf(truthOf('dead')), node: 'the only one' };
    const height = { slot: 1_050, blockHeight: 945 };
    const earlier = (agoMs: number) => [{ node: 'the only one', ...height, agoMs, first: height }];
    const judged = (agoMs: number) => decideEnd([testimony], LATE, { ...STATE, earlier: earlier(agoMs) });
    // 120 blocks take at least 18 s, and the servers of one provider may be 64 blocks apart.
    expect(judged(8_000)).toMatchObject({
      decision: { kind: 'wait', for: 'majority' },
      liars: [{ node: 'the only one', lie: 'impossible_height' }],
    });
    expect(judged(9_000)).toMatchObject({ decision: { kind: 'dead' }, liars: [] });
    const others = decideEnd([testimony], LATE, {
      ...STATE,
      earlier: [{ ...earlier(1)[0]!, node: 'another' }],
    });
    expect(others.decision.kind).toBe('dead');
  });

  it('does not depend on the numbers from signing after maxDoubtMs', () => {
    const attempts = [{ ...STATE.attempts[0]!, lastValidBlockHeight: 400 }];
    const testimony = { ...testimonyOf(truthOf('dead')), node: 'the only one' };
    expect(decideEnd([testimony], LATE, { attempts }).liars).toEqual([
      { node: 'the only one', lie: 'impossible_height' },
    ]);
    expect(decideEnd([testimony], PAST_DOUBT, { attempts }).decision.kind).toBe('dead');
  });

  it.each<[World, Saying]>([
    ['landed', 'inventsDeath'],
    ['landed', 'inventsFailureAtTheSlot'],
    ['spent', 'inventsDeath'],
    ['spent', 'inventsSuccess'],
    ['spent', 'inventsAnotherSpender'],
    ['failed', 'inventsDeath'],
    ['failed', 'inventsSuccess'],
    ['failed', 'inventsAnotherSpender'],
  ])('comes with the name of a provider that a majority contradicts: %s, and one %s', (world, saying) => {
    expect(judge(['knows', saying, 'knows'], world, LATE).liars).toEqual([
      { node: 'provider 1', lie: 'contradicted' },
    ]);
  });
});
