import { expect } from '@jest/globals';
import type { Page } from 'playwright-core';
import { createCaseRequest, approveCaseRequest, type DisclosureFlags } from '../../src/domain/cases/index.js';
import { PERMISSIONS } from '../../src/domain/access/index.js';
import { bearer, graphql, sessionOf, type TestApp } from '../kit/app.js';
import {
  auditorCiphertexts,
  randomAddress,
  seedAsset,
  seedRecords,
  type SeededAsset,
  type SeededRecord,
} from '../kit/ledger/confidential-records.js';
import { until } from '../kit/browser/portal.js';
import { seedMember, type SeededUser } from '../kit/seed.js';

const EVERY_FLAG: DisclosureFlags = {
  fullTxIds: true,
  senderInformation: true,
  withdrawalDetails: true,
};

/** An organization with data: an administrator, an auditor, an owner with all permissions, and an asset with records. */
export interface Desk {
  readonly administrator: SeededUser;
  readonly auditor: SeededUser;
  /** Has all permissions. */
  readonly everything: SeededUser;
  readonly asset: SeededAsset;
  /** Runs an operation as `everything`, and returns its data. It must have no errors. */
  asOwner(query: string, variables: object): Promise<object>;
  /** Replaces the permissions of a member, as an owner. */
  permit(member: SeededUser, owner: readonly string[], applications?: readonly object[]): Promise<void>;
  ask(reason: string, flags?: DisclosureFlags): Promise<string>;
  /** Approves a request as the administrator. Returns the id of the case. */
  approve(request: string): Promise<string>;
  openCase(reason: string, flags?: DisclosureFlags): Promise<string>;
  /** Requests a disclosure with the organization's API key; by default of the amounts of two transfers. */
  askDisclosure(purpose: string, input?: object): Promise<string>;
  /** A disclosure of the amounts of two transfers, authorized and available. */
  disclose(): Promise<string>;
}

const DAY_SECONDS = 86_400;
/** Yesterday at noon, so that every record is in the period, whatever the time of day. */
const YESTERDAY = (Math.floor(Date.now() / (DAY_SECONDS * 1_000)) - 0.5) * DAY_SECONDS;
const dayOf = (seconds: number) => new Date(seconds * 1_000).toISOString().slice(0, 10);

