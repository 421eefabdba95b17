import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { readFile, rm, truncate, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { submitRelay } from '../../../src/domain/relays/admission/submit-relay.js';
import type { RelayDesk } from '../../../src/domain/relays/index.js';
import type { ProofPool } from '../../../src/platform/crypto/index.js';
import { change, freshPackage, openDesk as openRelayDesk, openProofs } from '../../domain/relays/desk-kit.js';
import { chainOf } from '../../domain/activity-log/signing-keys/key-chain-kit.js';
import { receiptSignedBy } from '../../domain/relays/evidence/receipt-kit.js';
import { graphql, sessionOf } from '../../kit/app.js';
import { portalStories } from '../../kit/browser/portal.js';
import { askedBy, minutePasses, openDesk } from '../kit.js';

portalStories('without an account', (story) => {
  let proofs: ProofPool;
  let relays: RelayDesk;
  let exported: string;
  beforeAll(async () => {
    proofs = openProofs();
    relays = await openRelayDesk(story.app.application.foundation, proofs);
    const desk = await openDesk(story.app);
    await story.logged();
    const { data, errors } = await graphql(
      story.app,
      'mutation ($input: ExportActivityLogInput!) { exportActivityLog(input: $input) }',
      { variables: { input: {} }, headers: sessionOf(story.app, desk.everything.sessionToken) },
    );
    expect(errors).toBeUndefined();
    exported = path.join(os.tmpdir(), `portal-log-${process.pid}.json`);
    await writeFile(exported, JSON.stringify(data!['exportActivityLog']));
  });
  afterAll(async () => {
    await relays[Symbol.asyncDispose]();
    await proofs[Symbol.asyncDispose]();
  });

  it('the portal verifies a file while offline, and sends nothing', async () => {
    const visitor = await story.visit();
    const { page, context } = visitor;
    await page.clock.install();
    await visitor.open('/sign-in');
    await page.getByRole('link', { name: 'Verify a file without an account' }).click();
    await page.getByText('you can disconnect from the network now').waitFor();
    await context.setOffline(true);
    const asked = askedBy(page);
    await minutePasses(page);
    await page.locator('.drop input').setInputFiles(exported);
    await page.getByRole('button', { name: 'File: Checked here' }).waitFor();
    await page.getByText('This is an export of the activity log.').waitFor();
    // Its signature shows what it is: a hash is of no use.
    await page.getByLabel('Verifier key that you know').waitFor();
    expect(await page.getByLabel('Expected SHA-256').count()).toBe(0);
    expect(await visitor.accessibilityProblems()).toEqual([]);

    // One letter of one entry changed.
    const changed = (await readFile(exported, 'utf8')).replace(
      '"application.created"',
      '"application.creates"',
    );
    await page.locator('.drop input').setInputFiles({
      name: 'changed.json',
      mimeType: 'application/json',
      buffer: Buffer.from(changed),
    });
    await page.getByRole('button', { name: 'File: Does not hold' }).waitFor();

    // Any other file has a hash, but no mark.
    await page
      .locator('.drop input')
      .setInputFiles({ name: 'note.txt', mimeType: 'text/plain', buffer: Buffer.from('a note') });
    await page.getByRole('button', { name: 'File: Not checkable' }).waitFor();
    expect(await page.getByLabel('Verifier key that you know').count()).toBe(0);
    // The log has another digest of a report, with a salt.
    await page.getByText('compare it with the SHA-256 in the list of reports').waitFor();
    const expected = page.getByLabel('Expected SHA-256');
    await expected.fill(createHash('sha256').update('a note').digest('hex'));
    await page.getByRole('button', { name: 'Check again' }).click();
    await page.getByRole('button', { name: 'File: Checked here' }).waitFor();
    // The hash is of that file, not of the next one.
    await page
      .locator('.drop input')
      .setInputFiles({ name: 'other.txt', mimeType: 'text/plain', buffer: Buffer.from('another note') });
    await page.getByRole('button', { name: 'File: Not checkable' }).waitFor();
    expect(await expected.inputValue()).toBe('');
    expect(asked).toEqual([]);
  });

  it('the portal says of a file that it cannot read or that is too large that nothing was checked', async () => {
    const visitor = await story.visit();
    const { page } = visitor;
    await visitor.open('/verify');
    const large = path.join(os.tmpdir(), `portal-large-${process.pid}`);
    await writeFile(large, '');
    await truncate(large, 600 * 1024 * 1024);
    await page.locator('.drop input').setInputFiles(large);
    await page.getByRole('button', { name: 'File: Not checkable' }).waitFor();
    await page.getByText('npx lucarne log verify FILE').waitFor();
    await rm(large);

    const gone = path.join(os.tmpdir(), `portal-gone-${process.pid}.txt`);
    await writeFile(gone, 'a note');
    await page.locator('.drop input').setInputFiles(gone);
    const expected = page.getByLabel('Expected SHA-256');
    await expected.fill(createHash('sha256').update('a note').digest('hex'));
    await rm(gone);
    await page.getByRole('button', { name: 'Check again' }).click();
    await page.getByText('This browser cannot read the file').waitFor();
    await page.getByRole('button', { name: 'File: Not checkable' }).waitFor();
    expect(await page.getByText('Does not hold').count()).toBe(0);
  });

  it('the portal has one help page, linked from the sign-in page and the navigation', async () => {
    const visitor = await story.visit();
    const { page } = visitor;
    await visitor.open('/sign-in');
    await page.getByRole('link', { name: 'Help' }).click();
    await page.getByRole('heading', { level: 1, name: 'Help' }).waitFor();
    await page.getByText('never relies on the gateway’s word alone').waitFor();
    expect(await visitor.accessibilityProblems()).toEqual([]);
    await visitor.enter(story.app.organization.owner);
    await page.getByRole('link', { name: 'Help' }).click();
    await page.getByRole('heading', { level: 1, name: 'Help' }).waitFor();
    await page.getByRole('link', { name: 'Back to the portal' }).click();
    await page.getByRole('heading', { level: 1, name: 'To do' }).waitFor();
  });

  it('the portal verifies a receipt with a key from before a rotation, and with a key file', async () => {
    const { signerOf, rotation, compromise, logOf } = chainOf('lucarne.example/log/org_1');
    const [first, second] = [signerOf(), signerOf()];
    const visitor = await story.visit();
    const { page } = visitor;
    const json = (name: string, content: unknown) => ({
      ...{ name, mimeType: 'application/json', buffer: Buffer.from(JSON.stringify(content)) },
    });
    await visitor.open('/verify');
    await page.locator('.drop input').setInputFiles(json('receipt.json', receiptSignedBy(second)));
    await page.getByRole('button', { name: 'File: Checked here' }).waitFor();

    await page.getByLabel('Verifier key that you know').fill(first.key);
    await page.getByRole('button', { name: 'Check again' }).click();
    await page.getByRole('button', { name: 'File: Does not hold' }).waitFor();
    await page
      .getByLabel('File of keys')
      .setInputFiles(json('log.json', logOf(second, rotation(first, second))));
    await page.getByRole('button', { name: 'Check again' }).click();
    await page.getByRole('button', { name: 'File: Checked here' }).waitFor();
    await page.getByText('Signed by key 2 of 2 in the key file').waitFor();
    expect(await visitor.accessibilityProblems()).toEqual([]);

    await page.locator('.drop input').setInputFiles(json('old.json', receiptSignedBy(first)));
    const keyLog = logOf(second, rotation(first, second), compromise(first, 0, second));
    await page.getByLabel('File of keys').setInputFiles(json('told.json', keyLog));
    await page.getByRole('button', { name: 'Check again' }).click();
    await page.getByText('The key of the receipt is declared compromised as of index 0').waitFor();
    await page.getByRole('button', { name: 'File: Does not hold' }).waitFor();
  });

  it('the portal verifies a key file with a known key', async () => {
    const { signerOf, rotation, compromise, logOf } = chainOf('lucarne.example/log/org_1');
    const [first, second, stranger] = [signerOf(), signerOf(), signerOf()];
    const log = logOf(second, rotation(first, second), compromise(first, 0, second));
    const saved = {
      origin: log.origin,
      verifierKey: log.verifier_key,
      note: log.checkpoint,
      keyChanges: log.key_changes.map(({ index, entry, proof }) => ({
        ...{ index, entry: JSON.stringify(entry), inclusion: proof },
      })),
    };
    const visitor = await story.visit();
    const { page } = visitor;
    const drop = (name: string, text: string) =>
      page
        .locator('.drop input')
        .setInputFiles({ name, mimeType: 'application/json', buffer: Buffer.from(text) });
    await visitor.open('/verify');
    await drop('keys.json', JSON.stringify(saved));
    await page.getByRole('button', { name: 'File: Checked here' }).waitFor();
    await page
      .getByText('Who owns the key that signed the checkpoint. Compare it with the key')
      .first()
      .waitFor();
    await page.getByText('That the key file has all declarations of compromised keys').first().waitFor();
    expect(await page.getByText('(--key)').count()).toBe(0);

    // The next file is also checked with the values of the form.
    await page.getByLabel('Verifier key that you know').fill(stranger.key);
    await drop('keys-again.json', JSON.stringify(saved));
    await page.getByText('None of the keys that signed the log is the expected key').waitFor();
    await page.getByRole('button', { name: 'File: Does not hold' }).waitFor();
    await page.getByLabel('Verifier key that you know').fill(first.key);
    await page.getByRole('button', { name: 'Check again' }).click();
    await page.getByRole('button', { name: 'File: Checked here' }).waitFor();
    await page.getByText('That your organization chose the key after the expected key').first().waitFor();
    expect(await page.getByText('Who owns the key that signed the checkpoint').count()).toBe(0);

    // Programs differ in which of two members with the same name they use.
    const { origin } = saved;
    await drop('twice.json', `{"origin":"${origin}",${JSON.stringify(saved).slice(1)}`);
    await page.getByText('it has two members with the same name').waitFor();
    await drop('malformed.json', JSON.stringify({ ...saved, keyChanges: null }));
    await page.getByText('The key changes in the file are malformed').waitFor();
  });

  it('the portal never shows the result of one file under the name of the next', async () => {
    const { signerOf, logOf } = chainOf('lucarne.example/log/org_1');
    const visitor = await story.visit();
    const { page } = visitor;
    // The result for the first file arrives after that for the second.
    await page.addInitScript({
      content: `
      globalThis.answers = 0;
      let held;
      const post = Worker.prototype.postMessage;
      Worker.prototype.postMessage = function (message) {
        const name = message[0].question.file?.name;
        if (name === 'slow.txt') return void (held = message);
        if (name === 'fast.json')
          this.addEventListener('message', () => ++answers === 1 && post.call(this, held));
        post.call(this, message);
      };
    `,
    });
    await visitor.open('/verify');
    const drop = (name: string, text: string) =>
      page.locator('.drop input').setInputFiles({ name, mimeType: 'text/plain', buffer: Buffer.from(text) });
    await drop('slow.txt', 'a note');
    await drop('fast.json', JSON.stringify(logOf(signerOf(), { event_type: 'asset.created', details: {} })));
    while ((await page.evaluate('answers')) !== 2) await new Promise(setImmediate);
    await page.getByRole('button', { name: 'File: Checked here' }).waitFor();
    await page.getByText('This is an export of the activity log.').waitFor();
    // Its signature shows what it is: a hash is of no use.
    await page.getByLabel('Verifier key that you know').waitFor();
    expect(await page.getByLabel('Expected SHA-256').count()).toBe(0);
  });

  it('the portal follows a relay to its end by its id, which is in no URL path and sent nowhere else', async () => {
    const { relayRequestId: id } = await submitRelay(relays, '192.0.2.1', freshPackage({}));
    const { foundation } = story.app.application;
    const visitor = await story.visit();
    const { page } = visitor;
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await visitor.open('/relay');
    await page.getByLabel('Id of the relay').fill(id);
    await page.getByRole('button', { name: 'Watch it' }).click();
    await page.getByText('The package is stored. Nothing was sent.').first().waitFor();
    expect(await page.title()).toBe('Watch a relay · Lucarne');
    await change(
      foundation,
      id,
      { to: 'validating' },
      { to: 'queued', attemptNumber: 1 },
      { to: 'submitted' },
    );
    await page.getByText('It may have landed. Do not send another.').waitFor();
    expect(await visitor.accessibilityProblems()).toEqual([]);
    await change(foundation, id, { to: 'reconciling' }, { to: 'rejected', reason: 'nullifiers_spent' });
    await page.getByText('Another transaction spent what this package spends.').waitFor();
    await page.getByText('This is final.').waitFor();
    // Each change once, in order.
    expect(await page.locator('.timeline .badge').allTextContents()).toEqual([
      'accepted',
      'being checked',
      'queued',
      'submitted',
      'in doubt',
      'rejected',
    ]);
    expect(asked.filter((url) => url.includes(id))).toEqual([]);
    expect(await visitor.accessibilityProblems()).toEqual([]);
  });

  it('the portal reports an unknown relay only as not existing', async () => {
    const visitor = await story.visit();
    await visitor.open(`/relay#rly_${'0'.repeat(52)}`);
    await visitor.page.getByRole('heading', { name: 'Nothing here' }).waitFor();
  });
});
