import { beforeAll, expect, it } from '@jest/globals';
import type { Route } from 'playwright-core';
import { graphql, sessionOf } from '../../kit/app.js';
import { portalStories, within, type Answered, type Visitor } from '../../kit/browser/portal.js';
import { minutePasses, openDesk, type Desk } from '../kit.js';

portalStories('a gateway that lies about the amounts of a case, in the portal', (story) => {
  let desk: Desk;
  let id: string;
  /** The true proofs by the ids of their transactions, which a hostile gateway can put anywhere. */
  const proven = new Map<string, unknown>();
  beforeAll(async () => {
    desk = await openDesk(story.app);
    id = await desk.openCase('Read with doubt');
    const { data } = await graphql(
      story.app,
      `
        query ($id: ID!) {
          case(foreignId: "payments", id: $id) {
            transactions {
              nodes {
                id
                proof {
                  auditorElGamalPubkey
                  ciphertext {
                    lo
                    hi
                  }
                  proof
                }
              }
            }
          }
        }
      `,
      { headers: sessionOf(story.app, desk.auditor.sessionToken), variables: { id } },
    );
    for (const { id: transaction, proof } of within(
      data,
      'case',
      'transactions',
      'nodes',
    ) as unknown as Answered[])
      if (proof !== null) proven.set(transaction as string, proof);
    expect(proven.size).toBe(2);
  });

  const recordsIn = (data: Answered) =>
    within(data, 'case', 'transactions', 'nodes') as unknown as Answered[];
  const transfersIn = (records: Answered[]) => records.filter(({ id: one }) => proven.has(one as string));
  const marksIn = ({ page }: Visitor) =>
    page.getByRole('button', {
      name: /^Amount: (Checked here|Does not hold|Not checkable|Public)$/,
    });

  /** Opens the case. `records` changes the first answer, and `proofs` gives the second one, by default the honest one. */
  async function visitWith({
    records = () => undefined,
    proofs,
  }: {
    readonly records?: (records: Answered[]) => void;
    readonly proofs?: (
      honest: unknown[],
      amounts: readonly { readonly transactionId: string }[],
    ) => unknown[];
  }): Promise<Visitor> {
    const visitor = await story.visit();
    await visitor.betray((operation, data, sent) => {
      if (operation === 'CaseRecords') records(recordsIn(data));
      if (operation !== 'CaseProofs' || !proofs) return;
      const answer = within(data, 'case');
      const amounts = sent['amounts'] as { readonly transactionId: string }[];
      answer['amountProofs'] = proofs(answer['amountProofs'] as unknown[], amounts);
    });
    await visitor.enter(desk.auditor, `/a/payments/cases/${id}`);
    return visitor;
  }

  /** The marks of the two transfers and of the withdrawal. */
  async function marksOf(lies: Parameters<typeof visitWith>[0], rows = 3): Promise<string[]> {
    const visitor = await visitWith(lies);
    const marks = marksIn(visitor);
    await marks.nth(rows - 1).waitFor();
    expect(await visitor.accessibilityProblems()).toEqual([]);
    const shown = await marks.allTextContents();
    await marks.first().click();
    await visitor.page.getByRole('dialog').getByText('This browser checked signatures and proofs').waitFor();
    expect(await visitor.accessibilityProblems()).toEqual([]);
    return shown;
  }
  const PUBLIC = 'Public';

  it('is green while honest, without a check of amounts that are public on the ledger', async () => {
    expect(await marksOf({})).toEqual(['Checked here', 'Checked here', PUBLIC]);
    const visitor = await visitWith({});
    await visitor.page.getByRole('button', { name: `Amount: ${PUBLIC}` }).click();
    await visitor.page.getByText('whose amount is public on the ledger').waitFor();
    expect(await visitor.accessibilityProblems()).toEqual([]);
  });

  it('is red if one amount is off by one unit, with the true proof or with none', async () => {
    const records = (all: Answered[]) => {
      const [first] = transfersIn(all);
      first!['amount'] = String(BigInt(first!['amount'] as string) + 1n);
    };
    const marks = ['Does not hold', 'Checked here', PUBLIC];
    expect(await marksOf({ records })).toEqual(marks);
    const proofs = (_: unknown, amounts: readonly { readonly transactionId: string }[]) =>
      amounts.map(({ transactionId }) => proven.get(transactionId));
    expect(await marksOf({ records, proofs })).toEqual(marks);
  });

  it('is red if two records have swapped their proofs', async () => {
    const proofs = (honest: unknown[]) => honest.toReversed();
    expect(await marksOf({ proofs })).toEqual(['Does not hold', 'Does not hold', PUBLIC]);
  });

  it('is red if a record is shown twice, with valid proofs', async () => {
    const marks = await marksOf({
      records: (all) => {
        const [first, second] = transfersIn(all);
        second!['amount'] = first!['amount'];
      },
      proofs: ([first]) => [first, first],
    });
    expect(marks).toEqual(['Does not hold', 'Does not hold', PUBLIC]);
  });

  it('is red if it leaves a proof out, as null or from the end', async () => {
    const marks = ['Checked here', 'Does not hold', PUBLIC];
    expect(await marksOf({ proofs: ([first]) => [first, null] })).toEqual(marks);
    expect(await marksOf({ proofs: ([first]) => [first] })).toEqual(marks);
  });

  it('is red if it gives the proofs of other amounts than it showed, also when they are read again', async () => {
    let isHonest = true;
    const visitor = await visitWith({
      records: (all) => {
        if (isHonest) return;
        const [first, second] = transfersIn(all);
        [first!['amount'], second!['amount']] = [second!['amount'], first!['amount']];
      },
      proofs: (_, amounts) => amounts.map(({ transactionId }) => proven.get(transactionId)),
    });
    const marks = marksIn(visitor);
    await marks.nth(2).waitFor();
    expect(await marks.allTextContents()).toEqual(['Checked here', 'Checked here', PUBLIC]);
    isHonest = false;
    await visitor.page.reload();
    await marks.nth(2).waitFor();
    expect(await marks.allTextContents()).toEqual(['Does not hold', 'Does not hold', PUBLIC]);
  });

  it('shows amounts before their proofs, which are awaited and never green until then', async () => {
    const visitor = await story.visit();
    const { page } = visitor;
    const { promise: released, resolve: release } = Promise.withResolvers<undefined>();
    await visitor.context.route('**/graphql', async (route) => {
      if (route.request().postData()?.includes('query CaseProofs')) await released;
      await route.fallback();
    });
    await visitor.enter(desk.auditor, `/a/payments/cases/${id}`);
    const checking = page.getByRole('button', { name: 'Amount: Checking…' });
    await checking.nth(1).waitFor();
    await page.getByText('3, all of them').waitFor();
    expect(await marksIn(visitor).allTextContents()).toEqual([PUBLIC]);
    expect(await visitor.accessibilityProblems()).toEqual([]);
    release(undefined);
    await page.getByRole('button', { name: 'Amount: Checked here' }).nth(1).waitFor();
    expect(await checking.count()).toBe(0);
  });

  it('is not checkable while the proofs are refused, which the page says, until they are read again', async () => {
    const visitor = await story.visit();
    const { page } = visitor;
    let isRefused = true;
    await visitor.context.route('**/graphql', async (route) => {
      if (!isRefused || !route.request().postData()?.includes('query CaseProofs')) return route.fallback();
      const errors = [
        { message: 'Wait a moment.', extensions: { code: 'TOO_MANY_REQUESTS', retryAfterSeconds: 1 } },
      ];
      return route.fulfill({ json: { data: null, errors } });
    });
    await visitor.enter(desk.auditor, `/a/payments/cases/${id}`);
    const marks = marksIn(visitor);
    await marks.nth(2).waitFor();
    expect(await marks.allTextContents()).toEqual(['Not checkable', 'Not checkable', PUBLIC]);
    expect(await visitor.accessibilityProblems()).toEqual([]);
    isRefused = false;
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('button', { name: 'Amount: Checked here' }).nth(1).waitFor();
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
  });

  /** Opens the case. `answer` gets each question for proofs, with its number. */
  async function visitWithProofs(answer: (asked: number, route: Route) => Promise<void>): Promise<Visitor> {
    const visitor = await story.visit();
    let asked = 0;
    await visitor.context.route('**/graphql', (route) =>
      route.request().postData()?.includes('query CaseProofs')
        ? answer((asked += 1), route)
        : route.fallback(),
    );
    await visitor.page.clock.install();
    await visitor.enter(desk.auditor, `/a/payments/cases/${id}`);
    await visitor.page.getByText('3, all of them').waitFor();
    return visitor;
  }
  /** The first question is never answered. */
  const withoutFirst = (asked: number, route: Route) => (asked === 1 ? Promise.resolve() : route.fallback());
  const checkedIn = ({ page }: Visitor) => page.getByRole('button', { name: 'Amount: Checked here' });

  it('says after a minute that the proofs do not come, and asks for them again when the reader wants it', async () => {
    const visitor = await visitWithProofs(withoutFirst);
    const { page } = visitor;
    await page.getByRole('button', { name: 'Amount: Checking…' }).nth(1).waitFor();
    await minutePasses(page);
    const failure = page.getByRole('alert').filter({ hasText: 'did not return the proofs' });
    await failure.waitFor();
    expect(await marksIn(visitor).allTextContents()).toEqual(['Not checkable', 'Not checkable', PUBLIC]);
    expect(await visitor.accessibilityProblems()).toEqual([]);
    await failure.getByRole('button', { name: 'Try again' }).click();
    await checkedIn(visitor).nth(1).waitFor();
    expect(await failure.count()).toBe(0);
  });

  it('does not delay the proofs of other rows with the proofs of rows that are no longer shown', async () => {
    const visitor = await visitWithProofs(withoutFirst);
    const { page } = visitor;
    await page.getByRole('button', { name: 'Amount: Checking…' }).nth(1).waitFor();
    await page.getByLabel('Type').selectOption({ label: 'Withdrawal' });
    await page.getByText('1, all of them').waitFor();
    expect(await marksIn(visitor).allTextContents()).toEqual([PUBLIC]);
    await page.getByLabel('Type').selectOption({ label: 'Transfer' });
    await page.getByText('2, all of them').waitFor();
    await checkedIn(visitor).nth(1).waitFor();
  });

  it('cannot mark rows with an answer for rows that are no longer shown', async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<undefined>();
    const late = Promise.withResolvers<undefined>();
    const visitor = await visitWithProofs(async (asked, route) => {
      if (asked > 1) return route.fallback();
      const response = await route.fetch();
      const json = (await response.json()) as { readonly data: Answered };
      const answer = within(json.data, 'case');
      answer['amountProofs'] = (answer['amountProofs'] as unknown[]).toReversed();
      await released;
      await route.fulfill({ response, json }).catch(() => undefined);
      late.resolve(undefined);
    });
    const { page } = visitor;
    await page.getByRole('button', { name: 'Amount: Checking…' }).nth(1).waitFor();
    await page.getByLabel('Type').selectOption({ label: 'Withdrawal' });
    await page.getByText('1, all of them').waitFor();
    release(undefined);
    await late.promise;
    expect(await marksIn(visitor).allTextContents()).toEqual([PUBLIC]);
    await page.getByLabel('Type').selectOption({ label: 'All types' });
    await checkedIn(visitor).nth(1).waitFor();
    expect(await marksIn(visitor).allTextContents()).toEqual(['Checked here', 'Checked here', PUBLIC]);
  });

  it('is reported if it returns fewer rows than its count', async () => {
    const visitor = await visitWith({ records: (all) => void all.pop() });
    await visitor.page.getByText('The gateway counts 3 transactions, but returned 2.').waitFor();
    expect(await visitor.page.getByText('all of them').count()).toBe(0);
    expect(await visitor.accessibilityProblems()).toEqual([]);
  });

  it('is reported if it returns more rows than its count', async () => {
    const visitor = await story.visit();
    await visitor.betray((operation, data) => {
      if (operation === 'CaseRecords') within(data, 'case', 'transactions')['totalCount'] = 2;
    });
    await visitor.enter(desk.auditor, `/a/payments/cases/${id}`);
    await visitor.page
      .getByText('The gateway counts 2 transactions, but returned 3. If this is the same')
      .waitFor();
    expect(await visitor.page.getByText('all of them').count()).toBe(0);
    expect(await visitor.accessibilityProblems()).toEqual([]);
  });

  it('is red if a withdrawal is shown twice, for any count, even in a case without proofs', async () => {
    const twice = (records: Answered[]) => {
      const withdrawal = records.find(({ type }) => type === 'confidential_withdraw');
      records.push(structuredClone(withdrawal!));
    };
    expect(await marksOf({ records: twice }, 4)).toEqual([
      'Checked here',
      'Checked here',
      'Does not hold',
      'Does not hold',
    ]);
    const least = { fullTxIds: false, senderInformation: false, withdrawalDetails: true };
    const other = await desk.openCase('Read without proofs', least);
    const visitor = await story.visit();
    await visitor.betray((operation, data) => {
      if (operation !== 'CaseRecords') return;
      const transactions = within(data, 'case', 'transactions');
      twice(transactions['nodes'] as Answered[]);
      transactions['totalCount'] = 4;
    });
    await visitor.enter(desk.auditor, `/a/payments/cases/${other}`);
    await visitor.page.getByText('The gateway returned 1 transaction more than once').waitFor();
    expect(await visitor.accessibilityProblems()).toEqual([]);
  });
});
