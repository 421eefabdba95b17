/** Keeps the most recently used entries, up to a number of bytes. */
export interface BoundedCache<Value> {
  get(key: string): Value | undefined;
  /** `bytes` is the estimated memory of the entry. An entry larger than the whole cache is not kept. */
  set(key: string, value: Value, bytes: number): void;
  delete(key: string): boolean;
  /** The estimated memory of all entries. */
  readonly bytes: number;
}

export function createBoundedCache<Value>(maxBytes: number): BoundedCache<Value> {
  // A Map iterates in the order of insertion: the first entry is the least recently used.
  const entries = new Map<string, { readonly value: Value; readonly bytes: number }>();
  let total = 0;
  const remove = (key: string): boolean => {
    total -= entries.get(key)?.bytes ?? 0;
    return entries.delete(key);
  };
  return {
    get(key) {
      const entry = entries.get(key);
      if (!entry) return undefined;
      entries.delete(key);
      entries.set(key, entry);
      return entry.value;
    },
    set(key, value, bytes) {
      remove(key);
      if (bytes > maxBytes) return;
      entries.set(key, { value, bytes });
      total += bytes;
      for (const oldest of entries.keys()) {
        if (total <= maxBytes) break;
        remove(oldest);
      }
    },
    delete: remove,
    get bytes() {
      return total;
    },
  };
}
