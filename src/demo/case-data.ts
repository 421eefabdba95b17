import { Type, type Static } from 'typebox';
import type { DemoUser } from './organization.js';
import { Anything, type DemoDesk, personOf } from './demo-desk.js';

/** What becomes of a request, and then of its case. */
type Fate = 'pending' | 'running' | 'ended' | 'closed' | 'withdrawn';

interface Plan {
  readonly reason: string;
  readonly auditor: number;
  readonly fate: Fate;
  readonly flags: Readonly<Record<string, boolean>>;
  readonly days: number;
}

const EVERYTHING = { fullTxIds: true, senderInformation: true, withdrawalDetails: true };

/** Requests and cases in every state. A reason identifies its request, so that existing ones are not created again. */
const PLANS: readonly Plan[] = [
  { reason: 'Quarterly audit of all customers', auditor: 0, fate: 'running', flags: EVERYTHING, days: 30 },
  { reason: 'Amounts for the annual statement', auditor: 0, fate: 'running', flags: {}, days: 2 },
  {
    reason: 'Withdrawals of the last month',
    auditor: 1,
    fate: 'ended',
    flags: { withdrawalDetails: true },
    days: 14,
  },
  {
    reason: 'Payments of a former customer',
    auditor: 1,
    fate: 'closed',
    flags: { senderInformation: true },
    days: 90,
  },
  { reason: 'Filed for the wrong period', auditor: 0, fate: 'withdrawn', flags: {}, days: 7 },
  {
    reason: 'Origin of funds of new customers',
    auditor: 0,
    fate: 'pending',
    flags: { fullTxIds: true },
    days: 10,
  },
  { reason: 'Second opinion on the quarter', auditor: 1, fate: 'pending', flags: EVERYTHING, days: 5 },
];

const Request = Type.Object({
  id: Type.String(),
  reason: Type.String(),
  status: Type.String(),
  caseId: Type.Union([Type.String(), Type.Null()]),
});
type Request = Static<typeof Request>;
const REQUEST = '{ id reason status caseId }';
const DAY_MS = 24 * 60 * 60 * 1000;

export async function fillCases(desk: DemoDesk): Promise<void> {
  const auditors = [personOf(desk, 'auditor', 0), personOf(desk, 'auditor', 1)] as const;
  for (const [index, auditor] of auditors.entries()) {
    await fileRequests(
      desk,
      auditor,
      PLANS.filter((plan) => plan.auditor === index),
    );
  }
  const running = await decideRequests(desk);
  for (const [index, auditor] of auditors.entries()) {
    const own = running.filter(({ plan }) => plan.auditor === index);
    await workOnCases(desk, auditor, own);
  }
  await endCases(desk, running);
}

async function fileRequests(desk: DemoDesk, auditor: DemoUser, plans: readonly Plan[]): Promise<void> {
  await desk.as(auditor, async (ask) => {
    const { caseRequests } = await ask(
      Type.Object({ caseRequests: Type.Object({ nodes: Type.Array(Request) }) }),
      `query ($app: String!) { caseRequests(foreignId: $app, first: 200) { nodes ${REQUEST} } }`,
      { app: desk.foreignId },
    );
    const day = (time: number) => new Date(time).toISOString().slice(0, 10);
    for (const { reason, fate, flags, days } of plans) {
      let request: Request | undefined = caseRequests.nodes.find((known) => known.reason === reason);
      request ??= (
        await ask(
          Type.Object({ createCaseRequest: Request }),
          `mutation ($input: CreateCaseRequestInput!) { createCaseRequest(input: $input) ${REQUEST} }`,
          {
            input: {
              foreignId: desk.foreignId,
              reason,
              periodFrom: day(Date.now() - 30 * DAY_MS),
              periodTo: day(Date.now() + DAY_MS),
              accessDays: days,
              disclosureFlags: flags,
              auditorIds: [auditor.id],
            },
          },
        )
      ).createCaseRequest;
      if (fate === 'withdrawn' && request.status === 'pending') {
        await ask(
          Anything,
          'mutation ($input: WithdrawCaseRequestInput!) { withdrawCaseRequest(input: $input) { id } }',
          { input: { foreignId: desk.foreignId, id: request.id } },
        );
      }
    }
  });
}

interface RunningCase {
  readonly plan: Plan;
  readonly caseId: string;
}

