/** Limits how many objects, or how much, each owner holds at a time. */
export interface Quota {
  /** Takes one, or an amount. Returns `false`, and takes nothing, if the owner would hold more than the maximum. */
  take(owner: string, amount?: number): boolean;
  /** Returns one, or an amount. */
  give(owner: string, amount?: number): void;
}

export function createQuota(limit: number): Quota {
  const taken = new Map<string, number>();
  return {
    take(owner, amount = 1) {
      const held = taken.get(owner) ?? 0;
      if (held + amount > limit) return false;
      taken.set(owner, held + amount);
      return true;
    },
    give(owner, amount = 1) {
      const held = taken.get(owner) ?? 0;
      if (held > amount) taken.set(owner, held - amount);
      else taken.delete(owner);
    },
  };
}
