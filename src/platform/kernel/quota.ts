/** Limits how many things each owner holds at a time. */
export interface Quota {
  /** Takes one. `false` means that the owner already holds as many as the limit allows. */
  take(owner: string): boolean;
  /** Gives one back. */
  give(owner: string): void;
}

export function createQuota(limit: number): Quota {
  const taken = new Map<string, number>();
  return {
    take(owner) {
      const count = taken.get(owner) ?? 0;
      if (count >= limit) return false;
      taken.set(owner, count + 1);
      return true;
    },
    give(owner) {
      const count = taken.get(owner) ?? 0;
      if (count > 1) taken.set(owner, count - 1);
      else taken.delete(owner);
    },
  };
}
