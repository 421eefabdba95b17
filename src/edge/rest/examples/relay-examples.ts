// The examples tell one story: a transfer within the pool is submitted and lands at its second attempt. Another package finds
// its note already spent.
const relayRequestId = 'rly_5r8kq2m0v4e1atjb7x9nw3h6cz';
const word = (last: string) => last.padStart(64, '0');

const packaged = {
  version: 1,
  poolSelector: 'local-test-pool',
  zkConfigNonce: '3',
  proofBytes: '1f'.repeat(256),
  publicSignals: ['2a', '0', '7c1e', '9d04', '9d05', 'b3f0', 'b3f1'].map(word),
  applicationIdHints: ['check_6JxQ2mVw8nTc4RbYpL1sKd'],
};

const accepted = {
  relayRequestId,
  status: 'accepted',
  createdAt: '2026-01-12T10:00:00.214Z',
};

const submitted = {
  ...accepted,
  status: 'submitted',
  updatedAt: '2026-01-12T10:00:02.730Z',
  retryAllowed: false,
  attemptNumber: 1,
  transactionHash: '3ZQ8Xu1dP9sVnYb4Rk7LhT2mCw6FjGqEaH5oN8tUxKcWvJ1yBiMzD4rSfAe7gPkLQ9uXhVwT2nYbRmC6sFjGqEa',
};

export const relayExamples = {
  relayPackage: { transfer: { summary: 'A transfer within the pool', value: packaged } },
  submittedRelay: {
    accepted: {
      summary: 'Accepted',
      value: { ...accepted, statusUrl: `/api/relay-requests/${relayRequestId}` },
    },
    rejected: {
      summary: 'Its proof does not verify',
      value: { ...accepted, status: 'rejected', statusUrl: `/api/relay-requests/${relayRequestId}` },
    },
  },
  relayRequest: {
    submitted: { summary: 'In progress: continue to read the status', value: submitted },
    failed: {
      summary: 'It can no longer land: another attempt may be started',
      value: {
        ...submitted,
        status: 'failed',
        updatedAt: '2026-01-12T10:01:40.006Z',
        retryAllowed: true,
        publicReason: 'send_failed',
      },
    },
    succeeded: {
      summary: 'Done',
      value: { ...submitted, status: 'succeeded', updatedAt: '2026-01-12T10:00:16.481Z' },
    },
    rejected: {
      summary: 'Its notes are already spent',
      value: {
        ...accepted,
        status: 'rejected',
        updatedAt: '2026-01-12T10:00:01.377Z',
        retryAllowed: false,
        publicReason: 'nullifiers_spent',
      },
    },
  },
  relayAttempt: {
    queued: {
      summary: 'The second attempt begins',
      value: {
        ...accepted,
        status: 'queued',
        updatedAt: '2026-01-12T10:03:11.950Z',
        retryAllowed: false,
        attemptNumber: 2,
      },
    },
  },
} as const;
