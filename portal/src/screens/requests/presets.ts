const DAY_MS = 86_400_000;
const dayOf = (time: number) => new Date(time).toISOString().slice(0, 10);

/** Periods to choose from, as their first and last days in UTC. */
export const presets = {
  last30Days(now: Date): readonly [string, string] {
    return [dayOf(now.getTime() - 29 * DAY_MS), dayOf(now.getTime())];
  },
  thisMonth(now: Date): readonly [string, string] {
    return [dayOf(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1)), dayOf(now.getTime())];
  },
  lastMonth(now: Date): readonly [string, string] {
    const [year, month] = [now.getUTCFullYear(), now.getUTCMonth()];
    return [dayOf(Date.UTC(year, month - 1, 1)), dayOf(Date.UTC(year, month, 0))];
  },
  lastQuarter(now: Date): readonly [string, string] {
    const [year, month] = [now.getUTCFullYear(), Math.floor(now.getUTCMonth() / 3) * 3];
    return [dayOf(Date.UTC(year, month - 3, 1)), dayOf(Date.UTC(year, month, 0))];
  },
};
