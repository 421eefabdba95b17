import { submitRelay } from '../../../src/domain/relays/admission/submit-relay.js';
import { approveAddress } from '../../../src/domain/checks/addresses/set-address-status.js';
import { change, freshPackage, openDesk as openRelayDesk, openProofs } from '../../domain/relays/desk-kit.js';
import type { TestApp } from '../../kit/app.js';
import { randomAddress } from '../../kit/ledger/confidential-records.js';
import type { Desk } from '../kit.js';

/** Every place of the portal, with content at each. */
export async function everyPlace(app: TestApp, desk: Desk): Promise<readonly string[]> {
  const { application, organization } = app;
  const id = await desk.openCase('Quarterly review');
  const request = await desk.ask('Monthly review');
  const disclosure = await desk.disclose();
  await approveAddress(application.foundation, desk.administrator.principal, {
    foreignId: 'payments',
    address: randomAddress(),
    network: 'solana',
    reason: 'A customer',
  });
  await using proofs = openProofs();
  await using relays = await openRelayDesk(application.foundation, proofs);
  const hints = { applicationIdHints: [organization.application.checkApplicationId] };
  const { relayRequestId: relay } = await submitRelay(relays, '192.0.2.1', freshPackage(hints));
  await change(application.foundation, relay, { to: 'rejected', reason: 'kyt_rejected' });
  return [
    '/',
    '/a/payments/requests',
    '/a/payments/requests?view=decided',
    `/a/payments/requests/${request}`,
    '/a/payments/requests/new',
    '/a/payments/cases',
    `/a/payments/cases/${id}?tab=reports`,
    `/a/payments/cases/${id}?tab=activity`,
    '/a/payments/reports',
    '/a/payments/log',
    '/a/payments/addresses',
    '/disclosures',
    `/disclosures/${disclosure}`,
    '/organization/applications',
    '/organization/assets',
    `/organization/assets/${desk.asset.id}`,
    '/organization/policies',
    '/organization/people',
    `/organization/people/${desk.auditor.principal.userId}`,
    '/organization/keys',
    '/organization/reports',
    '/organization/log',
    '/organization/relays',
    `/organization/relays/${relay}`,
    '/organization/refusals',
    '/organization/retention',
    '/organization/settings',
    '/account',
    '/verify',
    '/help',
    `/relay#${relay}`,
    '/nowhere',
  ];
}
