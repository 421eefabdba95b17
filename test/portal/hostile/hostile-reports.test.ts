import { beforeAll, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { graphql, sessionOf } from '../../kit/app.js';
import { portalStories, within, type Answered } from '../../kit/browser/portal.js';
import { seedMember, type SeededUser } from '../../kit/seed.js';
import { openDesk, type Desk } from '../kit.js';

portalStories('a gateway that lies about a report, in the portal', (story) => {
  let desk: Desk;
  /** May list reports, but not read the log. */
  let lister: SeededUser;
  let file: Buffer;
  let downloadIndex: number;
  const forged = Buffer.from('type,amount\nconfidential_transfer,1\n');
  beforeAll(async () => {
    const { application, organization } = story.app;
    desk = await openDesk(story.app);
    lister = await seedMember(
      application.foundation,
      organization.organization.id,
      { owner: ['reports:list', 'reports:download'], applications: [] },
      'Lena Lister',
    );
    const caseId = await desk.openCase('Reported on');
    const { data } = await graphql(
      story.app,
      'mutation ($input: GenerateCaseReportInput!) { generateCaseReport(input: $input) { report { id } } }',
      {
        headers: sessionOf(story.app, desk.auditor.sessionToken),
        variables: {
          input: {
            foreignId: 'payments',
            caseId,
            reportType: 'transaction_detail',
            format: 'csv',
            wait: true,
          },
        },
      },
    );
    const { id } = within(data, 'generateCaseReport', 'report');
    const download = await fetch(`${story.app.url}/api/reports/${id as string}/download`, {
      headers: sessionOf(story.app, desk.everything.sessionToken),
    });
    expect(download.status).toBe(200);
    file = Buffer.from(await download.arrayBuffer());
    await story.logged();
    const log = await desk.asOwner(
      '{ activityLog(eventType: "report.downloaded", first: 1) { nodes { index } } }',
      {},
    );
    const [entry] = within(log, 'activityLog', 'nodes') as unknown as Answered[];
    downloadIndex = Number(entry!['index']);
  });

  interface Lies {
    readonly who?: SeededUser;
    readonly given?: Buffer;
    readonly row?: (report: Answered) => void;
    readonly report?: (metadata: Answered) => void;
    readonly entries?: (nodes: Answered[]) => void;
  }
  /** The reports, after these lies. */
  async function listedAfter({ who = desk.everything, row, report, entries }: Lies, locale = 'en-GB') {
    const visitor = await story.visit({ locale });
    await visitor.betray((operation, data) => {
      if (operation === 'Reports') {
        const [shown] = within(data, 'reports', 'nodes') as unknown as Answered[];
        row?.(shown!);
        report?.(within(shown, 'metadata'));
      }
      if (operation === 'Log') entries?.(within(data, 'activityLog', 'nodes') as unknown as Answered[]);
      if (operation !== 'OneEntry') return;
      const nodes = [within(data, 'activityEntry')];
      entries?.(nodes);
      data['activityEntry'] = nodes[0] ?? null;
    });
    await visitor.enter(who, '/organization/reports');
    return visitor;
  }
  /** The mark of the log entry in the row of the report, after these lies, and the reason. */
  async function entryMarkAfter(lies: Lies, locale?: string) {
    const visitor = await listedAfter(lies, locale);
    const mark = visitor.page.getByRole('listitem').getByRole('button', {
      name: /^Entr(y|ée) \d+\s*: (?!Checking|Vérification)/,
    });
    await mark.click();
    const why = await visitor.page.getByRole('dialog').innerText();
    expect(await visitor.accessibilityProblems()).toEqual([]);
    return { mark: await mark.innerText(), why };
  }
  /** The mark of a file after these lies, and the reason. */
  async function markAfter({ given: saved = file, ...lies }: Lies) {
    const visitor = await listedAfter(lies);
    const { page } = visitor;
    await page.getByRole('button', { name: 'Check a file' }).click();
    const dialog = page.getByRole('dialog');
    await dialog
      .locator('.drop input')
      .setInputFiles({ name: 'report.csv', mimeType: 'text/csv', buffer: saved });
    const mark = dialog.getByRole('button', { name: /^File: (Checked here|Does not hold|Not checkable)$/ });
    await mark.waitFor();
    expect(await visitor.accessibilityProblems()).toEqual([]);
    const result = dialog.getByRole('status').filter({ hasText: 'report.csv' });
    return { mark: await mark.textContent(), why: await result.textContent() };
  }
  const hashOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
  const SWAPPED = (metadata: Answered) => (metadata['sha256'] = hashOf(forged));

  it('is green for the file whose hash is in a proven log entry', async () => {
    const { mark, why } = await markAfter({});
    expect(mark).toBe('Checked here');
    expect(why).toContain('The file has the hash in the log entry.');
    expect(why).toContain('That the content of the file is correct');
    expect(why).not.toContain('cannot be verified alone');
    expect(why).toContain('of the signed log');
  });

  it('is green once the entry of the report is sequenced', async () => {
    const { page, ...visitor } = await story.visit();
    let isPlaced = false;
    await visitor.betray((operation, data) => {
      if (operation !== 'Log' || isPlaced) return;
      const [entry] = within(data, 'activityLog', 'nodes') as unknown as Answered[];
      Object.assign(entry!, { index: null, logged: null });
    });
    await visitor.enter(desk.everything, '/organization/reports');
    await page.getByRole('button', { name: 'Check a file' }).click();
    const dialog = page.getByRole('dialog');
    await dialog
      .locator('.drop input')
      .setInputFiles({ name: 'report.csv', mimeType: 'text/csv', buffer: file });
    await dialog
      .getByText('The entry has no place in the log yet. It gets one within seconds.')
      .first()
      .waitFor();
    isPlaced = true;
    await dialog.getByRole('button', { name: 'File: Checked here' }).waitFor();
  });

  it('is red for another file, even if the response contains its hash', async () => {
    const { mark, why } = await markAfter({ given: forged, report: SWAPPED });
    expect(mark).toBe('Does not hold');
    expect(why).toContain('The file does not have the hash in the log entry.');
  });

  it('is red if the entry is changed to contain the hash of the other file', async () => {
    const salt = Buffer.alloc(16, 7);
    const salted = createHash('sha256')
      .update(salt)
      .update(Buffer.from(hashOf(forged), 'hex'))
      .digest('hex');
    const { mark, why } = await markAfter({
      given: forged,
      report: (metadata) =>
        Object.assign(metadata, { sha256: hashOf(forged), salt: salt.toString('base64') }),
      entries: ([entry]) => (within(entry, 'details')['salted_sha256'] = salted),
    });
    expect(mark).toBe('Does not hold');
    expect(why).toContain('is not what was logged');
  });

  it('is never green if the entry or its proof is missing, only unverified', async () => {
    const withheld = await markAfter({ entries: (nodes) => nodes.splice(0) });
    expect(withheld.mark).toBe('Not checkable');
    expect(withheld.why).toContain('the gateway’s word alone');
    const unproven = await markAfter({ entries: ([entry]) => (entry!['logged'] = null) });
    expect(unproven.mark).toBe('Not checkable');
  });

  it('is never green because of a download entry, which also contains a hash of the report', async () => {
    const reader = await story.visit();
    let logged: Answered[] = [];
    await reader.betray((operation, data) => {
      if (operation === 'Log') logged = within(data, 'activityLog', 'nodes') as unknown as Answered[];
    });
    await reader.enter(desk.everything, '/organization/log');
    await reader.page.getByRole('listitem').filter({ hasText: 'downloaded a report' }).first().waitFor();
    const download = logged.find(({ eventType }) => eventType === 'report.downloaded');
    const { mark, why } = await markAfter({
      entries: (nodes) => nodes.splice(0, nodes.length, structuredClone(download!)),
    });
    expect(mark).toBe('Not checkable');
    expect(why).toContain('The gateway returned no activity log entry for this report.');
  });

  it('is shown as unverified to a reader without access to the log, and red if the file contradicts it', async () => {
    const { mark, why } = await markAfter({ who: lister, given: forged, report: SWAPPED });
    expect(mark).toBe('Not checkable');
    expect(why).toContain('You cannot read the entry of the activity log');
    const other = await markAfter({ who: lister, given: forged });
    expect(other.mark).toBe('Does not hold');
  });

  it('is green in its row if the entry at the index that is shown records it, with the SHA-256 that is shown', async () => {
    const { mark, why } = await entryMarkAfter({});
    expect(mark).toBe('Checked here');
    expect(why).toMatch(/Entry \d+ of the signed log records this report\./);
    expect(why).toContain('This page shows the SHA-256 in the log entry.');
    expect(why).toContain('What else this page shows of the report.');
    const french = await entryMarkAfter({}, 'fr-FR');
    expect(french.mark).toBe('Vérifié ici');
    expect(french.why).toMatch(/L’entrée \d+ du journal signé consigne ce rapport\./);
    expect(french.why).toContain('Cette page montre le SHA-256 de l’entrée du journal.');
    expect(french.why).toContain('Ce que cette page montre d’autre du rapport.');
  });

  it.each<[string, Lies, string]>([
    [
      'with another index',
      { report: (metadata) => (metadata['logIndex'] = Number(metadata['logIndex']) - 1) },
      'does not record this report',
    ],
    [
      'at the index of its download, which has its hash, too',
      { report: (metadata) => (metadata['logIndex'] = downloadIndex) },
      'does not record this report',
    ],
    ['with another id', { row: (node) => (node['id'] = 'rpt_another') }, 'does not record this report'],
    [
      'with the entry of another report',
      { entries: ([entry]) => (within(entry, 'object')['report_id'] = 'rpt_another') },
      'is not what was logged',
    ],
    ['with another SHA-256', { report: SWAPPED }, 'is not the one in the log entry'],
    [
      'with another SHA-256, and without the salt to compare it',
      { report: (metadata) => Object.assign(metadata, { sha256: hashOf(forged), salt: null }) },
      'cannot be compared with the one in the log entry',
    ],
    ['with a text as its SHA-256', { report: (metadata) => (metadata['sha256'] = 'zz') }, 'is not the one'],
    [
      'with an entry that was changed',
      { entries: ([entry]) => (within(entry, 'details')['salted_sha256'] = hashOf(forged)) },
      'is not what was logged',
    ],
  ])('is red in its row if it is shown %s', async (_, lies, reason) => {
    const { mark, why } = await entryMarkAfter(lies);
    expect(mark).toBe('Does not hold');
    expect(why).toContain(reason);
  });

  it('is unverified in its row without its entry, without a proof of it, and for a reader without access to it', async () => {
    const withheld = await entryMarkAfter({ entries: (nodes) => nodes.splice(0) });
    expect(withheld.mark).toBe('Not checkable');
    expect(withheld.why).toContain('The gateway returned no activity log entry for this report.');
    const unproven = await entryMarkAfter({ entries: ([entry]) => (entry!['logged'] = null) });
    expect(unproven.mark).toBe('Not checkable');
    const unread = await entryMarkAfter({ who: lister });
    expect(unread.mark).toBe('Not checkable');
    expect(unread.why).toContain('You cannot read the entry of the activity log');
  });
});