async function decideRequests(desk: DemoDesk): Promise<RunningCase[]> {
  return desk.as(personOf(desk, 'administrator'), async (ask) => {
    const { disclosureRegistry } = await ask(
      Type.Object({ disclosureRegistry: Type.Object({ nodes: Type.Array(Request) }) }),
      `query ($app: String!) { disclosureRegistry(foreignId: $app, first: 200) { nodes ${REQUEST} } }`,
      { app: desk.foreignId },
    );
    const running: RunningCase[] = [];
    for (const plan of PLANS) {
      const request = disclosureRegistry.nodes.find(({ reason }) => reason === plan.reason);
      if (!request) continue;
      const input = { foreignId: desk.foreignId, id: request.id };
      if (request.status === 'pending' && plan.fate === 'closed') {
        await ask(
          Anything,
          'mutation ($input: CloseCaseRequestInput!) { closeCaseRequest(input: $input) { id } }',
          {
            input: { ...input, reason: 'The customer left before the period.' },
          },
        );
      }
      if (plan.fate !== 'running' && plan.fate !== 'ended') continue;
      if (request.caseId !== null) running.push({ plan, caseId: request.caseId });
      else if (request.status === 'pending') {
        const { approveCaseRequest } = await ask(
          Type.Object({ approveCaseRequest: Type.Object({ id: Type.String() }) }),
          'mutation ($input: ApproveCaseRequestInput!) { approveCaseRequest(input: $input) { id } }',
          { input: { ...input, reason: 'Within the plan of the year.' } },
        );
        running.push({ plan, caseId: approveCaseRequest.id });
      }
    }
    return running;
  });
}

const Open = Type.Object({
  cases: Type.Object({ nodes: Type.Array(Type.Object({ id: Type.String() })) }),
  reports: Type.Object({
    nodes: Type.Array(
      Type.Object({ metadata: Type.Object({ caseId: Type.Union([Type.String(), Type.Null()]) }) }),
    ),
  }),
});

/** Reads each open case, and makes the reports of those that have none. */
async function workOnCases(desk: DemoDesk, auditor: DemoUser, cases: readonly RunningCase[]): Promise<void> {
  await desk.as(auditor, async (ask) => {
    const seen = await ask(
      Open,
      `query ($app: String!) { cases(foreignId: $app, first: 200) { nodes { id } }
        reports(foreignId: $app, first: 200) { nodes { metadata { caseId } } } }`,
      { app: desk.foreignId },
    );
    for (const { caseId, plan } of cases) {
      if (!seen.cases.nodes.some(({ id }) => id === caseId)) continue;
      await ask(
        Anything,
        `query ($app: String!, $id: ID!) { case(foreignId: $app, id: $id) { transactions(first: 50) { nodes { amount } } } }`,
        { app: desk.foreignId, id: caseId },
      );
      if (seen.reports.nodes.some(({ metadata }) => metadata.caseId === caseId)) continue;
      const wanted =
        plan.fate === 'ended'
          ? [{ reportType: 'transaction_summary', format: 'json' }]
          : [
              { reportType: 'transaction_summary', format: 'pdf' },
              { reportType: 'transaction_detail', format: 'csv' },
            ];
      for (const report of wanted) {
        await ask(
          Anything,
          'mutation ($input: GenerateCaseReportInput!) { generateCaseReport(input: $input) { id } }',
          { input: { foreignId: desk.foreignId, caseId, wait: true, ...report } },
        );
      }
    }
  });
}

async function endCases(desk: DemoDesk, cases: readonly RunningCase[]): Promise<void> {
  await desk.as(personOf(desk, 'administrator'), async (ask) => {
    for (const { caseId, plan } of cases.filter(({ plan: { fate } }) => fate === 'ended')) {
      const { case: found } = await ask(
        Type.Object({ case: Type.Object({ status: Type.String() }) }),
        'query ($app: String!, $id: ID!) { case(foreignId: $app, id: $id) { status } }',
        { app: desk.foreignId, id: caseId },
      );
      if (found.status !== 'active') continue;
      await ask(Anything, 'mutation ($input: EndCaseInput!) { endCase(input: $input) { id } }', {
        input: { foreignId: desk.foreignId, id: caseId, reason: `“${plan.reason}” is answered.` },
      });
    }
  });
}
