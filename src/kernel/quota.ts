/** Counts what is open for each owner, up to a limit. */
export interface Quota {
  /** Takes one of the owner's; `false` when there is none left. */
  take(owner: string): boolean;
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
