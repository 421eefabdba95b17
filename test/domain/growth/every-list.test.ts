import { describe, expect, it } from '@jest/globals';
import { buildSchema, isObjectType } from 'graphql';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

type Row = readonly [filters: string, test: string];

const RECORDS = 'does not grow with the records of an asset, for any filter';
const LOG = 'does not grow with the log, for any scope and filter';
const CASES = 'does not grow with the cases, for any reader and status';
const REQUESTS = 'does not grow with the case requests, for those who filed some';
const DECISIONS = 'does not grow with disclosures, case requests, addresses and security events';
const SET_UP = 'does not grow with assets, auditor keys of a mint, and what an organization set up';
/** Reads one row, by its id, or one for each of a bounded number of running things. */
const ONE = 'one';

/** Each list that pages and each subscription, with its filters, and the test that measures what a page of it reads. */
const MEASURED: Readonly<Record<string, Row>> = {
  'Application.assets': ['', SET_UP],
  'Asset.auditorKeyCoverage': ['', SET_UP],
  'Case.transactions': ['assetId from to type', 'does not grow with the records of a case'],
  'Disclosure.chosenRecords': ['', 'does not grow with the records that a disclosure names'],
  'Query.activityLog': ['caseId eventType foreignId from objectId to userId', LOG],
  'Query.addressChecks': ['address foreignId', DECISIONS],
  'Query.addresses': ['foreignId search status', DECISIONS],
  'Query.apiKeys': ['', SET_UP],
  'Query.applications': ['', SET_UP],
  'Query.assets': ['', SET_UP],
  'Query.auditorCandidates': ['foreignId', SET_UP],
  'Query.caseActivityLog': ['caseId eventType foreignId from to userId', LOG],
  'Query.caseAssets': ['foreignId', SET_UP],
  'Query.caseRequests': ['foreignId oldestFirst status', REQUESTS],
  'Query.cases': ['foreignId status', CASES],
  'Query.disclosurePolicies': ['', SET_UP],
  'Query.disclosureRegistry': ['foreignId oldestFirst status', DECISIONS],
  'Query.disclosures': ['assetId oldestFirst status', DECISIONS],
  'Query.invitations': ['', SET_UP],
  'Query.logActors': ['foreignId', 'does not grow with the log when it lists actors'],
  'Query.members': ['', SET_UP],
  'Query.pendingPermissionGrants': ['', SET_UP],
  'Query.relays': [
    'foreignId from poolSelector status to',
    'does not grow with the relays of an organization',
  ],
  'Query.reports': ['caseId foreignId reportType', 'does not grow with reports, for any filter'],
  'Query.securityEvents': ['', DECISIONS],
  'Query.sessions': ['', SET_UP],
  'Query.transactions': ['account assetId from to type', RECORDS],
  'Subscription.activityAdded': ['foreignId', LOG],
  'Subscription.caseChanged': ['foreignId', CASES],
  'Subscription.caseRequestChanged': ['foreignId', REQUESTS],
  'Subscription.caseTransactionAdded': [
    'assetId foreignId from id to type',
    'does not grow with the records of a case whose number is followed, after the first count',
  ],
  'Subscription.disclosureChanged': ['', DECISIONS],
  'Subscription.pendingWorkChanged': ['', SET_UP],
  'Subscription.relayChanged': ['', ONE],
  'Subscription.relayStatus': ['relayRequestId', ONE],
  'Subscription.reportProgress': ['foreignId id', ONE],
  'Subscription.transactionAdded': ['assetId', RECORDS],
};

const PAGING = new Set(['first', 'after']);

describe('each list and each subscription', () => {
  it('is in this table with its filters', async () => {
    const schema = buildSchema(
      await readFile(path.resolve(import.meta.dirname, '../../../schema/schema.graphql'), 'utf8'),
    );
    const found: Record<string, string> = {};
    for (const type of Object.values(schema.getTypeMap()).filter(isObjectType))
      for (const field of Object.values(type.getFields())) {
        const names = field.args.map(({ name }) => name);
        if (type.name === 'Subscription' || names.includes('first'))
          found[`${type.name}.${field.name}`] = names.filter((name) => !PAGING.has(name)).join(' ');
      }
    const listed = Object.entries(MEASURED).map(([name, [filters]]) => [name, filters]);
    expect(found).toEqual(Object.fromEntries(listed));
  });

  it('names the test that measures it', async () => {
    const files = await readdir(import.meta.dirname);
    const others = files.filter((name) => name.endsWith('.test.ts') && name !== 'every-list.test.ts');
    const texts = await Promise.all(
      others.map((name) => readFile(path.join(import.meta.dirname, name), 'utf8')),
    );
    const isTest = (title: string) => texts.some((text) => text.includes(`it('${title}'`));
    const missing = Object.values(MEASURED).filter(([, title]) => title !== ONE && !isTest(title));
    expect(missing).toEqual([]);
  });
});
