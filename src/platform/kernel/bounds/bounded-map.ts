/**
 * Keeps the entries that were used last, up to a total weight: by default, up to a number of entries. `get` and `set` use an
 * entry. An entry that is heavier than the whole map is not kept.
 */
export class BoundedMap<Key, Value> extends Map<Key, Value> {
  #weight = 0;
  /**
   * A Map iterates in the order of insertion: first comes the entry whose last use is the longest ago. All that this iterator
   * has passed are deleted. A new iterator would pass their places in memory again.
   */
  readonly #oldest = this.keys();

  constructor(
    private readonly maxWeight: number,
    private readonly weightOf: (value: Value, key: Key) => number = () => 1,
  ) {
    super();
  }

  override get(key: Key): Value | undefined {
    const value = super.get(key);
    if (super.delete(key)) super.set(key, value as Value);
    return value;
  }

  override set(key: Key, value: Value): this {
    this.delete(key);
    const weight = this.weightOf(value, key);
    if (weight > this.maxWeight) return this;
    super.set(key, value);
    this.#weight += weight;
    while (this.#weight > this.maxWeight) this.delete(this.#oldest.next().value!);
    return this;
  }

  override delete(key: Key): boolean {
    if (!this.has(key)) return false;
    this.#weight -= this.weightOf(super.get(key) as Value, key);
    return super.delete(key);
  }

  override clear(): void {
    super.clear();
    this.#weight = 0;
  }
}
