import { readFileSync } from 'node:fs';
import v8 from 'node:v8';
import vm from 'node:vm';
import { expect, it } from '@jest/globals';
import { buildSchema, parse } from 'graphql';
import { checkCost, documentBytes } from '../../../../src/edge/graphql/limits/limits.js';

const DOCUMENTS = 400;
const COSTS = 16;
const schema = buildSchema(
  readFileSync(new URL('../../../../schema/schema.graphql', import.meta.url), 'utf8'),
);
v8.setFlagsFromString('--expose-gc');
const collectGarbage = vm.runInNewContext('gc') as () => void;

async function heapBytes(): Promise<number> {
  for (let times = 0; times < 8; times += 1) {
    collectGarbage();
    await new Promise(setImmediate);
  }
  return process.memoryUsage().heapUsed;
}

it('a cache counts for a document the most memory that its costs can take, however short it is', async () => {
  const textOf = (index: number) => `{ a${index}: __typename }`;
  const documents = Array.from({ length: DOCUMENTS }, (_, index) => parse(textOf(index)));
  const before = await heapBytes();
  for (const [index, document] of documents.entries())
    for (let cost = 0; cost < COSTS; cost += 1)
      // Of another language, so that each character of the key takes two bytes.
      checkCost(schema, document, { [`\u05d0${'x'.repeat(470)}${index}x${cost}`]: 1 }, undefined);
  const costs = ((await heapBytes()) - before) / DOCUMENTS;
  // Otherwise it was not the memory of the costs that was measured.
  expect(costs).toBeGreaterThan(COSTS * 400);
  expect(costs).toBeLessThanOrEqual(documentBytes(0, 100));
  expect(documents).toHaveLength(DOCUMENTS);
}, 480_000);
