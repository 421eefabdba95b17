import { describe, expect, it } from '@jest/globals';
import { EVENT_TYPES } from '../../../src/domain/activity-log/index.js';

describe('the event types', () => {
  it('are named object.action, without duplicates', () => {
    expect(new Set(EVENT_TYPES).size).toBe(EVENT_TYPES.length);
    for (const type of EVENT_TYPES) expect(type).toMatch(/^[a-z]+(_[a-z]+)*\.[a-z]+(_[a-z]+)*$/);
  });

  // Entries are kept forever, and readers filter by these names, so a released name never changes.
  it('include those of the interface', () => {
    expect([...EVENT_TYPES]).toEqual(
      expect.arrayContaining([
        ...['organization.created', 'member.added', 'member.removed', 'member.permissions_changed'],
        ...['api_key.created', 'api_key.revoked', 'application.created', 'asset.created', 'asset.mint_bound'],
        ...['asset.assigned', 'policy.created', 'disclosure.requested', 'disclosure.decided'],
        ...[
          'disclosure.available',
          'case_request.created',
          'case_request.withdrawn',
          'case_request.approved',
        ],
        ...[
          'case_request.closed',
          'case.created',
          'case.viewed',
          'report.generated',
          'report.downloaded',
          'log.exported',
        ],
        ...['address.approved', 'address.revoked', 'relay.succeeded', 'relay.failed', 'session.created'],
        'session.ended',
      ]),
    );
  });
});
