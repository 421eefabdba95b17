/** Limits how many objects each owner holds at a time. */
export interface Quota {
  /** Takes one. Returns `false` if the owner already holds the maximum. */
  take(owner: string): boolean;
  /** Returns one. */
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
