import { beforeAll, describe, expect, it } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { organizationSigner } from '../../../src/domain/activity-log/sequencing/signing-key.js';
import type { SignedCheckpoint } from '../../../src/domain/activity-log/sequencing/checkpoints.js';
import { rotateSigningKey } from '../../../src/domain/organizations/signing-keys/rotate-signing-key.js';
import { generateSigningKey, sign, signCheckpoint, verifierKey } from '../../../src/platform/crypto/index.js';
import type { NoteSigner } from '../../../src/platform/crypto/merkle-log/signed-note.js';
import { receiptKeyName, receiptMessage } from '../../../src/domain/disclosures/results/receipt-statement.js';
import { withSignatures } from '../../../src/platform/keys/index.js';
import { base64 } from '../../../src/platform/kernel/encoding/bytes.js';
import { portalStories, within, type Answered, type Visitor } from '../../kit/browser/portal.js';
import { openDesk, type Desk } from '../kit.js';

portalStories('a lying gateway, in the portal', (story) => {
  let desk: Desk;
  beforeAll(async () => {
    desk = await openDesk(story.app);
  });

  const mark = (visitor: Visitor, subject: string) =>
    visitor.page.getByRole('button', { name: new RegExp(`^${subject}: (Checked here|Does not hold)$`) });
  const textOf = async (visitor: Visitor, subject: string) =>
    (await mark(visitor, subject).first().textContent()) ?? '';

  describe('about a disclosure', () => {
    let id: string;
    beforeAll(async () => {
      id = await desk.disclose();
    });

    /** The marks of the disclosure and of its two amounts after `change`. */
    async function marksAfter(change: (disclosure: Answered) => void): Promise<string[]> {
      const visitor = await story.visit();
      // The log is opened first, so that this browser knows the key that signs.
      await visitor.enter(desk.everything, '/organization/log');
      await mark(visitor, 'Activity log').waitFor();
      await visitor.betray((operation, data) => {
        if (operation === 'Disclosure') change(data['disclosure'] as Answered);
      });
      await visitor.open(`/disclosures/${id}`);
      await mark(visitor, 'Disclosure').waitFor();
      await mark(visitor, 'Amount').nth(1).waitFor();
      expect(await visitor.accessibilityProblems()).toEqual([]);
      return [await textOf(visitor, 'Disclosure'), ...(await mark(visitor, 'Amount').allTextContents())];
    }
    const records = (disclosure: Answered) =>
      within(disclosure, 'result', 'records') as unknown as Answered[];

    it('is green while honest', async () => {
      expect(await marksAfter(() => undefined)).toEqual(['Checked here', 'Checked here', 'Checked here']);
    });

    it('is red if one amount is off by one unit', async () => {
      const marks = await marksAfter((disclosure) => {
        const [first] = records(disclosure);
        first!['amount'] = String(BigInt(first!['amount'] as string) + 1n);
      });
      expect(marks).toEqual(['Does not hold', 'Does not hold', 'Checked here']);
    });

    it('is red if one record has the proof of another', async () => {
      const marks = await marksAfter((disclosure) => {
        const [first, second] = records(disclosure);
        const { proof } = first!;
        first!['proof'] = second!['proof'];
        second!['proof'] = proof;
      });
      expect(marks).toEqual(['Does not hold', 'Does not hold', 'Does not hold']);
    });

    it('is red if a record is missing, even if all other amounts are proven', async () => {
      const visitor = await story.visit();
      await visitor.betray((operation, data) => {
        if (operation === 'Disclosure') records(data['disclosure'] as Answered).pop();
      });
      await visitor.enter(desk.everything, `/disclosures/${id}`);
      expect(await textOf(visitor, 'Disclosure')).toBe('Does not hold');
      expect(await textOf(visitor, 'Amount')).toBe('Checked here');
    });

    it('is red if the receipt is signed by another key', async () => {
      const marks = await marksAfter((disclosure) => {
        const receipt = within(disclosure, 'result', 'receipt');
        const { secret, publicKey } = generateSigningKey();
        receipt['signature'] = base64.encode(sign(secret, receiptMessage(receipt['body'] as never)));
        receipt['verifierKey'] = verifierKey(
          receiptKeyName(story.app.organization.organization.id),
          publicKey,
        );
      });
      expect(marks).toEqual(['Does not hold', 'Checked here', 'Checked here']);
    });
  });

  describe('about the activity log', () => {
    let real: NoteSigner & { origin: string };
    let early: SignedCheckpoint;
    beforeAll(async () => {
      early = await story.logged();
      const { foundation } = story.app.application;
      const { id } = story.app.organization.organization;
      // This gateway has the real key, so its signatures are valid.
      const signer = await withSignatures(foundation.signingKeys, (signatures) =>
        foundation.database.transaction((transaction) =>
          organizationSigner(transaction, { ...foundation, signatures }, id, new Date()),
        ),
      );
      real = { ...signer, name: early.origin, origin: early.origin };
    });
    const other = (): NoteSigner => {
      const { secret, publicKey } = generateSigningKey();
      return { name: early.origin, publicKey, sign: (message) => sign(secret, message) };
    };
    const forged = (signer: NoteSigner, size: number, root = new Uint8Array(32).fill(7)) => ({
      note: signCheckpoint({ origin: signer.name, size, root }, signer),
      verifierKey: verifierKey(signer.name, signer.publicKey),
      origin: signer.name,
      size,
      rootHash: base64.encode(root),
    });

    /**
     * The contents of the browser's storage. The time of the last check is left out, because the page may check the true log
     * again before the lie.
     */
    const kept = async ({ page }: Visitor) =>
      (await page.evaluate<string>('JSON.stringify({ ...localStorage })')).replace(/\\"seenAt.*?Z\\"/g, '');

    /** Opens the true log once, then `lies` in each checkpoint. Returns the text of the banner, whose file has both. */
    async function alarmAfter(lies: (seen: number) => Answered): Promise<string> {
      const visitor = await story.visit();
      await visitor.enter(desk.everything, '/organization/log');
      expect(await textOf(visitor, 'Activity log')).toBe('Checked here');
      const before = await kept(visitor);
      const { size } = await story.logged();
      const lie = lies(size);
      await visitor.betray((operation, data) => {
        if (operation === 'LogCheckpoint') Object.assign(data['logCheckpoint'] as Answered, lie);
        if (operation === 'LogConsistency')
          Object.assign(within(data, 'logConsistencyProof', 'checkpoint'), lie);
      });
      await visitor.page.reload();
      const alarm = visitor.page.getByRole('alert');
      await alarm.getByText('The activity log does not hold.').waitFor();
      expect(await textOf(visitor, 'Activity log')).toBe('Does not hold');
      expect(await visitor.accessibilityProblems()).toEqual([]);
      // Every screen shows the alarm, and the earlier checkpoints stay stored.
      await visitor.page.getByRole('link', { name: 'To do' }).first().click();
      await visitor.page.getByRole('heading', { level: 1, name: 'To do' }).waitFor();
      const text = (await alarm.first().textContent()) ?? '';
      expect(await kept(visitor)).toBe(before);
      const saving = visitor.page.waitForEvent('download');
      await visitor.page.getByRole('button', { name: 'Save both checkpoints' }).click();
      const file = await saving;
      expect(file.suggestedFilename()).toBe('lucarne-checkpoints.json');
      const saved = JSON.parse(await readFile(await file.path(), 'utf8')) as Record<string, Answered>;
      expect(text).toContain(saved['because']);
      expect(before).toContain(JSON.stringify(JSON.stringify(saved['before']!['note'])).slice(3, -3));
      expect(saved['now']).toMatchObject(lie);
      return text;
    }

    it('raises the alarm if the history is rewritten and signed by the real key', async () => {
      expect(await alarmAfter((seen) => forged(real, seen + 5))).toContain('its history was rewritten');
    });
    it('raises the alarm if the root at a known size changes', async () => {
      expect(await alarmAfter((seen) => forged(real, seen))).toContain('its history was rewritten');
    });
    it('raises the alarm if the log shrinks', async () => {
      const { note, size } = early;
      expect(size).toBeGreaterThan(0);
      await desk.ask('One more entry');
      await story.logged();
      expect(await alarmAfter(() => ({ note, size }))).toContain(`The log has ${size} entries now`);
    });
    it('raises the alarm if another key signs', async () => {
      expect(await alarmAfter((seen) => forged(other(), seen + 5))).toContain(
        'is not one of the keys of the log',
      );
    });
    it('raises the alarm if the name of the log changes', async () => {
      const name = `elsewhere.example/log/${story.app.organization.organization.id}`;
      expect(await alarmAfter((seen) => forged({ ...other(), name }, seen + 5))).toContain(
        'is not one of the keys of the log',
      );
    });
    it('is detected by comparison with a colleague’s view, and not if nothing is signed', async () => {
      const visitor = await story.visit();
      const { page } = visitor;
      const compare = page.getByRole('button', { name: 'Compare with a colleague…' });
      await visitor.enter(desk.everything, '/organization/log');
      await mark(visitor, 'Activity log').waitFor();
      const { size } = await story.logged();
      let lie: Answered = forged(real, size);
      await visitor.betray((operation, data) => {
        if (operation === 'LogCheckpoint') Object.assign(data['logCheckpoint'] as Answered, lie);
        if (operation === 'LogConsistency')
          Object.assign(within(data, 'logConsistencyProof', 'checkpoint'), lie);
      });
      await page.reload();
      expect(await textOf(visitor, 'Activity log')).toBe('Does not hold');
      await compare.click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('The root that your colleague sees').fill(lie['rootHash'] as string);
      await dialog.getByRole('button', { name: 'Compare', exact: true }).click();
      await dialog.getByText('You both see the same log.').waitFor();
      expect(await visitor.accessibilityProblems()).toEqual([]);
      lie = { ...lie, verifierKey: verifierKey(real.name, other().publicKey) };
      await page.reload();
      expect(await textOf(visitor, 'Activity log')).toBe('Does not hold');
      expect(await compare.isDisabled()).toBe(true);
    });

    it('is trusted with a new key that the old one names, but not if the gateway hides the rotation', async () => {
      const visitor = await story.visit();
      await visitor.enter(desk.everything, '/organization/log');
      expect(await textOf(visitor, 'Activity log')).toBe('Checked here');
      const { application, organization } = story.app;
      const { verifierKey: key } = await rotateSigningKey(
        application.foundation,
        organization.owner.principal,
        { reason: 'The yearly rotation' },
      );
      let isHidden = true;
      await visitor.betray((operation, data) => {
        const [member] = Object.values(data) as Answered[];
        if (isHidden && operation === 'LogCheckpoint') Object.assign(member!, { keyChanges: [] });
        if (isHidden && operation === 'LogConsistency')
          Object.assign(within(data, 'logConsistencyProof', 'checkpoint'), { keyChanges: [] });
      });
      await visitor.page.reload();
      await visitor.page.getByRole('alert').getByText('is not one of the keys of the log').waitFor();
      isHidden = false;
      await visitor.page.reload();
      expect(await textOf(visitor, 'Activity log')).toBe('Checked here');
      const kept = await visitor.page.evaluate<string>('JSON.stringify({ ...localStorage })');
      expect(kept).toContain(key);
      // The entry of the rotation names the owner by id.
      expect(kept).not.toContain('usr_');
      const entry = visitor.page.getByRole('button', { name: /^Entry \d+: Checked here$/ });
      await entry.first().waitFor();
    });

    it('is compared with a colleague’s view by the signed root, not by a root reported separately', async () => {
      const rootOf = ({ note }: { readonly note: string }) => note.split('\n')[2]!;
      const earlier = await story.logged();
      await desk.ask('Filed after the colleague looked');
      const root = rootOf(await story.logged());
      const other = base64.encode(new Uint8Array(32).fill(7));
      const visitor = await story.visit();
      const { page } = visitor;
      await visitor.betray((operation, data) => {
        if (operation === 'LogCheckpoint') (data['logCheckpoint'] as Answered)['rootHash'] = other;
      });
      await visitor.enter(desk.everything, '/organization/log');
      expect(await textOf(visitor, 'Activity log')).toBe('Checked here');
      await page.getByRole('button', { name: 'Compare with a colleague…' }).click();
      const dialog = page.getByRole('dialog');
      const compare = async (seen: string) => {
        await dialog.getByLabel('The root that your colleague sees').fill(seen);
        await dialog.getByRole('button', { name: 'Compare', exact: true }).click();
      };
      await compare(other);
      await dialog.getByText('This is another root.').waitFor();
      expect(await visitor.accessibilityProblems()).toEqual([]);
      // In groups, as it is read out.
      await compare(root.replaceAll(/.{11}/g, '$& '));
      const same = dialog.getByText('You both see the same log.');
      await same.waitFor();
      // It is about what was compared, and not about what is typed next.
      await dialog.getByLabel('The root that your colleague sees').fill(other);
      expect(await same.count()).toBe(0);
      // At another size, by a proof.
      const size = dialog.getByLabel('The size that your colleague sees');
      await size.fill(String(earlier.size));
      await compare(rootOf(earlier));
      await dialog.getByText('the larger one continues the smaller one').waitFor();
      await compare(other);
      await dialog.getByText('One log does not continue the other.').waitFor();
      await size.fill('99999');
      expect(await dialog.getByText('One log does not continue the other.').count()).toBe(0);
      await dialog.getByRole('button', { name: 'Compare', exact: true }).click();
      await dialog.getByText('The gateway has no checkpoint of this size').waitFor();
      expect(await visitor.accessibilityProblems()).toEqual([]);
    });

    it('does not mix up the logs of two organizations', async () => {
      const visitor = await story.visit();
      await visitor.betray((operation, data) => {
        if (operation === 'LogCheckpoint')
          Object.assign(
            data['logCheckpoint'] as Answered,
            forged({ ...other(), name: 'elsewhere.example/log/org_other' }, 5),
          );
      });
      await visitor.enter(desk.everything, '/organization/log');
      expect(await textOf(visitor, 'Activity log')).toBe('Does not hold');
    });
  });
});
