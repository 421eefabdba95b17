/** A report that is being made, and whose place in the page the viewer left. */
export interface LeftReport {
  readonly id: string;
  /** Null for one of the whole organization. */
  readonly app: string | null;
}

let left: readonly LeftReport[] = [];
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

export const leaveReport = (report: LeftReport): void => change([...without(report.id), report]);

/** Its progress is shown again, or the viewer knows of its end. */
export const returnToReport = (id: string): void => change(without(id));

/** Another viewer has other reports. */
export const forgetReports = (): void => change([]);
