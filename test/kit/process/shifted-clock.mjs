// Shifts the clock of a process that preloads it: node --import ./shifted-clock.mjs, with CLOCK_AHEAD_MS in the environment.
const ahead = Number(process.env.CLOCK_AHEAD_MS);
const TrueDate = Date;

globalThis.Date = class Date extends TrueDate {
  constructor(...values) {
    super(...(values.length === 0 ? [Date.now()] : values));
  }

  static now() {
    return TrueDate.now() + ahead;
  }
};
