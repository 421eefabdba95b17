/** Every kind of completed action that the activity log knows. */
export const EVENT_TYPES = [
  'organization.created',
  'organization.updated',
  'member.added',
  'member.removed',
  'member.permissions_changed',
  'member.erased',
  'api_key.created',
  'api_key.revoked',
  'application.created',
  'application.updated',
  'asset.created',
  'asset.mint_bound',
  'asset.assigned',
  'policy.created',
  'disclosure.requested',
  'disclosure.decided',
  'disclosure.available',
  'case_request.created',
  'case_request.withdrawn',
  'case_request.approved',
  'case_request.closed',
  'case.created',
  'case.transactions_viewed',
  'report.generated',
  'report.downloaded',
  'log.exported',
  'address.approved',
  'address.revoked',
  'relay.succeeded',
  'relay.failed',
  'session.created',
  'session.ended',
] as const;

export type EventType = (typeof EVENT_TYPES)[number];

export function isEventType(name: string): name is EventType {
  return (EVENT_TYPES as readonly string[]).includes(name);
}
