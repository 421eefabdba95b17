// The examples tell one story: an asset is registered and bound, a transfer is indexed, and its amount is disclosed.
const assetId = 'ast_01kaj6m0v2e0stvb5x8nq3w4hy';
const transactionId = 'txn_01kaj79dk8f1prw2c6m5t0xj3q';
const disclosureId = 'dsc_01kaj7f3n5ez8bq4v7k9s2y6wd';
const signature = '3ZQ8Xu1dP9sVnYb4Rk7LhT2mCw6FjGqEaH5oN8tUxKcWvJ1yBiMzD4rSfAe7gPkLQ9uXhVwT2nYbRmC6sFjGqEa';
const mint = 'GZ7mWq4TnXcR8kVyB2LsJpD5hFuE9aNoMiQ3wKxCtYrd';
const source = '7Yb3KpXw5VnRcT9mLqJ2hDfGsE8uAoNi4ZxWkMyCtBvQ';
const destination = '4HnQ8sVxKcT2mLwR7yJpB5dFgE9uAoNi3ZkWqMyCtXvG';
const ciphertext = (letter: string) => `${letter.repeat(85)}A==`;

const pendingAsset = {
  id: assetId,
  workspaceId: 'payments',
  name: 'Confidential Euro',
  symbol: 'CEUR',
  decimals: 6,
  auditorElGamalPubkey: 'tNw4rHcJ2mVx8yQkPz5LbGd1oF7sEuA9iTnWjRvXKEA=',
  auditorKeyProvider: 'local',
  disclosurePolicyId: 'monthly-audit',
  confidentialMintBurnEnabled: false,
  status: 'pending',
  createdAt: '2026-01-12T08:30:00.000Z',
  updatedAt: '2026-01-12T08:30:00.000Z',
};

const boundAsset = {
  ...pendingAsset,
  mintAddress: mint,
  deploymentStatus: 'confirmed',
  status: 'active',
  updatedAt: '2026-01-12T08:34:10.512Z',
};

const transaction = {
  id: transactionId,
  assetId,
  network: 'solana',
  networkTransactionId: signature,
  type: 'confidential_transfer',
  slot: 391204417,
  blockTime: 1768210500,
  signer: '9VtKcJx2mQw7LhR5yNpB8dFgE4uAoTi3ZkWsMqCnXvGb',
  publicData: {
    instructionIndex: 3,
    instructionPath: [3, 0, 0],
    authority: '9VtKcJx2mQw7LhR5yNpB8dFgE4uAoTi3ZkWsMqCnXvGb',
  },
  ciphertexts: { auditor: { lo: ciphertext('b'), hi: ciphertext('c') } },
  indexedAt: '2026-01-12T09:35:02.118Z',
  sourceAccount: source,
  destinationAccount: destination,
};

const scope = { transactionIds: [transactionId], fields: ['amount'] };

const pendingDisclosure = {
  id: disclosureId,
  assetId,
  purpose: 'Quarterly audit, January sample',
  scope,
  format: 'json',
  status: 'pending',
  externalReference: 'AUD-2026-014',
  requestedAt: '2026-01-12T10:00:00.000Z',
  result: null,
};

const disclosedRecord = {
  transactionId,
  networkTransactionId: signature,
  type: transaction.type,
  slot: transaction.slot,
  blockTime: transaction.blockTime,
  sourceAccount: source,
  destinationAccount: destination,
  decimals: 6,
  amount: '125000000',
  proof: {
    amount: {
      auditorElGamalPubkey: pendingAsset.auditorElGamalPubkey,
      ciphertext: transaction.ciphertexts.auditor,
      proof: 'd'.repeat(128),
    },
  },
};

const availableDisclosure = {
  ...pendingDisclosure,
  status: 'available',
  resolvedAt: '2026-01-12T10:00:00.240Z',
  result: {
    format: 'json',
    generatedAt: '2026-01-12T10:00:00.240Z',
    receiptId: 'rcp_01kaj7f3te8vsmb5w1xq7c9y2n',
    records: [disclosedRecord],
    content: JSON.stringify([disclosedRecord]),
    proof: { scheme: 'solana-zero-ciphertext-proof', check: 'lucarne disclosure verify FILE' },
    salt: 'q83vEjRWeJCrze8SNFZ4kA==',
    receipt: { body: {}, signature: '' },
  },
};

const auditorPermissions = {
  'reports:view_transactions': true,
  'cases:create': true,
  'cases:withdraw_pending_request': true,
  'reports:create': true,
  'reports:list': true,
  'reports:download': false,
};

const activityEntry = {
  id: 'log_01kaj6m0v6f3dtb8x2nq5w7c9y',
  index: 41,
  event_type: 'asset.mint_bound',
  user: 'Ada Lovelace',
  user_id: 'usr_01kaj5zz4hgq1rwb8m3n6v9c2x',
  object: { type: 'asset', id: assetId },
  details: { mint },
  application_foreign_id: 'payments',
  case_id: null,
  created_at: '2026-01-12T08:34:10.512Z',
};

const logOrigin = 'lucarne.example/log/org_01kaj5zz3xfjtb8wq2m7v4c9ye';
const logCheckpoint =
  `${logOrigin}\n42\nsFodV/vSp5O8n9a8QpW6PRY97tfOSW5bsc2Xl/EQi08=\n\n` +
  `— ${logOrigin} x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n`;

