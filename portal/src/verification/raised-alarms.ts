export interface RaisedAlarm {
  readonly because: string;
  readonly before: unknown;
  readonly now: unknown;
}

/** By organization: a check that ends after another person signed in raises no alarm for that person. */
const raised = new Map<string, RaisedAlarm>();
const listeners = new Set<() => void>();
const tell = () => {
  for (const changed of listeners) changed();
};

/** Shows the banner on every screen of the organization until the session ends. The first alarm stays. */
export function raiseAlarm(organizationId: string, alarm: RaisedAlarm): void {
  if (raised.has(organizationId)) return;
  raised.set(organizationId, alarm);
  tell();
}

export function forgetAlarms(): void {
  raised.clear();
  tell();
}

/** As a store that React can follow. */
export const alarms = {
  subscribe(changed: () => void): () => void {
    listeners.add(changed);
    return () => listeners.delete(changed);
  },
  of: (organizationId: string): RaisedAlarm | undefined => raised.get(organizationId),
};
