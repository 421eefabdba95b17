/** A generator's `return` waits for its pending `next`. With this, `return` first calls `end`, which ends what `next` waits for. */
export function leavable<Event>(
  generator: AsyncGenerator<Event, void, undefined>,
  end: () => void,
): AsyncGenerator<Event, void, undefined> {
  const leave = generator.return.bind(generator);
  generator.return = (value) => {
    end();
    return leave(value);
  };
  return generator;
}
