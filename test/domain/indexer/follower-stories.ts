import { afterAll, beforeAll, beforeEach } from '@jest/globals';
import { type Database, sql } from '../../../src/platform/database/index.js';
import { createTestDatabase } from '../../kit/database/database.js';
import { bindTestMint, storedRecords, type BoundMint } from './bound-mint.js';
import { addressOf, ScriptedLedger } from './scripted-ledger.js';

export const mint = addressOf('mint');
export const [alice, bob] = [addressOf('alice'), addressOf('bob')] as const;
export const auditorKey = new Uint8Array(32).fill(7);

/** One bound mint for each story, and the ledger that the story writes. */
class FollowerStories {
  database!: Database;
  ledger!: ScriptedLedger;
  bound!: BoundMint;

  readonly openAccounts = (): void => {
    this.ledger.addMint(mint, auditorKey);
    this.ledger.addAccount(alice, mint);
    this.ledger.addAccount(bob, mint);
  };

  readonly typesOf = async () => (await storedRecords(this.database, this.bound)).map(({ type }) => type);
}

export function followerStories(): FollowerStories {
  const stories = new FollowerStories();
  beforeAll(async () => {
    stories.database = await createTestDatabase();
  });
  beforeEach(async () => {
    await stories.database.rows(sql`truncate assets cascade`);
    stories.ledger = new ScriptedLedger();
    stories.bound = await bindTestMint(stories.database, mint, { auditorPublicKey: auditorKey });
  });
  afterAll(async () => stories.database[Symbol.asyncDispose]());
  return stories;
}
