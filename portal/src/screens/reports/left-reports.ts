/** A report that is being created, and whose progress is not on screen. */
export interface LeftReport {
  readonly id: string;
  /** Null for one of the whole organization. */
  readonly app: string | null;
}

let left: readonly LeftReport[] = [];
/** Those whose progress is on screen, or was to its end. */
const seen = new Set<string>();
const listeners = new Set<() => void>();

function change(next: readonly LeftReport[]): void {
  left = next;
  for (const tell of listeners) tell();
}

/** The reports that were left, as a store that React can follow. */
export const leftReports = {
  subscribe(changed: () => void): () => void {
    listeners.add(changed);
    return () => listeners.delete(changed);
  },
  read: () => left,
};

const without = (id: string) => left.filter((report) => report.id !== id);

export function leaveReport(report: LeftReport): void {
  seen.delete(report.id);
  change([...without(report.id), report]);
}

/** Its progress is shown again, or the viewer knows of its end. */
export function returnToReport(id: string): void {
  seen.add(id);
  change(without(id));
}

/** Those that run and are not on screen, such as after the page was loaded again, are followed like those that were left. */
export function resumeReports(running: readonly LeftReport[]): void {
  const unknown = running.filter(({ id }) => !seen.has(id) && !left.some((report) => report.id === id));
  if (unknown.length > 0) change([...left, ...unknown]);
}

/** Another viewer has other reports. */
export function forgetReports(): void {
  seen.clear();
  change([]);
}