export async function openDesk(app: TestApp, amounts: readonly bigint[] = [1_250n, 70_000n]): Promise<Desk> {
  const { foundation } = app.application;
  const { id } = app.organization.organization;
  const all = { foreignId: 'payments', common: PERMISSIONS.common };
  const member = (name: string, permissions: object, owner: readonly string[] = []) =>
    seedMember(foundation, id, { owner: [...owner], applications: [{ ...all, ...permissions }] }, name);
  const administrator = await member('Ada Administrator', { administrator: PERMISSIONS.administrator });
  const auditor = await member('Ana Auditor', { auditor: PERMISSIONS.auditor });
  const everything = await member(
    'Olga Owner',
    { administrator: PERMISSIONS.administrator, auditor: PERMISSIONS.auditor },
    PERMISSIONS.owner,
  );
  const asset = await seedAsset(foundation, id, { applicationId: app.organization.application.id });
  const records = await seedRecords(foundation, asset, [
    ...amounts.map((amount, index): SeededRecord => ({
      blockTime: YESTERDAY + index,
      ciphertexts: auditorCiphertexts(asset.auditorPublicKey, amount),
    })),
    {
      type: 'confidential_withdraw',
      blockTime: YESTERDAY + amounts.length,
      publicData: { amount: '400', authority: randomAddress() },
    },
  ]);
  const ask = async (reason: string, disclosureFlags = EVERY_FLAG) => {
    const request = await createCaseRequest(foundation, auditor.principal, {
      foreignId: 'payments',
      reason,
      periodFrom: dayOf(YESTERDAY - 30 * DAY_SECONDS),
      periodTo: dayOf(YESTERDAY),
      accessDays: 30,
      disclosureFlags,
      auditorIds: [auditor.principal.userId],
    });
    return request.id;
  };
  const approve = async (request: string) => {
    const decided = { foreignId: 'payments', id: request };
    return (await approveCaseRequest(foundation, administrator.principal, decided)).id;
  };
  const askDisclosure = async (purpose: string, input: object = {}) => {
    const { data } = await graphql(
      app,
      'mutation ($input: RequestDisclosureInput!) { requestDisclosure(input: $input) { id } }',
      {
        headers: bearer(app.organization.apiKey.secret),
        variables: {
          input: {
            assetId: asset.id,
            purpose,
            scope: { transactionIds: records.slice(0, 2).map((record) => record.id), fields: ['amount'] },
            format: 'json',
            ...input,
          },
        },
      },
    );
    return (data!['requestDisclosure'] as { id: string }).id;
  };
  const asOwner = async (query: string, variables: object) => {
    const { data, errors } = await graphql(app, query, {
      headers: sessionOf(app, everything.sessionToken),
      variables,
    });
    expect(errors).toBeUndefined();
    return data!;
  };
  return {
    administrator,
    auditor,
    everything,
    asset,
    asOwner,
    async permit({ principal }, owner, applications = []) {
      await asOwner('mutation ($input: SetPermissionsInput!) { setPermissions(input: $input) { id } }', {
        input: { memberId: principal.userId, permissions: { owner, applications } },
      });
    },
    ask,
    approve,
    openCase: async (reason, flags) => approve(await ask(reason, flags)),
    askDisclosure,
    async disclose() {
      const disclosure = await askDisclosure('Yearly audit');
      await asOwner('mutation ($input: DecideDisclosureInput!) { decideDisclosure(input: $input) { id } }', {
        input: { id: disclosure, decision: 'authorize', reason: 'A test' },
      });
      for (;;) {
        const { data } = await graphql(app, 'query ($id: ID!) { disclosure(id: $id) { status } }', {
          headers: bearer(app.organization.apiKey.secret),
          variables: { id: disclosure },
        });
        if ((data!['disclosure'] as { status: string }).status === 'available') return disclosure;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
  };
}

/** A passkey of the device with user verification: Chromium's virtual authenticator. */
export async function withAuthenticator(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('WebAuthn.enable');
  await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
}

/** The requests of the page from now on, over HTTP or a new socket. */
export function askedBy(page: Page): readonly string[] {
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  page.on('websocket', (socket) => asked.push(socket.url()));
  return asked;
}

/** Advances the installed clock of the page by a minute, so that periodic work runs many times. */
export async function minutePasses(page: Page): Promise<void> {
  for (let passed = 0; passed < 60; passed += 5) await page.clock.runFor(5_000);
}

/** Presses Tab until the wanted element has the focus. */
export async function tabTo(page: Page, wanted: RegExp, key = 'Tab'): Promise<void> {
  const focused = `(() => { const at = document.activeElement;
    return [at.getAttribute('role'), at.getAttribute('aria-label'), ...[...(at.labels ?? [])].map((one) => one.textContent),
      at.textContent].filter(Boolean).join(' ').trim(); })()`;
  const passed: string[] = [];
  for (let presses = 0; presses < 80; presses += 1) {
    await page.keyboard.press(key);
    const at = String(await page.evaluate(focused)).slice(0, 60);
    if (wanted.test(at)) return;
    passed.push(at);
  }
  throw new Error(`${key} does not lead to ${wanted.source}, but to ${passed.join(', ')}.`);
}

/** Waits for a place by its heading, which has the focus. */
export async function arriveAt(page: Page, heading: string): Promise<void> {
  await page.getByRole('heading', { level: 1, name: heading }).waitFor();
  await until(page, `document.activeElement === document.querySelector('h1')`);
}

/** A user without a pointer. */
export function keysOf(page: Page) {
  const { keyboard } = page;
  const arrive = (heading: string) => arriveAt(page, heading);
  return {
    arrive,
    /** Moves forward to the wanted element, and presses Enter on it. */
    async press(wanted: RegExp, key = 'Tab') {
      await tabTo(page, wanted, key);
      await keyboard.press('Enter');
    },
    async type(field: RegExp, text: string) {
      await tabTo(page, field);
      await keyboard.type(text);
    },
    async go(place: RegExp, heading: string) {
      await tabTo(page, place, 'Shift+Tab');
      await keyboard.press('Enter');
      await arrive(heading);
    },
  };
}