export const examples = {
  createAsset: {
    minimal: {
      summary: 'Only the required members',
      value: { name: 'Confidential Euro', symbol: 'CEUR', decimals: 6 },
    },
    linked: {
      summary: 'Linked to an application, with a policy that decides disclosures',
      value: {
        name: 'Confidential Euro',
        symbol: 'CEUR',
        decimals: 6,
        workspaceId: 'payments',
        disclosurePolicyId: 'monthly-audit',
      },
    },
  },
  bindMint: {
    bind: { summary: 'After the deployment', value: { mintAddress: mint, deploymentStatus: 'confirmed' } },
  },
  requestDisclosure: {
    byTransactions: {
      summary: 'Chosen records',
      value: {
        assetId,
        purpose: pendingDisclosure.purpose,
        scope,
        format: 'json',
        externalReference: 'AUD-2026-014',
      },
    },
    byAccount: {
      summary: 'One account in January, as CSV',
      value: {
        assetId,
        purpose: 'Statement for the account holder',
        scope: {
          account: source,
          from: '2026-01-01T00:00:00Z',
          to: '2026-01-31T23:59:59.999Z',
          fields: ['amount'],
        },
        format: 'csv',
      },
    },
  },
  signIn: {
    password: {
      summary: 'With a password',
      value: { email: 'ada@example.org', password: 'correct horse battery staple' },
    },
    totp: {
      summary: 'With a second factor',
      value: { email: 'ada@example.org', password: 'correct horse battery staple', totp: '492039' },
    },
  },
  pendingAsset: { pending: { summary: 'Registered, no mint yet', value: pendingAsset } },
  boundAsset: { active: { summary: 'Bound', value: boundAsset } },
  asset: {
    active: { summary: 'Bound', value: boundAsset },
    pending: { summary: 'No mint yet', value: pendingAsset },
  },
  indexerStatus: {
    active: {
      summary: 'Followed, with records',
      value: {
        assetId,
        mintAddress: mint,
        registered: true,
        status: 'active',
        indexedCount: 214,
        latestSlot: transaction.slot,
        latestBlockTime: transaction.blockTime,
        latestSignature: signature,
        lastIndexedAt: transaction.indexedAt,
      },
    },
    wrongKey: {
      summary: 'The mint has another auditor key',
      value: {
        assetId,
        mintAddress: mint,
        registered: false,
        status: 'error',
        reason: 'auditor_key_mismatch',
        indexedCount: 0,
      },
    },
  },
  transaction: { transfer: { summary: 'A confidential transfer', value: transaction } },
  transactionPage: {
    more: {
      summary: 'A page before the last one',
      value: { assetId, transactions: [transaction], nextCursor: 'q3V0kJm1xYcyMTQ' },
    },
    empty: { summary: 'Nothing matches', value: { assetId, transactions: [], nextCursor: null } },
  },
  requestedDisclosure: {
    pending: { summary: 'Waits for a decision', value: pendingDisclosure },
    available: { summary: 'Authorized by policy', value: availableDisclosure },
  },
  disclosure: {
    available: { summary: 'Authorized', value: availableDisclosure },
    pending: { summary: 'Not decided yet', value: pendingDisclosure },
    rejected: {
      summary: 'Not authorized',
      value: { ...pendingDisclosure, status: 'rejected', resolvedAt: '2026-01-12T11:20:41.007Z' },
    },
  },
  session: {
    auditor: {
      summary: 'An auditor of one application',
      value: {
        organization_info: { org_id: 'org_01kaj5zz3xfjtb8wq2m7v4c9ye', name: 'Northwind Payments' },
        owner: { 'applications:read': false },
        applications: {
          payments: {
            application_info: { name: 'Payments' },
            common: { 'logs:view_activity': true },
            administrator: { 'cases:approve_creation': false },
            auditor: auditorPermissions,
          },
        },
      },
    },
  },
  activityLog: {
    page: { summary: 'The newest entries', value: [activityEntry] },
    empty: { summary: 'Nothing matches', value: [] },
  },
  logCheckpoint: { checkpoint: { summary: 'Of 42 entries', value: logCheckpoint } },
  logProof: {
    proof: {
      summary: 'The proof of the last of 42 entries',
      value: `c2sp.org/tlog-proof@v1\nindex 41\nB95lDa8R83lS8n0eG+o0buTxRKQTYFi//1U8anccXmA=\n\n${logCheckpoint}`,
    },
  },
  logKey: {
    key: {
      summary: 'An Ed25519 key',
      value: `${logOrigin}+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW\n`,
    },
  },
  checkAddress: {
    address: {
      summary: 'An address of Solana',
      value: { network: 'solana', address: source, applicationId: 'check_6JxQ2mVw8nTc4RbYpL1sKd' },
    },
  },
  addressCheck: {
    approved: {
      summary: 'Approved',
      value: {
        approved: true,
        checkId: 'chk_01kaj7m2q4f1prw2c6m5t0xj3q',
        metadataHash: '5f0c4e1b9d3a7726c8e45a90b1d2f3846e7a8c9d0b1f2e3d4c5a69788796a5b4',
        reason: 'approved',
      },
    },
    sanctioned: {
      summary: 'On the sanctions list',
      value: {
        approved: false,
        checkId: 'chk_01kaj7p9x3ez8bq4v7k9s2y6wd',
        metadataHash: 'a4b5968778a6c5d4e3f2b1a0d9c8e7f64a3b2c1d0e9f8a7b6c5d4e3f2a1b0c9d',
        reason: 'sanctioned',
      },
    },
  },
  signedOut: { ended: { summary: 'Ended', value: { signed_out: true } } },
} as const;
