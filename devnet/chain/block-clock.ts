import { createHash } from 'node:crypto';
import { base58 } from '../../src/platform/kernel/encoding/bytes.js';
import type { Clock } from '../../src/platform/kernel/clock.js';

/** Solana's `MAX_PROCESSING_AGE`: a blockhash is valid for this many blocks. */
export const BLOCKHASH_LIFETIME_BLOCKS = 150;

export interface BlockClockOptions {
  readonly genesisHash: string;
  /** When the ledger began, in ms since 1970. */
  readonly startedAt: number;
  readonly blockMs: number;
  readonly clock: Clock;
}

/**
 * Block heights that follow the time, and their hashes. Hashes are derived from the genesis hash, so that they need
 * no storage: a client's blockhash stays valid over a restart until it is 150 blocks old.
 */
export class BlockClock {
  private readonly heights = new Map<string, number>();
  private hashedUpTo = -1;
  private last = 0;
  private skipped = 0;

  constructor(private readonly options: BlockClockOptions) {}

  /** Never falls, even when the system's clock is set back. */
  height(): number {
    this.last = Math.max(this.last, this.heightAt(this.options.clock.now().getTime()));
    return this.last;
  }

  /** The height at a time in milliseconds since which no blocks were skipped. */
  heightAt(time: number): number {
    const { startedAt, blockMs } = this.options;
    return Math.floor((time - startedAt) / blockMs) + this.skipped;
  }

  /** Lets `blocks` blocks pass at once. */
  skip(blocks: number): void {
    this.skipped += blocks;
  }

  blockhash(height: number): string {
    const digest = createHash('sha256').update(`${this.options.genesisHash}:${height}`).digest();
    return base58.encode(digest);
  }

  isRecent(blockhash: string): boolean {
    const height = this.height();
    for (
      let next = Math.max(this.hashedUpTo + 1, height - BLOCKHASH_LIFETIME_BLOCKS);
      next <= height;
      next += 1
    ) {
      this.heights.set(this.blockhash(next), next);
    }
    this.hashedUpTo = height;
    for (const [hash, past] of this.heights) {
      if (past >= height - BLOCKHASH_LIFETIME_BLOCKS) break;
      this.heights.delete(hash);
    }
    return this.heights.has(blockhash);
  }
}
