// The examples tell one story: Ana requests the January of an application, and Ada approves it for two weeks.
const ana = { id: 'usr_01kaj5zz5kf2atb8wr4m7v1c9q', name: 'Ana Auditor', email: 'ana@audit.example' };
const adaId = 'usr_01kaj5zz4hgq1rwb8m3n6v9c2x';
const assetIds = ['ast_01kaj6m0v2e0stvb5x8nq3w4hy'];

const asked = {
  reason: 'Quarterly audit, January sample',
  period_from: '2026-01-01',
  period_to: '2026-01-31',
  access_days: 14,
};
const flags = { full_tx_ids: true, sender_information: false, withdrawal_details: true };

const pending = {
  id: 'crq_01kaj8c4q2ez8bt7v5m1s9y3wd',
  status: 'pending',
  withdrawn: false,
  ...asked,
  requested_by: ana,
  disclosure_flags: flags,
  auditor_ids: [ana.id],
  asset_ids: assetIds,
  created_at: '2026-02-02T09:12:44.310Z',
  decided_at: null,
  decided_by: null,
  decision_reason: null,
  case_id: null,
};

const opened = {
  id: 'cas_01kaj8f7w5fmxvb2c8n4q6t1yr',
  request_id: pending.id,
  status: 'active',
  ...asked,
  disclosure_flags: flags,
  auditors: [ana],
  asset_ids: assetIds,
  approved_by: adaId,
  created_at: '2026-02-02T10:00:00.000Z',
  expires_at: '2026-02-16T10:00:00.000Z',
  seconds_left: 1_209_600,
};

const closed = {
  ...pending,
  status: 'closed',
  decided_at: '2026-02-02T10:00:00.000Z',
  decided_by: adaId,
  decision_reason: 'The period has not ended yet.',
};

export const caseExamples = {
  createCaseRequest: {
    january: {
      summary: 'One month, two weeks of access',
      value: {
        ...asked,
        disclosure_flags: { full_tx_ids: true, withdrawal_details: true },
        auditor_ids: [ana.id],
      },
    },
    chosenAssets: {
      summary: 'For chosen assets, without any flag',
      value: { ...asked, disclosure_flags: {}, auditor_ids: [ana.id], asset_ids: assetIds },
    },
  },
  caseDecision: {
    reason: { summary: 'With a reason', value: { reason: 'The period has not ended yet.' } },
    none: { summary: 'Without', value: {} },
  },
  caseApproval: {
    reason: { summary: 'With a reason', value: { reason: 'Within the plan of the year.' } },
    less: {
      summary: 'For less than was requested',
      value: { grant: { access_days: 7, disclosure_flags: { sender_information: false } } },
    },
    none: { summary: 'Without', value: {} },
  },
  createdRequest: { pending: { summary: 'Waits for a decision', value: pending } },
  withdrawnRequest: {
    withdrawn: {
      summary: 'Withdrawn',
      value: { ...closed, withdrawn: true, decided_by: ana.id, decision_reason: null },
    },
  },
  closedRequest: { closed: { summary: 'Closed', value: closed } },
  requests: {
    page: { summary: 'The newest requests', value: [pending] },
    empty: { summary: 'No requests', value: [] },
  },
  openedCase: { active: { summary: 'Approved', value: opened } },
  cases: {
    page: {
      summary: 'One active, one expired',
      value: [
        opened,
        { ...opened, id: 'cas_01k9c2f7w5fmxvb2c8n4q6t1yr', status: 'expired', seconds_left: 0 },
      ],
    },
    empty: { summary: 'No cases that you may see', value: [] },
  },
} as const;
