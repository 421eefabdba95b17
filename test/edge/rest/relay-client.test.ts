import { afterAll, describe, expect, it } from '@jest/globals';
import { RelayReasonEnum } from '../../../src/domain/relays/relay.type.js';
import { RELAY_STATUSES } from '../../../src/domain/relays/relay-state.js';
import { relayRoutes } from '../../../src/edge/rest/routes/relay-routes.js';
import {
  change,
  freshPackage,
  openProofs,
  startRelayInstance,
  TO_FAILED,
  TO_SUBMITTED,
  type TestPackage,
} from '../../domain/relays/desk-kit.js';
import { openTestFoundation } from '../../kit/seed.js';
import {
  CLIENT_ACCEPTED,
  CLIENT_HTTP_REASONS,
  CLIENT_LEFTOVERS,
  CLIENT_MEMBERS,
  CLIENT_REJECTIONS,
  CLIENT_RETRYABLE_FAILURES,
  CLIENT_STATUS,
  CLIENT_STATUS_ONCE_KNOWN,
  CLIENT_STATUSES,
} from '../../vectors/relay-client.js';
import { callRest } from './server/rest-server.js';

/** A package in the form of the client. */
const asClientWrites = ({ poolSelector, proofBytes, publicSignals }: TestPackage) => ({
  ...{ ...CLIENT_MEMBERS, poolSelector, proofBytes },
  publicSignals: publicSignals.join(''),
});

const typesOf = (answer: unknown) =>
  Object.fromEntries(Object.entries(answer as object).map(([member, value]) => [member, typeof value]));

const { foundation } = await openTestFoundation();
const proofs = openProofs();
const instance = await startRelayInstance(foundation, proofs);

describe('an independent relay client', () => {
  afterAll(async () => {
    await instance[Symbol.asyncDispose]();
    await proofs[Symbol.asyncDispose]();
  });

  const submit = (body: unknown) =>
    callRest(`${instance.url}/api/relay-requests`, 'POST', { body, headers: { accept: 'application/json' } });
  const statusOf = async (id: string) =>
    (await callRest(`${instance.url}/api/relay-requests/${id}`, 'GET')).body;
  const accepted = async () => {
    const { status, body } = await submit(asClientWrites(freshPackage()));
    expect([status, typesOf(body)]).toEqual([202, CLIENT_ACCEPTED]);
    return (body as { relayRequestId: string }).relayRequestId;
  };

  it('can submit every member in its format, which is the same request as in other formats', async () => {
    const relayPackage = freshPackage();
    const first = await submit(asClientWrites(relayPackage));
    expect(first).toMatchObject({ status: 202, body: { status: 'accepted' } });
    const others = [
      { ...asClientWrites(relayPackage), ...CLIENT_LEFTOVERS },
      { ...relayPackage, ...CLIENT_MEMBERS, zkConfigNonce: 3, outputNoteEphemeralScalars: ['0x1', '0x2'] },
    ];
    for (const other of others) expect((await submit(other)).body).toEqual(first.body);
  });

  it('finds the members that it reads in a status, with their types and without other values for absent ones', async () => {
    const id = await accepted();
    expect(typesOf(await statusOf(id))).toEqual(CLIENT_STATUS);
    await change(foundation, id, ...TO_SUBMITTED);
    const { attemptNumber } = CLIENT_STATUS_ONCE_KNOWN;
    expect(typesOf(await statusOf(id))).toMatchObject({ ...CLIENT_STATUS, attemptNumber });
    const failing = await accepted();
    await change(foundation, failing, ...TO_FAILED);
    const { publicReason } = CLIENT_STATUS_ONCE_KNOWN;
    expect(typesOf(await statusOf(failing))).toEqual({ ...CLIENT_STATUS, publicReason });
  });

  it('knows every status that it receives, and receives every status that it knows', () => {
    expect(RELAY_STATUSES).toEqual(CLIENT_STATUSES);
  });

  it('knows each reason of a status, and agrees on which can be retried', () => {
    const reasons = Object.keys(RelayReasonEnum);
    expect(reasons).toEqual(expect.arrayContaining([...CLIENT_RETRYABLE_FAILURES]));
    const others = reasons.filter(
      (reason) => !CLIENT_RETRYABLE_FAILURES.some((failure) => failure === reason),
    );
    expect(CLIENT_REJECTIONS).toEqual(expect.arrayContaining(others));
  });

  it('knows each refusal reason that its requests can get from a correct gateway', () => {
    const documented = relayRoutes.flatMap(({ reasons, errors }) => [
      ...Object.values(reasons ?? {}),
      ...Object.values(errors).flatMap((text) => [...text.matchAll(/\(`(\w+)`\)/g)].map(([, one]) => one)),
    ]);
    const beyond = new Set(['unsupported_media_type', 'internal_error']);
    const expected = [...new Set(documented)].filter((reason) => !beyond.has(reason!));
    expect(expected.sort()).toEqual(CLIENT_HTTP_REASONS.toSorted());
  });
});
