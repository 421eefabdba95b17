import { afterAll, afterEach, beforeAll } from '@jest/globals';
import type { PoolDescriptor, RelayDesk } from '../../../../src/domain/relays/index.js';
import { submitRelay } from '../../../../src/domain/relays/admission/submit-relay.js';
import type { ProofPool } from '../../../../src/platform/crypto/index.js';
import type { Database, Foundation } from '../../../../src/platform/database/index.js';
import { isLucarneError } from '../../../../src/platform/kernel/errors.js';
import { createTestDatabase } from '../../../kit/database/database.js';
import { randomAddress } from '../../../kit/ledger/confidential-records.js';
import { testFoundation } from '../../../kit/seed.js';
import { type DeskOptions, openDesk, openProofs, POOL } from '../desk-kit.js';

const CLIENT = '192.0.2.1';

/** A desk that accepts packages, on a database of this file, and further desks that a story opens. */
class SubmissionStories {
  database!: Database;
  foundation!: Foundation;
  proofs!: ProofPool;
  desk!: RelayDesk;
  readonly opened: RelayDesk[] = [];

  /** Opens another desk until the story ends. */
  readonly open = async (options: DeskOptions = {}, on = this.foundation): Promise<RelayDesk> => {
    const desk = await openDesk(on, this.proofs, options);
    this.opened.push(desk);
    return desk;
  };

  readonly submit = (relayPackage: unknown, at = this.desk) => submitRelay(at, CLIENT, relayPackage);

  /** Two pools that differ only by name and program. */
  readonly openPools = (): ReadonlyMap<string, PoolDescriptor> => {
    const pool = this.desk.pools.get(POOL)!;
    return new Map(
      [randomAddress(), randomAddress()].map((programId) => [
        `pool ${programId}`,
        { ...pool, poolSelector: `pool ${programId}`, programId },
      ]),
    );
  };

  readonly refusalOf = async (work: Promise<unknown>) => {
    const thrown = await work.then(
      () => undefined,
      (error: unknown) => error,
    );
    if (!isLucarneError(thrown)) throw new Error('It was not refused.', { cause: thrown });
    const { code, reason, retryAfterSeconds: wait, message } = thrown;
    return { code, reason, wait, message };
  };
}

export function submissionStories(): SubmissionStories {
  const stories = new SubmissionStories();
  beforeAll(async () => {
    stories.database = await createTestDatabase();
    stories.foundation = testFoundation(stories.database);
    stories.proofs = openProofs();
    stories.desk = await openDesk(stories.foundation, stories.proofs);
  }, 480_000);
  afterEach(async () => {
    for (const desk of stories.opened.splice(0)) await desk[Symbol.asyncDispose]();
  });
  afterAll(async () => {
    await stories.desk[Symbol.asyncDispose]();
    await stories.proofs[Symbol.asyncDispose]();
    await stories.database[Symbol.asyncDispose]();
  });
  return stories;
}
